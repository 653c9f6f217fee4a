// What graphs are made of beyond single rows of the op table: the small formulas of real models, and pairs of operations.
#pragma once

#include "fuzz/op_pairs.h"
#include "fuzz/workbench.h"

namespace harp::fuzz {

/// A matrix product, a stencil, a convolution, rows that are normalised or sorted, scans or a table that is looked up, over what is on the
/// bench. Says whether something was added.
bool add_formula(Workbench& bench);
/// One op over the result of another: what an optimiser or a fuser gets wrong about two ops shows when these meet.
bool add_pair(Workbench& bench, const OpPair& pair);
/// The same op over what it gave: a slice of a slice, a cast of a cast. Optimiser rules look for these.
bool add_again(Workbench& bench);

}  // namespace harp::fuzz
