// Chooses arguments of the operations that take an expression as text: custom_elementwise and custom_reduce, with random expressions.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Returns random arguments for the operation, with `primary` as one of the arrays. Returns nothing if the operation takes no expression.
std::optional<std::vector<Argument>> expression_arguments(Workbench& bench, const Operation& row, NodeRef primary);

}  // namespace harp::fuzz
