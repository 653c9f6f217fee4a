// ArgMax and ArgMin: where the greatest or least element along one axis first stands.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// The first NaN stands before every number; 2147483647 where the axis is empty.
Array evaluate_place(const Node& node, std::span<const Array> operands, const Sizes& sizes);

}  // namespace harp::interp
