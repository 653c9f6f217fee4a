// Scalars: conversion by the cast rules of docs/semantics.md, the identities of reductions, and their text.
#include "ops/scalar.h"

#include <cmath>
#include <limits>

#include "base/error.h"

namespace harp {
namespace {

/// Calls body(T()) with the C type of dtype; dtypes without one (f16, bf16, complex) have no rules yet and are not in graphs.
template <class Body>
auto with_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::kBool: return body(bool());
    case DType::kI8: return body(int8_t());
    case DType::kU8: return body(uint8_t());
    case DType::kI16: return body(int16_t());
    case DType::kU16: return body(uint16_t());
    case DType::kI32: return body(int32_t());
    case DType::kU32: return body(uint32_t());
    case DType::kI64: return body(int64_t());
    case DType::kU64: return body(uint64_t());
    case DType::kF32: return body(float());
    case DType::kF64: return body(double());
    default: fail(Code::kUnsupported, "dtype ", name(dtype), " has no scalars in this version");
  }
}

/// Truncates and saturates; NaN gives 0.
template <class T>
T int_from_double(double value) {
  if (std::isnan(value)) return 0;
  // The least value is a power of two, so it and (greatest + 1) are exact doubles.
  constexpr double least = static_cast<double>(std::numeric_limits<T>::min());
  const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (value <= least) return std::numeric_limits<T>::min();
  if (value >= beyond) return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

}  // namespace

Scalar scalar_from_double(DType dtype, double value) {
  return with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>)
      return Scalar::of(dtype, value != 0);
    else if constexpr (std::is_integral_v<T>)
      return Scalar::of(dtype, int_from_double<T>(value));
    else
      return Scalar::of(dtype, static_cast<T>(value));
  });
}

Scalar scalar_from_int(DType dtype, int64_t value) {
  return with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>)
      return Scalar::of(dtype, value != 0);
    else
      return Scalar::of(dtype, static_cast<T>(value));  // integers wrap, floats round to nearest even
  });
}

double to_double(const Scalar& value) {
  return with_type(value.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>)
      return value.bits[0] != 0 ? 1.0 : 0.0;
    else
      return static_cast<double>(value.as<T>());
  });
}

bool int_fits(DType dtype, int64_t value) {
  return with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>)
      return value == 0 || value == 1;
    else if constexpr (std::is_same_v<T, uint64_t>)
      return value >= 0;
    else if constexpr (std::is_integral_v<T>)
      return value >= static_cast<int64_t>(std::numeric_limits<T>::min()) && value <= static_cast<int64_t>(std::numeric_limits<T>::max());
    else
      return true;
  });
}

Scalar identity_of(Op op, DType dtype) {
  HARP_ASSERT(is_reduce(op) || is_scan(op), name(op), " is no reduction and no scan");
  return with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    using Limits = std::numeric_limits<T>;
    switch (combine_of(op)) {
      case Op::kAdd: return Scalar::of(dtype, T(0));
      case Op::kMul: return Scalar::of(dtype, T(1));
      case Op::kMax: return Scalar::of(dtype, Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest());
      default: return Scalar::of(dtype, Limits::has_infinity ? Limits::infinity() : Limits::max());
    }
  });
}

std::string to_string(const Scalar& value) {
  return with_type(value.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>)
      return cat(value.bits[0] != 0);
    else
      return cat(value.as<T>());
  });
}

}  // namespace harp
