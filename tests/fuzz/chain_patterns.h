// Chains of steps over batches, where each step reads a whole batch, but only one: such kernels can be chained (schedule/chain.cpp). Some
// of the graphs only look like chains, for example because a step reads another batch as well.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds a chain. Returns false if an array would be too large.
bool add_chain(Workbench& bench);
/// Adds a matrix product, operations on each row of it, and another product (schedule/row_blocks.h), or a graph that only looks like that.
/// Returns false if an array would be too large.
bool add_row_by_row(Workbench& bench);

}  // namespace harp::fuzz
