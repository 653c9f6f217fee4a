// Arguments of the operations that generate random numbers: keys and counters of rank 0, which arbitrary arguments would rarely be.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Arguments for an operation that generates random numbers; nothing for other operations.
std::optional<std::vector<Argument>> random_arguments(Workbench& bench, const Operation& row, NodeRef primary);

}  // namespace harp::fuzz
