// Decides whether reductions of few terms are computed by one expression per result (schedule/few_terms.h).
#pragma once

#include <optional>

#include "schedule/program.h"

namespace harp {

/// Returns the elementwise schedule of a kernel whose reductions are expressions, with vectors of `width` lanes along the last kept axis.
/// Requires that expression_terms() returns a number.
Schedule schedule_few_terms(const KernelPlan& kernel, int width);
/// Tests whether that schedule is faster than rows of accumulators.
bool expressions_pay(const Program& program, const KernelPlan& kernel);

}  // namespace harp
