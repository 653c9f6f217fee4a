// Similar layers with different arrays, as in a network: equal kernels are generated once, kernels that only look equal are not
// (lower/equal_kernels.h).
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds some layers; returns false if they did not fit.
bool add_layers(Workbench& bench);

}  // namespace harp::fuzz
