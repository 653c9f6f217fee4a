// Pools, continued borders and reductions of few terms: kernels that one expression computes for each result (schedule/few_terms.h), rows
// with short borders, and gathers at computed positions (lower/positions.h).
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds one of these on a new array; returns false if it did not fit.
bool add_windows(Workbench& bench);

}  // namespace harp::fuzz
