// Chooses arguments of custom_function: bodies with loops, branches and loads at computed indices, all within the bounds of the array.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Returns random arguments for custom_function. Returns nothing for any other operation, or if the dtype of `primary` is complex.
std::optional<std::vector<Argument>> body_arguments(Workbench& bench, const Operation& row, NodeRef primary);

}  // namespace harp::fuzz
