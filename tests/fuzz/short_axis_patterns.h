// Arrays with axes of a few elements, as colours, coordinates or classes have them: reductions, passes over rows, transposes and products.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds one; returns false if it did not fit.
bool add_short_axes(Workbench& bench);

}  // namespace harp::fuzz
