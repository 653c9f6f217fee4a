// Finds contractions whose result is symmetric: products of a matrix with its own transpose, C = X·Xᵀ, also for each of several batches.
//
// C[i, j] and C[j, i] are then sums of the same products in the same order. fma(a, b, c) = fma(b, a, c), so their bits are equal, whatever
// the dtype (the bits of NaNs are not defined, docs/semantics.md). It suffices to compute the blocks up to the diagonal (Schedule::half).
#pragma once

#include "schedule/contraction.h"

namespace harp {

/// Tests whether the result of the contraction is symmetric, because the columns' factor B is the rows' factor A with rows and columns
/// exchanged. Compares the expressions of both factors; returns false also for a symmetric result that this comparison does not recognise.
bool is_symmetric(const Node& reduce, const Contraction& contraction);
/// Tests whether generated code may compute only half of the contraction (Schedule::half). It must be symmetric. The sums must be in memory
/// before they are stored, so there must be more than one block of terms. Members of a group and windows are not supported.
bool may_compute_half(const Node& reduce, const Contraction& contraction);

}  // namespace harp
