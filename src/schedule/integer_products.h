// Finds the sums of products of integers that are contractions (contraction.h), so that they get register tiles, packed factors and cache
// blocks as contractions of floats do.
//
// In a graph, only sums of products of floats are marked as such (ReduceAttributes::product), because the mark changes the result bits only
// for floats. This rewrite, which runs before fusion, marks sums of products of integers too. Addition of integers wraps, so every order of
// the terms gives the same bits. Therefore a lanes-order sum that fills register tiles may become a chain-order sum.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the graph in which those sums of products of integers that can be computed as contractions are marked, or the graph itself if
/// there are none.
std::shared_ptr<Graph> mark_integer_products(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
