// Makes arguments of the operations whose operands have different shapes: matrix products, einsum, convolutions. The other operands are
// made to fit the first one.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Returns random arguments for the operations of product_arguments.cpp. Returns nothing for any other operation.
std::optional<std::vector<Argument>> product_arguments(Workbench& bench, const Operation& row, NodeRef primary);

}  // namespace harp::fuzz
