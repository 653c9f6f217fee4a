// sum(where(arange == i, x, 0)) along an axis is element i of x, or 0 where there is none: such a sum goes through all of x to add zeros.
// Losses pick the class's element that way, because the gradient of a sum is not a scatter (graph/nn.cpp); with the gradient there, one
// element a row is loaded instead.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> gather_picked(const Graph& graph);
/// Is it a node that the pass may replace?
bool may_gather_picked(const Node& node);

}  // namespace harp::opt
