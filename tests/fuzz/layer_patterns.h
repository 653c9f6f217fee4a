// Similar layers with different arrays, as in a neural network. Equal kernels must be generated once; kernels that only look equal must
// stay separate (lower/equal_kernels.h).
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds some layers. Returns false if an array would be too large.
bool add_layers(Workbench& bench);

}  // namespace harp::fuzz
