// Arguments for gathers and scatters: indices in range and out of range, negative, computed, or an empty array of them.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Random arguments. Returns nothing for operations that take no indices.
std::optional<std::vector<Argument>> index_arguments(Workbench& bench, const Operation& row, NodeRef primary);

/// An integer array of this shape. At least about half of its elements are valid indices of an axis with `length` elements.
NodeRef some_indices(Workbench& bench, const Shape& shape, Dim length);

}  // namespace harp::fuzz
