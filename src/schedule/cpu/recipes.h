// Recipes for CPUs: vectors and register tiles, blocks for the caches, and the array sizes above which memory traffic decides the schedule.
#pragma once

#include <vector>

#include "base/machine.h"
#include "schedule/schedule_program.h"

namespace harp {

/// Returns a kernel's variants: the schedules that are fastest on this CPU, each with the condition on sizes under which it is chosen.
std::vector<Variant> variants_of(const Program& program, const KernelPlan& kernel, const Cpu& cpu, const ScheduleOptions& options);
/// Returns the default schedule of a kernel for each recipe of rules_of (legal.h), whether or not that recipe pays.
std::vector<Schedule> usual_schedules(const Program& program, const KernelPlan& kernel, const Cpu& cpu, const ScheduleOptions& options);

}  // namespace harp
