// Vector types of C: the vector extension of gcc and clang, and what the target's instructions can do with such vectors.
//
// A vector of bools is a mask. It is a vector of integers, 0 or -1 in each lane, as wide as the compared elements ("bits" is their width);
// under AVX-512 it is an integer with one bit a lane (bits is kOneBitALane).
#pragma once

#include <string>
#include <string_view>

#include "render/c/types.h"
#include "render/kernel/unit.h"

namespace harp::render {

/// The value of "bits" for a mask that is an integer with one bit a lane.
inline constexpr int kOneBitALane = 1;

/// Returns the type of a variable, for example "float" or "f32x16"; a vector of bools is a mask of 32 bits a lane. Also declares the type
/// in the generated source, as the functions below do.
std::string value_type(Unit& unit, DType dtype, int lanes);
/// Returns the type of a vector in memory. It may alias everything and requires only the alignment of its elements.
std::string memory_vector(Unit& unit, DType dtype, int lanes);
std::string mask_type(Unit& unit, int bits, int lanes);
/// Declares a vector type whose elements have no dtype, such as `long long`.
std::string declare_vector(Unit& unit, const std::string& name, std::string_view element, int element_bytes, int lanes);

/// Returns the alignment that an array on the stack gets: the bytes of a vector register, because accumulators that straddle two cache
/// lines are up to four times slower. The result is 0 if the array is smaller than any vector, or with RenderOptions::plain_text.
int64_t stack_alignment(const Unit& unit, DType dtype, int64_t elements);

/// Tests whether masks of this many lanes are integers with one bit a lane.
bool has_bit_masks(const RenderOptions& options, int lanes);
/// Tests whether the machine has a masked load for such vectors, with one mask bit a lane.
bool has_masked_load(const RenderOptions& options, DType dtype, int lanes);
/// Tests whether the machine compares such vectors into masks of one bit a lane.
bool has_predicates(const RenderOptions& options, DType dtype, int lanes);
/// Returns the bits of the mask that a comparison of such vectors produces.
int comparison_bits(const RenderOptions& options, DType dtype, int lanes);
/// Tests whether the machine has non-temporal stores for such vectors.
bool has_stream(const RenderOptions& options, DType dtype, int lanes);

/// Returns a list of lane numbers, for example "0, 1, 2, 3".
std::string lane_numbers(int first, int count, int step = 1);
/// Returns a C loop that executes the statement for each `lane`.
std::string loop_over_lanes(std::string_view statement, int lanes);

}  // namespace harp::render
