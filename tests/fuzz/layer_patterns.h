// Builds similar layers with different arrays, as in a neural network. Kernels that are equal except for their arrays must be generated
// only once, and kernels that differ in a detail must stay separate (lower/equal_kernels.h).
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds some layers to the graph. Returns false if an array would be too large.
bool add_layers(Workbench& bench);

}  // namespace harp::fuzz
