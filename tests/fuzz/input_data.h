// Makes data for the inputs of a test: mostly ordinary numbers, and a share of special values (zeros of both signs, subnormals, NaNs,
// infinities, the least and greatest integers, bool bytes that are neither 0 nor 1). The share differs from input to input, because a NaN
// in every array would hide all other differences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ops/dtype.h"
#include "ops/scalar.h"

namespace harp::fuzz {

/// Returns the special values of a dtype, which must be a dtype that graphs may use.
std::span<const Scalar> special_values(DType dtype);

/// `count` elements for the input called `name`. Equal arguments give equal data, and a longer array begins like a shorter one.
std::vector<std::byte> make_input(uint64_t seed, std::string_view name, DType dtype, int64_t count);

/// Returns `count` elements that are all special values. Each value is repeated `repeats` times in a row; after the last value the first
/// one follows again. If one array has 1 repeat and another has special_values().size(), all pairs of special values occur.
std::vector<std::byte> make_special_input(DType dtype, int64_t count, int64_t repeats);

}  // namespace harp::fuzz
