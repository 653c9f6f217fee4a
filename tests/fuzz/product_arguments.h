// Arguments of the operations whose operands have different shapes: matrix products, einsum, convolutions. The other operands are made to
// fit the first one.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Random arguments, with `primary` as one of the arrays. Returns nothing for any other operation.
std::optional<std::vector<Argument>> product_arguments(Workbench& bench, const Operation& row, NodeRef primary);

}  // namespace harp::fuzz
