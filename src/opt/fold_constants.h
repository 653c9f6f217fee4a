// Evaluates nodes that depend only on constants, by calling the interpreter: scalars, arrays whose elements are all equal, and small
// constant arrays. A result is never larger than the largest constant that it replaces. Results have the same bits as without the pass,
// because the interpreter defines them.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> fold_constants(const Graph& graph);
/// True if the pass may replace this node.
bool may_fold_constants(const Node& node);

}  // namespace harp::opt
