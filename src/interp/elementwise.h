// Evaluates elementwise nodes and conversions. There is one loop for each op and dtype. It processes a sequence of elements that are
// equally far apart in memory (for_each_run in array.h).
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// Evaluates an elementwise node. Each source has the node's shape or rank 0.
Array evaluate_elementwise(const Node& node, std::span<const Array> sources, const Sizes& sizes);

/// Computes a single element. `sources` are the addresses of its operands of dtype `dtype` (the condition of a where is a bool); the result
/// is stored at `result` with the op's result dtype.
void compute_element(Op op, DType dtype, std::span<const std::byte* const> sources, std::byte* result);

/// Converts n elements. Source elements are `step` elements apart; result elements are contiguous.
using ConvertLoop = void (*)(std::byte* result, const std::byte* source, int64_t step, int64_t n);
ConvertLoop cast_loop(DType from, DType to);

/// Conversions between any two dtypes: cast converts the value (float to integer truncates and saturates), bitcast reinterprets the bits.
Array evaluate_cast(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_bitcast(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
