// Batches that pass through several steps, each of which needs one whole batch and no other: the pattern of kernel chains
// (schedule/chain.cpp). Also similar graphs that are none, for example with a step that reads another batch.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds a chain; returns false if it did not fit.
bool add_chain(Workbench& bench);
/// Adds a matrix product, operations on each row of it, and another product (schedule/row_blocks.h), or a similar graph; returns false if
/// it did not fit.
bool add_row_by_row(Workbench& bench);

}  // namespace harp::fuzz
