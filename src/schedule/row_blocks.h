// Cuts matrices that are computed and used row by row into blocks of rows, which become the first axis. An example is the matrix of
// attention scores: a product computes it, a softmax and another product use it. The kernels can then run block by block (chain.cpp) and
// pass each block on in the caches, so that the whole matrix, which may be far larger than memory, is never stored.
//
// This is a rewrite of the graph before fusion. The rows are independent of each other and each is computed as before, so the bits do not
// change.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/chain.h"

namespace harp {

/// Returns the graph in which large matrices that are computed and used row by row are cut into blocks of rows, or the graph itself if no
/// matrix is cut.
std::shared_ptr<Graph> cut_into_row_blocks(std::shared_ptr<Graph> graph, const ChainOptions& options, const FusionLimits& limits);

}  // namespace harp
