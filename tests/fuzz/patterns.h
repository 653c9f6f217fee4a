// What graphs are made of beyond single rows of the op table: the small formulas of real models, and pairs of operations drawn evenly.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// A matrix product, a stencil, a convolution or a normalisation over what is on the bench. Says whether something was added.
bool add_formula(Workbench& bench);
/// One op over the result of another, drawn from legal_pairs(): what an optimiser or a fuser gets wrong about two ops shows when these
/// meet.
bool add_pair(Workbench& bench);
/// The same op over what it gave: a slice of a slice, a cast of a cast. Optimiser rules look for these.
bool add_again(Workbench& bench);

}  // namespace harp::fuzz
