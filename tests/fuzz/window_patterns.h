// Builds pooling, padding and reductions of few terms. These operations test three kinds of kernels: kernels that compute each result by a
// single expression (schedule/few_terms.h), kernels that treat the padded border of each row separately, and gathers at computed positions
// (lower/positions.h).
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds pooling, padding or a reduction of few terms, on a new array. Returns false if it could not be built or an array would be too
/// large.
bool add_windows(Workbench& bench);

}  // namespace harp::fuzz
