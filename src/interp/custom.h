// Evaluates custom functions: the body is evaluated once for each element, for all results that are in use.
#pragma once

#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

/// Evaluates several results of one call. Throws IndexError if the index of a load or store is out of bounds. If several are, the error is
/// that of the lowest site number (the number of the index check), at the lowest element for which it fails.
std::vector<Array> evaluate_results(std::span<const Node* const> results, std::span<const Array> sources, const Sizes& sizes);
/// Evaluates one result.
Array evaluate_custom(const Node& node, std::span<const Array> sources, const Sizes& sizes);

}  // namespace harp::interp
