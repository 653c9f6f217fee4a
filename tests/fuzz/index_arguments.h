// Chooses arguments for gathers and scatters: arrays of indices that are in range, out of range, negative or computed, and empty arrays of
// indices.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Returns random arguments for the operation. Returns nothing if the operation takes no indices.
std::optional<std::vector<Argument>> index_arguments(Workbench& bench, const Operation& row, NodeRef primary);

/// Returns an integer array of this shape. In half of the cases its elements are arbitrary. Otherwise many of them are valid indices of an
/// axis with `length` elements.
NodeRef some_indices(Workbench& bench, const Shape& shape, Dim length);

}  // namespace harp::fuzz
