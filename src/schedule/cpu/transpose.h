// Elementwise kernels whose stores are contiguous along one axis and some of whose loads are contiguous along another: matrix transposes,
// alone or with further operations, and images whose axes are exchanged. If such a kernel ran row by row, it would touch another cache line
// for every element.
#pragma once

#include "base/machine.h"
#include "schedule/program.h"

namespace harp {

/// Tests whether the two axes of a transpose, `axis` (from transposed_axis()) and the last one, are long enough for blocks.
bool blocks_pay(const KernelPlan& kernel, size_t axis);
/// Returns the schedule of blocks along that axis and the last one, with vectors of `width` lanes.
Schedule schedule_transpose(const Program& program, const KernelPlan& kernel, size_t axis, int width, const Cpu& cpu);
/// Returns the same kind of schedule for a transpose with non-temporal stores.
Schedule schedule_streamed_transpose(const Program& program, const KernelPlan& kernel, size_t axis, int width, const Cpu& cpu);

}  // namespace harp
