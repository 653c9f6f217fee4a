// Defines Scalar, one element of any dtype, stored as bits. It is used for constants, pad values and identities of reductions.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "ops/dtype.h"
#include "ops/ops.h"

namespace harp {

/// 16 bytes suffice for an element of every dtype. Bytes beyond size_of(dtype) are 0, so equal Scalars have equal bits.
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

/// A type that can represent every value of i64 and u64, the widest integers of a program.
using WideInt = __int128;

/// Convert a value to dtype by the cast rules of docs/semantics.md: conversion to integers truncates and saturates, conversion to floats
/// rounds to nearest. If dtype is complex, the imaginary part is 0.
Scalar scalar_from_double(DType dtype, double value);
Scalar scalar_from_int(DType dtype, WideInt value);
/// complex_scalar() returns re + im·i for two values of dtype f32 or f64. part_of() returns re (part 0) or im (part 1).
Scalar complex_scalar(const Scalar& re, const Scalar& im);
Scalar part_of(const Scalar& value, int part);
/// Converts a real value to double. A bool becomes 0 or 1; i64 and u64 are rounded.
double to_double(const Scalar& value);
/// True if the dtype can represent the integer. Always true for float and complex dtypes, which may round the integer.
bool int_fits(DType dtype, WideInt value);
/// Returns the identity element of a reduction or scan: 0 for Sum, 1 for Prod, the smallest value for ReduceMax (-inf for floats), the
/// largest value for ReduceMin.
Scalar identity_of(Op op, DType dtype);
/// Prints the value in the text format: "0.5", "-inf", "true", "-3"; a complex number as "1, -2". Floats are printed as the shortest
/// decimal that reads back as the same value.
std::string to_string(const Scalar& value);

}  // namespace harp
