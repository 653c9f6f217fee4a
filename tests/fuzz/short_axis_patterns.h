// Builds operations on arrays with axes of a few elements, such as colours, coordinates or classes: reductions, scans, kernels that pass
// over each row several times, transposes, products, and rows that are joined or repeated.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds a reduction, scan, transpose, join or product of an array with a short axis. Returns false if it could not be built or an array
/// would be too large.
bool add_short_axes(Workbench& bench);

}  // namespace harp::fuzz
