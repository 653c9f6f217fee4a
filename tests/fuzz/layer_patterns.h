// Layers one like the other, as a network's are, with arrays of their own: kernels that are equal are one in the code, those that only
// look so are not (lower/equal_kernels.h).
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds some; false: they did not fit.
bool add_layers(Workbench& bench);

}  // namespace harp::fuzz
