// Elementwise nodes and conversions: one loop an op and dtype over the runs of the operands.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// Sources have the node's shape or rank 0.
Array evaluate_elementwise(const Node& node, std::span<const Array> sources, const Sizes& sizes);

/// From any dtype to any: by value, truncating and saturating (cast), or by bits (bitcast).
Array evaluate_cast(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_bitcast(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
