// Recipes for GPUs. A thread of the grid takes what a step of a loop over vectors takes on a CPU: there are no vectors, no tiles for
// caches, and one variant of a kernel for all sizes.
//
// `elementwise`: a thread takes the elements of one access of 16 bytes, or single elements where they are not consecutive in memory.
// `each`, the schedule of all other kernels: an iteration of the kernel's thread loop is a GPU thread, which executes
// the rest of the loops by itself. It is right for every kernel and slow for most.
#pragma once

#include <vector>

#include "base/machine.h"
#include "schedule/schedule_program.h"

namespace harp {

std::vector<Variant> variants_of(const Program& program, const KernelPlan& kernel, const Gpu& gpu, const ScheduleOptions& options);
/// Returns the default schedule of a kernel for each recipe of rules_of (legal.h).
std::vector<Schedule> usual_schedules(const Program& program, const KernelPlan& kernel, const Gpu& gpu, const ScheduleOptions& options);

}  // namespace harp
