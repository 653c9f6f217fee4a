// Arguments of custom_function: bodies with loops, branches and loads at any index, none of which is outside its array.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Nothing if the row is another one, or the array's dtype is complex.
std::optional<std::vector<Argument>> body_arguments(Workbench& bench, const Operation& row, NodeRef primary);

}  // namespace harp::fuzz
