// ArgMax and ArgMin: the index of the first greatest or least element along one axis.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// The index of the first NaN if there is one; 2147483647 if the axis is empty.
Array evaluate_arg_extreme(const Node& node, std::span<const Array> operands, const Sizes& sizes);

}  // namespace harp::interp
