// One element of any dtype, by its bits: constants, pad values, identities of reductions.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "ops/dtype.h"
#include "ops/ops.h"

namespace harp {

/// 16 bytes hold every dtype; bytes beyond size_of(dtype) are 0, so equal bits are equal Scalars.
struct Scalar {
  DType dtype = DType::kUnknown;
  uint64_t bits[2] = {0, 0};

  friend bool operator==(const Scalar&, const Scalar&) = default;

  template <class T>
  static Scalar of(DType dtype, T value) {
    Scalar s{dtype, {0, 0}};
    std::memcpy(s.bits, &value, sizeof value);
    return s;
  }
  template <class T>
  T as() const {
    T value;
    std::memcpy(&value, bits, sizeof value);
    return value;
  }
};

/// value converted to dtype by the cast rules of 02-semantics (truncate and saturate to ints, round to nearest to floats).
Scalar scalar_from_double(DType dtype, double value);
Scalar scalar_from_int(DType dtype, int64_t value);
/// Value as a double (bool as 0/1; i64 rounds).
double to_double(const Scalar& value);
/// Is the number (real or integer) exactly representable in dtype? Floats always are, up to rounding.
bool int_fits(DType dtype, int64_t value);
/// The element that changes nothing in a reduction or scan: 0 for Sum, 1 for Prod, least for ReduceMax (-inf for floats), greatest for
/// ReduceMin.
Scalar identity_of(Op op, DType dtype);
/// In the text format: "0.5", "-inf", "true", "-3".
std::string to_string(const Scalar& value);

}  // namespace harp
