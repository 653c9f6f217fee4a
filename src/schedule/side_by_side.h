// How many vectors of an elementwise kernel go through its operations side by side.
#pragma once

#include "base/target.h"
#include "schedule/program.h"

namespace harp {

/// 1, or more where operations would wait for each other: a processor begins the next vector while it waits, but only if that is within
/// the few hundred instructions it looks ahead. (Eight steps of a Runge-Kutta method, 600 operations: 0.72 of the time.) So do those of a
/// function on a CPU that begins two of them in each cycle.
int vectors_side_by_side(const Program& program, const KernelPlan& kernel, const Target& target, int width);

}  // namespace harp
