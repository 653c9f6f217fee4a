// Sorting of the elements of rows.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

Array evaluate_argsort(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_sort(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
