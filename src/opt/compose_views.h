// Merges two consecutive movement nodes of the same kind into one (permute of permute, slice of slice, pad of pad with the same value …),
// removes movement nodes that move nothing, and replaces an Unfold with windows of one element by a slice, so that a convolution with a
// 1 x 1 kernel becomes a plain matrix product. Movement only changes the positions of elements, so no bits change.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> compose_views(const Graph& graph);
/// True if the pass may replace this node.
bool may_compose_views(const Node& node);

}  // namespace harp::opt
