// Describes vector types of C: the vector extension of gcc and clang, and what the target's instructions can do with such vectors.
//
// A vector of bools is a mask. In general it is a vector of integers, 0 or -1 in each lane, as wide as the compared elements. Under AVX-512
// it is an integer with one bit per lane. `bits` is the number of bits per lane.
#pragma once

#include <string>
#include <string_view>

#include "render/c/types.h"
#include "render/kernel/unit.h"

namespace harp::render {

/// The value of `bits` for a mask that is an integer with one bit per lane.
inline constexpr int kOneBitALane = 1;

/// Returns the type of a variable, for example "float" or "f32x16". For a vector of bools it is a mask with 32 bits per lane. This function
/// and the ones below also declare the type in the generated source.
std::string value_type(Unit& unit, DType dtype, int lanes);
/// Returns the type of a vector in memory. A pointer to it may alias any other type, and needs only the alignment of an element.
std::string memory_vector(Unit& unit, DType dtype, int lanes);
std::string mask_type(Unit& unit, int bits, int lanes);
/// Declares a vector type whose element type is not a dtype, such as `long long`.
std::string declare_vector(Unit& unit, const std::string& name, std::string_view element, int element_bytes, int lanes);

/// Returns the alignment in bytes of an array on the stack. It is the size of a vector register, because accesses to accumulators that
/// straddle two cache lines are up to four times slower. The result is 0 (no alignment) if the array is smaller than any vector, or with
/// RenderOptions::plain_text.
int64_t stack_alignment(const Unit& unit, DType dtype, int64_t elements);

/// Tests whether masks with this many lanes are integers with one bit per lane.
bool has_bit_masks(const RenderOptions& options, int lanes);
/// Tests whether the machine has a masked load and a masked store for these vectors whose mask has one bit per lane.
bool has_masked_access(const RenderOptions& options, DType dtype, int lanes);
/// Tests whether one instruction loads such a vector with a mask that is itself a vector.
bool has_load_by_vector_mask(const RenderOptions& options, DType dtype, int lanes);
/// Tests whether the machine can compare these vectors into a mask with one bit per lane.
bool has_predicates(const RenderOptions& options, DType dtype, int lanes);
/// Returns the number of bits per lane of the mask that is the result of a comparison of these vectors.
int comparison_bits(const RenderOptions& options, DType dtype, int lanes);
/// Tests whether the machine has non-temporal stores for these vectors.
bool has_stream(const RenderOptions& options, DType dtype, int lanes);

/// Returns `count` lane numbers as text: first, first + step and so on, for example "0, 1, 2, 3".
std::string lane_numbers(int first, int count, int step = 1);
/// Returns a C loop that executes the statement once for each lane; the loop variable is `lane`.
std::string loop_over_lanes(std::string_view statement, int lanes);

}  // namespace harp::render
