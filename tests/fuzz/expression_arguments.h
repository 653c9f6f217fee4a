// Arguments of the operations that take an expression as text: custom_elementwise and custom_reduce, with random expressions.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Arguments with `primary` among the arrays; nothing for other operations.
std::optional<std::vector<Argument>> expression_arguments(Workbench& bench, const Operation& row, NodeRef primary);

}  // namespace harp::fuzz
