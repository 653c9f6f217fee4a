// Batches that go through one step after the other, each of which needs the whole of a batch and nothing of another: what kernels are
// chained for (schedule/chain.cpp), and what looks like it, such as a step that reads another batch.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds one; false: it did not fit.
bool add_chain(Workbench& bench);

}  // namespace harp::fuzz
