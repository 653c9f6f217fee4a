// Elementwise nodes and conversions: one loop an op and dtype over the runs of the operands.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// Sources have the node's shape or rank 0.
Array evaluate_elementwise(const Node& node, std::span<const Array> sources, const Sizes& sizes);

/// One element: `sources` are elements of `dtype` (the condition of a where is a bool), the result is one of what `op` gives.
void compute_element(Op op, DType dtype, std::span<const std::byte* const> sources, std::byte* result);

/// Converts n elements, `step` of them apart in the source, side by side in the result.
using ConvertLoop = void (*)(std::byte* result, const std::byte* source, int64_t step, int64_t n);
ConvertLoop cast_loop(DType from, DType to);

/// From any dtype to any: by value, truncating and saturating (cast), or by bits (bitcast).
Array evaluate_cast(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_bitcast(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
