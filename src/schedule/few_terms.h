// Finds reductions of a known, small number of terms that are combined one after the other (chain order, docs/semantics.md, "Sums"):
// pooling, small stencils, sums of a few rows. A single expression can compute each result, without accumulators in memory. The kernel is
// then lowered like an elementwise kernel (lower/elementwise.cpp).
#pragma once

#include <optional>

#include "schedule/program.h"

namespace harp {

/// The largest number of terms for which a single expression computes a result. The expression has one load and one operation for each
/// term.
inline constexpr int64_t kMaxExpressionTerms = 64;

/// Returns the number of terms of each result if a single expression can compute it. The expression of a later pass contains the results of
/// earlier passes, as in the gradient of a max pool, which counts the elements that are equal to the max. Returns nothing if the number is
/// unknown or above kMaxExpressionTerms, if the kernel stores values for every term, or if a reduction does not combine its terms one after
/// the other.
std::optional<int64_t> expression_terms(const KernelPlan& kernel);

}  // namespace harp
