// Splits reductions from many elements to few values. Their blocks, which docs/semantics.md sums separately anyway ("Sums"), become a
// reduction of their own with one result for each block. Threads divide the blocks, and another reduction combines the block results by the
// same rule as before. The bits stay the same, whichever thread computes a block.
//
// This rewrite runs before fusion: later steps see more reductions, none of them long. On a CPU only reductions that are long for all sizes
// are split, because splitting takes two or three kernels instead of one. On a GPU one thread alone would take too long, so reductions that
// are long only for some sizes are split too.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the most elements that one thread, or one group of threads, reduces in order `order`; longer reductions are split.
int64_t long_length(const FusionLimits& limits, ReduceOrder order);

/// Returns the rewritten graph, or the graph itself if nothing is split.
std::shared_ptr<Graph> split_reductions(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
