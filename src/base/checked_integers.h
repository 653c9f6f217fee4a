// Defines arithmetic on sizes. Overflow throws Error{kOverflow}. Division rounds toward minus infinity. The quotient and the remainder of a
// division by zero are 0 (docs/semantics.md).
#pragma once

#include <cstdint>

#include "base/error.h"

namespace harp {

inline int64_t checked_add(int64_t a, int64_t b) {
  int64_t result;
  HARP_CHECK(!__builtin_add_overflow(a, b, &result), Code::kOverflow, "size arithmetic: ", a, " + ", b, " does not fit 64 bits");
  return result;
}
inline int64_t checked_sub(int64_t a, int64_t b) {
  int64_t result;
  HARP_CHECK(!__builtin_sub_overflow(a, b, &result), Code::kOverflow, "size arithmetic: ", a, " - ", b, " does not fit 64 bits");
  return result;
}
inline int64_t checked_mul(int64_t a, int64_t b) {
  int64_t result;
  HARP_CHECK(!__builtin_mul_overflow(a, b, &result), Code::kOverflow, "size arithmetic: ", a, " * ", b, " does not fit 64 bits");
  return result;
}
inline int64_t floored_quotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return checked_mul(a, -1);
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
inline int64_t floored_remainder(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  const int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

}  // namespace harp
