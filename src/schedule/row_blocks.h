// Matrices that are made row by row and used row by row (the scores of attention: a product, a softmax, another product) are cut into
// blocks of rows, which become the first axis: kernels that are then done in turn for each block (chain.cpp) hand it on in the caches, and
// the whole matrix, which may be far larger than memory has room for, is nowhere.
//
// A step before fusion, on the graph. Rows do not need each other, and each is computed as before: the same bits.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/chain.h"

namespace harp {

/// The graph itself where nothing is cut.
std::shared_ptr<Graph> cut_into_row_blocks(std::shared_ptr<Graph> graph, const ChainOptions& options);

}  // namespace harp
