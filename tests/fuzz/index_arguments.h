// Arguments for operations that take elements by data, or add to them: indices in range and out of it, negative, computed, none at all.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Nothing for a row without indices.
std::optional<std::vector<Argument>> index_arguments(Workbench& bench, const Operation& row, NodeRef primary);

/// Integers of this shape; about half of them name one of `length` elements, or more.
NodeRef some_indices(Workbench& bench, const Shape& shape, Dim length);

}  // namespace harp::fuzz
