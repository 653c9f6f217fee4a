// Splits reductions from many elements to few values. Their blocks, which docs/semantics.md sums separately anyway ("Sums"), become a
// reduction of their own with a value for each block. Threads divide the blocks, and the block results are combined by the same rule as
// before: the same bits in the same order, whichever thread computed them.
//
// This is a rewrite before fusion: later steps see more reductions, none of them long. On a CPU only reductions that are long whatever the
// sizes are split, because this takes two or three kernels instead of one. On a GPU one thread would take too long by itself, so those that
// may be long for some sizes are split too.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the most elements that one thread, or one group of threads, reduces in this order; longer reductions are split.
int64_t long_length(const FusionLimits& limits, ReduceOrder order);

/// Returns the rewritten graph, or the graph itself if nothing is split.
std::shared_ptr<Graph> split_reductions(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
