// Chooses the schedules of kernels on CPUs: vector widths, register tiles, cache blocks, and the array sizes above which memory traffic
// decides.
#pragma once

#include <vector>

#include "base/machine.h"
#include "schedule/schedule_program.h"

namespace harp {

/// Returns the variants of a kernel: the schedules that are fastest on this CPU, each with the condition on sizes under which generated
/// code selects it.
std::vector<Variant> variants_of(const Program& program, const KernelPlan& kernel, const Cpu& cpu, const ScheduleOptions& options);
/// Returns a default schedule of the kernel for each recipe (Template) that can lower it (rules_of() in legal.h), even if that recipe is
/// slower than others.
std::vector<Schedule> usual_schedules(const Program& program, const KernelPlan& kernel, const Cpu& cpu, const ScheduleOptions& options);

}  // namespace harp
