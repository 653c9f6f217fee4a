// Custom functions: the body is walked once for each element of the result.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// IndexError where a load is outside its array: the fault of the lowest site, and there of the lowest element.
Array evaluate_custom(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
