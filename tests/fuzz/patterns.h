// Parts of random graphs beyond single operations: the small formulas of real models, and pairs of operations.
#pragma once

#include "fuzz/op_pairs.h"
#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds one formula on nodes of the workbench: a matrix product, a stencil, a convolution, normalised or sorted rows, scans or a table
/// lookup. Returns false if its shapes do not fit or an array would be too large.
bool add_formula(Workbench& bench);
/// Adds a consumer op on the result of a producer op, because an optimiser or a fuser can mishandle the combination of two ops.
bool add_pair(Workbench& bench, const OpPair& pair);
/// Applies an op to its own result (a slice of a slice, a cast of a cast), because optimiser rules match this.
bool add_again(Workbench& bench);

}  // namespace harp::fuzz
