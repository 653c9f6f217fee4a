// Finds the sums of products of integers that are contractions (contraction.h), so that they get register tiles, packed factors and cache
// blocks like those of floats.
//
// Graphs mark only sums of float products (ReduceAttributes::product), because only for floats the mark changes bits. This rewrite, which
// runs before fusion, marks sums of integer products too. Addition of integers wraps, so every order of the terms gives the same bits; a
// lanes-order sum that fills register tiles can therefore become a chain.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the rewritten graph, or the graph itself if nothing changes.
std::shared_ptr<Graph> mark_integer_products(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
