// Schedules for elementwise kernels whose stores are contiguous along one axis, while some of their loads are contiguous along another
// axis: matrix transposes, alone or with further operations, and other permutations of axes, such as of the channels of an image. Such
// kernels are computed in blocks, because row by row they would access another cache line for every element.
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
