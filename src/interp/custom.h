// Custom functions: the body is evaluated once for each element of the result.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// Throws IndexError if a load is out of bounds. The fault is that of the lowest site and, for that site, of the lowest element.
Array evaluate_custom(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
