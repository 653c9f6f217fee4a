// Makes arguments of the operations that generate random numbers. Their keys and counters must have rank 0, which arrays chosen at random
// seldom have.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Returns random arguments for an operation that generates random numbers. Returns nothing for any other operation.
std::optional<std::vector<Argument>> random_arguments(Workbench& bench, const Operation& row, NodeRef primary);

}  // namespace harp::fuzz
