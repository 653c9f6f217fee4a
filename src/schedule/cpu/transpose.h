// Schedules for elementwise kernels whose stores are contiguous along one axis, while some of their loads are contiguous along another
// axis: matrix transposes, alone or with further operations, and images whose axes are exchanged. Such kernels are computed in blocks. Row
// by row, they would touch another cache line for every element.
#pragma once

#include "base/machine.h"
#include "schedule/program.h"

namespace harp {

/// Tests whether the two axes of a transpose, `axis` (from transposed_axis()) and the last one, are long enough for blocks to pay.
bool blocks_pay(const KernelPlan& kernel, size_t axis);
/// Returns the schedule that computes a transpose in blocks of `axis` and the last axis, with vectors of `width` lanes.
Schedule schedule_transpose(const Program& program, const KernelPlan& kernel, size_t axis, int width, const Cpu& cpu);
/// Like schedule_transpose(), but with non-temporal stores.
Schedule schedule_streamed_transpose(const Program& program, const KernelPlan& kernel, size_t axis, int width, const Cpu& cpu);

}  // namespace harp
