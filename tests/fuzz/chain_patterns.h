// Builds chains of operations on batched arrays, where each operation needs all elements of its own batch but no other batch. The scheduler
// can merge the kernels of such a chain (schedule/chain.cpp). Some of the graphs only look like chains, for example because an operation
// also reads another batch.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds a chain of operations to the graph. Returns false if an array would be too large.
bool add_chain(Workbench& bench);
/// Adds a matrix product, operations on each row of it, and another product (schedule/row_blocks.h), or a graph that only looks like that.
/// Returns false if an array would be too large.
bool add_row_by_row(Workbench& bench);

}  // namespace harp::fuzz
