// Arguments of the operations that take an expression as text: custom_elementwise and custom_reduce, with random expressions.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Random arguments, with `primary` as one of the arrays. Returns nothing for operations that take no expression.
std::optional<std::vector<Argument>> expression_arguments(Workbench& bench, const Operation& row, NodeRef primary);

}  // namespace harp::fuzz
