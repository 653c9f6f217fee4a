// Lowers sorts and Fourier transforms for GPUs to one kernel for each phase.
#pragma once

#include "lower/lower.h"
#include "schedule/grid_routine.h"

namespace harp::lower {

/// Lowers one phase of a routine to a kernel. The routine is the only node of the kernel plan.
void lower_phase(KernelContext& context, const GridRoutine& whole, const RoutinePhase& phase);

}  // namespace harp::lower
