// Implements Scalar: conversion by the cast rules of docs/semantics.md, identities of reductions, conversion to text.
#include "ops/scalar.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/math_half.h"
#include "ops/scalar_math.h"

namespace harp {
namespace {

/// Calls body(T()), where T is the C++ type of a real dtype.
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
    case DType::kF16: return body(F16());
    case DType::kBF16: return body(BF16());
    case DType::kF32: return body(float());
    case DType::kF64: return body(double());
    default: break;
  }
  HARP_ASSERT(false, "a value of dtype ", name(dtype), " is not a number");
  return body(bool());
}

template <class T>
concept Half = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;
template <Half T>
using Conversions = math::HalfConversions<ScalarMath, std::is_same_v<T, F16> ? DType::kF16 : DType::kBF16>;

/// Converts to the integer type T: truncates and saturates; NaN becomes 0.
template <class T>
T int_from_double(double value) {
  if (std::isnan(value)) return 0;
  // The smallest value is 0 or minus a power of two, and largest + 1 is a power of two, so both are exact doubles.
  constexpr double least = static_cast<double>(std::numeric_limits<T>::min());
  const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (value <= least) return std::numeric_limits<T>::min();
  if (value >= beyond) return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

}  // namespace

Scalar complex_scalar(const Scalar& re, const Scalar& im) {
  const DType dtype = complex_dtype(re.dtype);
  if (dtype == DType::kC128) return {dtype, {re.bits[0], im.bits[0]}};
  return Scalar::of(dtype, std::array{re.as<float>(), im.as<float>()});
}
Scalar part_of(const Scalar& value, int part) {
  if (value.dtype == DType::kC128) return {DType::kF64, {value.bits[part], 0}};
  return Scalar::of(DType::kF32, value.as<std::array<float, 2>>()[static_cast<size_t>(part)]);
}

Scalar scalar_from_double(DType dtype, double value) {
  if (is_complex(dtype)) return complex_scalar(scalar_from_double(real_dtype(dtype), value), scalar_from_double(real_dtype(dtype), 0));
  return with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>)
      return Scalar::of(dtype, value != 0);
    else if constexpr (std::is_integral_v<T>)
      return Scalar::of(dtype, int_from_double<T>(value));
    else if constexpr (Half<T>)
      return Scalar::of(dtype, Conversions<T>::narrow(value));
    else
      return Scalar::of(dtype, static_cast<T>(value));
  });
}

Scalar scalar_from_int(DType dtype, WideInt value) {
  if (is_complex(dtype)) return complex_scalar(scalar_from_int(real_dtype(dtype), value), scalar_from_int(real_dtype(dtype), 0));
  return with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>)
      return Scalar::of(dtype, value != 0);
    else if constexpr (!Half<T>)
      return Scalar::of(dtype, static_cast<T>(value));  // integers wrap; floats round to nearest, ties to even
    else if (value > INT64_MAX)
      return Scalar::of(dtype, Conversions<T>::template narrow_int<DType::kU64>(static_cast<uint64_t>(value)));
    else
      return Scalar::of(dtype, Conversions<T>::template narrow_int<DType::kI64>(static_cast<int64_t>(value)));
  });
}

double to_double(const Scalar& value) {
  return with_type(value.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>)
      return value.bits[0] != 0 ? 1.0 : 0.0;
    else if constexpr (Half<T>)
      return static_cast<double>(Conversions<T>::widen(value.as<T>()));
    else
      return static_cast<double>(value.as<T>());
  });
}

bool int_fits(DType dtype, WideInt value) {
  if (is_complex(dtype)) return true;
  return with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>)
      return value == 0 || value == 1;
    else if constexpr (std::is_integral_v<T>)
      return value >= WideInt{std::numeric_limits<T>::min()} && value <= WideInt{std::numeric_limits<T>::max()};
    else
      return true;
  });
}

Scalar identity_of(Op op, DType dtype) {
  HARP_ASSERT(combination(op), name(op), " has no combination");
  const Op combine = combine_of(op);
  if (combine == Op::kAdd) return scalar_from_int(dtype, 0);
  if (combine == Op::kMul) return scalar_from_int(dtype, 1);
  const bool greatest = combine == Op::kMin;
  if (is_bool(dtype)) return scalar_from_int(dtype, greatest);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return scalar_from_double(dtype, greatest ? kInfinity : -kInfinity);  // saturates for integers
}

namespace {

/// The shortest decimal number that converts back to the same 16-bit float.
std::string half_to_string(const Scalar& value) {
  const double exact = to_double(value);
  if (!std::isfinite(exact)) return cat(exact);
  constexpr int kEnough = 5;  // this many digits distinguish any two 16-bit floats
  double shortest = exact;
  for (int digits = 1; digits <= kEnough; ++digits) {
    char text[32];
    const char* end = std::to_chars(text, text + sizeof text, exact, std::chars_format::scientific, digits - 1).ptr;
    std::from_chars(text, end, shortest);
    if (scalar_from_double(value.dtype, shortest) == value) break;
  }
  return cat(shortest);
}

}  // namespace

std::string to_string(const Scalar& value) {
  if (is_complex(value.dtype)) return cat(to_string(part_of(value, 0)), ", ", to_string(part_of(value, 1)));
  return with_type(value.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>)
      return cat(value.bits[0] != 0);
    else if constexpr (Half<T>)
      return half_to_string(value);
    else
      return cat(value.as<T>());
  });
}

}  // namespace harp
