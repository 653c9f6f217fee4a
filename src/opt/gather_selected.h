// sum(where(arange == i, x, 0)) along an axis is element i of x, or 0 if i is out of range. If it is computed as written, all of x is read
// to add zeros. Classification losses select the element of the target class in this form (graph/class_losses.cpp), because its gradient
// needs no scatter. This pass runs after gradients are built, and replaces such a sum by a gather that loads one element per row.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> gather_selected(const Graph& graph);
/// True if the pass may replace this node.
bool may_gather_selected(const Node& node);

}  // namespace harp::opt
