// Finds the sums of products of integers that are contractions (contraction.h), so that they get register tiles, packed factors and cache
// blocks like those of floats.
//
// Graphs mark only sums of float products (ReduceAttributes::product), because only there the mark changes bits. This is a rewrite before
// fusion that marks those of integers. Addition of integers wraps, so every order of the terms gives the same bits, and a sum by lanes that
// fills register tiles becomes a chain.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the rewritten graph, or the graph itself if nothing changes.
std::shared_ptr<Graph> mark_integer_products(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
