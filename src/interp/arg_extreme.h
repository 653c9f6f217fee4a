// Evaluates ArgMax and ArgMin nodes: the index of the first greatest or least element along one axis.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// Returns, for each row along the reduced axis, the index of its first greatest (or least) element, or of its first NaN if it has one. If
/// the axis is empty, every index is 2147483647.
Array evaluate_arg_extreme(const Node& node, std::span<const Array> operands, const Sizes& sizes);

}  // namespace harp::interp
