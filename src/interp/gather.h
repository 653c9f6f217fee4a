// Evaluates gathers and scatters: an array of indices selects the elements that are read or updated.
#pragma once

#include <optional>

#include "graph/index_fault.h"
#include "interp/array.h"
#include "interp/sizes.h"

namespace harp::interp {

Array evaluate_gather(const Node& node, std::span<const Array> sources, const Sizes& sizes);
Array evaluate_scatter(const Node& node, std::span<const Array> sources, const Sizes& sizes);
/// Evaluates a CheckIndex node: returns the indices unchanged. Throws IndexError if an index is out of range.
Array evaluate_check_index(const Node& node, std::span<const Array> sources, const Sizes& sizes);
/// Returns the first index that is not in -size … size - 1, as a fault whose site is 0. Returns nothing if all indices are valid.
std::optional<IndexFault> first_fault(const Array& indices, int64_t size, const Sizes& sizes);

}  // namespace harp::interp
