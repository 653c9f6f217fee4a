// Batches that go through one step after the other, each of which needs the whole of a batch and nothing of another: what kernels are
// chained for (schedule/chain.cpp), and what looks like it, such as a step that reads another batch.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds one; false: it did not fit.
bool add_chain(Workbench& bench);
/// A product of matrices, whatever is made of it row by row, and another product (schedule/row_blocks.h), and what looks like it; the same.
bool add_row_by_row(Workbench& bench);

}  // namespace harp::fuzz
