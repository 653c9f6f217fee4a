// Joins adjacent sources of a concat that are consecutive slices of one array: concat(x[0:2], x[2:5], y) becomes concat(x[0:5], y). Single
// elements can be joined even if they are not adjacent in the array, because a slice may have any step, also a negative one. Example: the
// gradient of a weight that every step of a recurrent network uses contains such a concat, whose sources are the inputs of the steps.
// Without this pass, all inputs would be copied. Joining only changes how elements are found, so no bits change. The pass expects that
// compose_views has merged consecutive movement nodes.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> join_slices(const Graph& graph);
/// True if the pass may replace this node.
bool may_join_slices(const Node& node);

}  // namespace harp::opt
