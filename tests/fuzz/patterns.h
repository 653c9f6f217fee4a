// Adds parts to random graphs that are larger than one operation: small formulas as in real models, and pairs of operations.
#pragma once

#include "fuzz/op_pairs.h"
#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds one formula on nodes of the workbench: a matrix product, a stencil, a convolution, normalised or sorted rows, scans or a table
/// lookup. Returns false if its shapes do not fit or an array would be too large.
bool add_formula(Workbench& bench);
/// Adds a node of a producer op and a node of a consumer op that reads it, because the optimiser or the fusion of kernels can mishandle the
/// combination of two ops.
bool add_pair(Workbench& bench, const OpPair& pair);
/// Applies an op to the result of the same op (a slice of a slice, a cast of a cast), because the optimiser has rules for such sequences.
bool add_again(Workbench& bench);

}  // namespace harp::fuzz
