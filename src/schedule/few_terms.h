// Reductions of a known, small number of terms in chain order: pools, small stencils, sums of a few rows. One expression per result can
// compute them, without accumulators in memory; the kernel is then lowered like an elementwise one (lower/elementwise.cpp).
#pragma once

#include <optional>

#include "schedule/program.h"

namespace harp {

/// Most terms of such a reduction. Its expression has one load and one operation for each term.
inline constexpr int64_t kMaxExpressionTerms = 64;

/// Returns the number of terms if one expression can compute each result of the kernel's reductions. Returns nothing if the number is
/// unknown or large, if the kernel makes several passes or stores values for every term, or if a reduction has another order.
std::optional<int64_t> expression_terms(const KernelPlan& kernel);

}  // namespace harp
