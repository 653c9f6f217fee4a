// Elementwise nodes and conversions: one loop for each op and dtype. A loop processes one run of the operands' elements (array.h,
// for_each_run).
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// The sources have the node's shape or rank 0.
Array evaluate_elementwise(const Node& node, std::span<const Array> sources, const Sizes& sizes);

/// Computes one element. `sources` point to elements of `dtype` (to a bool for the condition of a where); the result has the op's result
/// dtype.
void compute_element(Op op, DType dtype, std::span<const std::byte* const> sources, std::byte* result);

/// Converts n elements. Source elements are `step` apart; result elements are contiguous.
using ConvertLoop = void (*)(std::byte* result, const std::byte* source, int64_t step, int64_t n);
ConvertLoop cast_loop(DType from, DType to);

/// Converts from any dtype to any other: cast converts the value (truncating and saturating), bitcast reinterprets the bits.
Array evaluate_cast(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_bitcast(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
