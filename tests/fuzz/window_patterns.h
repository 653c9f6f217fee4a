// Pools, padded borders and reductions of few terms. They make three kinds of code: kernels that compute each result by one expression
// (schedule/few_terms.h), rows with short borders, and gathers at computed positions (lower/positions.h).
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds one of these on a new array. Returns false if it could not be built or an array would be too large.
bool add_windows(Workbench& bench);

}  // namespace harp::fuzz
