// Arguments for gathers and scatters: indices in range and out of range, negative, computed, or an empty array of them.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Returns nothing for operations without indices.
std::optional<std::vector<Argument>> index_arguments(Workbench& bench, const Operation& row, NodeRef primary);

/// Integers of this shape; about half of them or more are valid indices of `length` elements.
NodeRef some_indices(Workbench& bench, const Shape& shape, Dim length);

}  // namespace harp::fuzz
