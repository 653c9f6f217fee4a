// Two movement nodes of one kind in a row become one (permute∘permute, slice∘slice, pad∘pad with one value …), and those that
// move nothing go. Elements only change places, so bits stay whatever the dtype.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> compose_views(const Graph& graph);
/// Is it a node that the pass may replace?
bool may_compose_views(const Node& node);

}  // namespace harp::opt
