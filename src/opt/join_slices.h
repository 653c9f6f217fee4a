// Joins neighbouring sources of a concat that are slices of one array and follow each other in it: concat(x[0:2], x[2:5], y) becomes
// concat(x[0:5], y). Single elements of an axis may follow each other at any distance, also backward. Example: the gradient of a weight
// that every step of a recurrent network uses contains such a concat, whose sources are the inputs of the steps. Without this pass it would
// copy all inputs. Joining only changes how elements are found, so every dtype keeps its bits. It expects that compose_views has merged
// consecutive movement nodes.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> join_slices(const Graph& graph);
/// True if the pass may replace this node.
bool may_join_slices(const Node& node);

}  // namespace harp::opt
