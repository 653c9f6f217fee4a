// Defines how reductions and scans combine elements: the operation, its identity, and the dtype of accumulators. Reductions and scans share
// this definition, so that a sum and a running sum of one dtype are computed with the same operations.
#pragma once

#include <type_traits>

#include "interp/cast.h"
#include "interp/rules.h"
#include "ops/scalar.h"

namespace harp::interp {

/// Returns the dtype whose loops are used to combine elements of `dtype`; they give the same bits. Sums and products of signed integers are
/// computed as those of unsigned integers, because both wrap around; so the loops are compiled for half as many integer dtypes.
constexpr DType combined_as(Op op, DType dtype) {
  if (combine_of(op) != Op::kAdd && combine_of(op) != Op::kMul) return dtype;
  switch (dtype) {
    case DType::kI8: return DType::kU8;
    case DType::kI16: return DType::kU16;
    case DType::kI32: return DType::kU32;
    case DType::kI64: return DType::kU64;
    default: return dtype;
  }
}

/// Elements of a narrow dtype (f16, for example) are widened when they are read and narrowed when they are written. Accumulators have the
/// wide dtype.
template <Op op, DType dtype>
struct Combine {
  static constexpr DType kWide = info(dtype).computes_in;
  template <DType D>
  /// A bool is stored as a byte, because std::vector<bool> is packed.
  using ElementOf = std::conditional_t<D == DType::kBool, uint8_t, Element<D>>;
  using Stored = ElementOf<dtype>;
  using T = ElementOf<kWide>;

  static T combine(T a, T b) {
    return static_cast<T>(Rule<combine_of(op)>::apply(static_cast<Element<kWide>>(a), static_cast<Element<kWide>>(b)));
  }
  static T identity() { return read(identity_of(op, dtype).as<Stored>()); }

  /// read() converts a stored element to the type of accumulators; a value that has this type already is returned unchanged. write() is the
  /// opposite conversion.
  template <class X>
  static T read(X x) {
    if constexpr (std::is_same_v<X, T>)
      return x;
    else
      return cast_element<kWide, dtype>(x);
  }
  template <class X>
  static X write(T x) {
    if constexpr (std::is_same_v<X, T>)
      return x;
    else
      return cast_element<dtype, kWide>(x);
  }
};

}  // namespace harp::interp
