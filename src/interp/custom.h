// Evaluates custom functions: the body is executed once for each element of the result.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// Evaluates a custom function. Throws IndexError if an index of a load or store is out of range. If there are several faults, the error
/// reports the one of the index check with the lowest site number and, at that check, of the lowest element.
Array evaluate_custom(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
