// Splits reductions of many elements to few values. docs/semantics.md ("Sums") divides the reduced elements into blocks. The blocks become
// a reduction of their own with one result for each block, and another reduction combines the block results by the same rule. Threads can
// then divide the blocks. The bits stay the same, whichever thread computes a block.
//
// This rewrite runs before fusion, so later steps see more reductions, but no long ones. On a CPU only reductions that are long for all
// values of the shape variables are split, because splitting takes two or three kernels instead of one. On a GPU one thread alone would
// take too long, so reductions that are long only for some values are split too.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the largest number of elements that one thread, or one group of threads, reduces in this order. Longer reductions are split.
int64_t long_length(const FusionLimits& limits, ReduceOrder order);

/// Returns the graph in which long reductions are split into a reduction of blocks and a reduction of the block results, or the graph
/// itself if no reduction is split.
std::shared_ptr<Graph> split_reductions(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
