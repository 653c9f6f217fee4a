// Decides whether a reduction of few terms computes each result by a single expression (schedule/few_terms.h).
#pragma once

#include <optional>

#include "schedule/program.h"

namespace harp {

/// Returns the schedule with which a single expression computes each result of the kernel's reductions: an elementwise schedule with
/// vectors of `width` lanes along the last axis that is not reduced. Requires that expression_terms() returns a number.
Schedule schedule_few_terms(const KernelPlan& kernel, int width);
/// Tests whether the schedule of schedule_few_terms() is faster than adding terms to rows of accumulators in memory.
bool expressions_pay(const Program& program, const KernelPlan& kernel);

}  // namespace harp
