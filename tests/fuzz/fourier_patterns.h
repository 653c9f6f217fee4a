// Builds several Fourier transforms of one length in one graph, of arrays with different numbers of columns or rows. The functions that
// generated code calls for a transform depend on the length and on how many columns are next to each other, and transforms of one program
// share them.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds two or three transforms of one length, on arrays of two or three axes. Returns false if an array would be too large.
bool add_transforms(Workbench& bench);

}  // namespace harp::fuzz
