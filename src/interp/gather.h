// Elements by data: which one is taken, or added to, is itself a number of an array.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

Array evaluate_gather(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_scatter_add(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
