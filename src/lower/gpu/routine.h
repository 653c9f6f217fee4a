// Sorts and Fourier transforms on GPUs: one kernel for each phase.
#pragma once

#include "lower/lower.h"
#include "schedule/grid_routine.h"

namespace harp::lower {

/// The kernel of one phase of the routine that is the plan's only node.
void lower_phase(KernelContext& context, const GridRoutine& whole, const RoutinePhase& phase);

}  // namespace harp::lower
