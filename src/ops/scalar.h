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

/// Every integer that a number in a program can be: those of i64 and of u64.
using WideInt = __int128;

/// value converted to dtype by the law's rules for casts (truncate and saturate to ints, round to nearest to floats; im is 0).
Scalar scalar_from_double(DType dtype, double value);
Scalar scalar_from_int(DType dtype, WideInt value);
/// re + im·i, of two values of one dtype, f32 or f64; and the other way round: part 0 is re, part 1 im.
Scalar complex_scalar(const Scalar& re, const Scalar& im);
Scalar part_of(const Scalar& value, int part);
/// A real value as a double (bool as 0/1; i64 and u64 round).
double to_double(const Scalar& value);
/// Is the integer a value of dtype? Of floats and complex numbers always, up to rounding.
bool int_fits(DType dtype, WideInt value);
/// The element that changes nothing in a reduction or scan: 0 for Sum, 1 for Prod, least for ReduceMax (-inf for floats), greatest for
/// ReduceMin.
Scalar identity_of(Op op, DType dtype);
/// In the text format: "0.5", "-inf", "true", "-3", of complex numbers "1, -2"; of floats the shortest decimal that reads back as the same
/// value.
std::string to_string(const Scalar& value);

}  // namespace harp
