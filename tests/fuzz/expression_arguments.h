// Arguments of the rows that take an expression as text: custom_elementwise and custom_reduce, with random expressions.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Arguments for the row with `primary` among its arrays; nothing if the row is none of these.
std::optional<std::vector<Argument>> expression_arguments(Workbench& bench, const Operation& row, NodeRef primary);

}  // namespace harp::fuzz
