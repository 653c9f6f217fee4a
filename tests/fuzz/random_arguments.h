// Arguments of the rows that draw random numbers: keys and counters of rank 0, which other arguments would hardly ever be.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Arguments for a row that draws random numbers; nothing if it is none.
std::optional<std::vector<Argument>> random_arguments(Workbench& bench, const Operation& row, NodeRef primary);

}  // namespace harp::fuzz
