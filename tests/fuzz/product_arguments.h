// Arguments of the rows whose operands have shapes of their own: matrix products, einsum, convolutions. The other operands are made to
// go with the first one.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/workbench.h"
#include "graph/operations.h"

namespace harp::fuzz {

/// Arguments for the row with `primary` among its arrays; nothing if the row is none of these.
std::optional<std::vector<Argument>> product_arguments(Workbench& bench, const Operation& row, NodeRef primary);

}  // namespace harp::fuzz
