// Joins products of slices of one array with one other array: x[0] @ w, x[1] @ w, ... become slices of x @ w. Each product of few rows
// reads all of w, which takes longer than the arithmetic; the joined product reads w once. Example: the first product of each step of a
// recurrent network. Joining does not change how an element is computed, so no bits change.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> join_products(const Graph& graph);
/// True if the pass may replace this node.
bool may_join_products(const Node& node);

}  // namespace harp::opt
