// Computes what depends on constants only, by calling the interpreter: scalars, arrays in which every element is the same, and small
// constant arrays. Never makes more data than it replaces. Bits stay, because the interpreter defines them.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> fold_constants(const Graph& graph);
/// Is it a node that the pass may replace?
bool may_fold_constants(const Node& node);

}  // namespace harp::opt
