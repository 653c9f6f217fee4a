// Replaces operations along an axis that is known to have one element by what they give for that element. A scan along such an axis gives
// its source, an argsort gives zeros, and a gather by zeros gives the array itself. The loops of these operations are made for long axes:
// for each element of a unit axis they would process a whole group.
//
// Runs before sort_values, so that a sort of single elements, which is a gather by an argsort, disappears altogether.
#pragma once

#include <memory>

#include "graph/graph.h"

namespace harp::opt {

std::unique_ptr<Graph> fold_unit_axes(const Graph& graph);
/// True if the pass may replace this node.
bool may_fold_unit_axes(const Node& node);

}  // namespace harp::opt
