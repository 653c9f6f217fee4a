// Cuts matrices that are computed and used row by row (the scores of attention: a product, a softmax, another product) into blocks of rows,
// which become the first axis. Kernels that then run block by block (chain.cpp) pass each block on in the caches, and the whole matrix,
// which may be far larger than memory, never exists.
//
// This is a rewrite of the graph before fusion. Rows are independent and each is computed as before, so the bits do not change.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/chain.h"

namespace harp {

/// Returns the rewritten graph, or the graph itself if nothing is cut.
std::shared_ptr<Graph> cut_into_row_blocks(std::shared_ptr<Graph> graph, const ChainOptions& options, const FusionLimits& limits);

}  // namespace harp
