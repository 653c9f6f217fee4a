// Elementwise kernels whose stores are contiguous along one axis and some of whose loads along another: matrix transposes, alone or with
// further operations, and exchanged axes of images. Row by row they would touch a cache line for every element.
#pragma once

#include "base/machine.h"
#include "schedule/program.h"

namespace harp {

/// Tests whether the two axes of a transpose, `axis` (from transposed_axis()) and the last one, are long enough for blocks.
bool blocks_pay(const KernelPlan& kernel, size_t axis);
/// Returns blocks of that axis and the last one, with vectors of `width` lanes.
Schedule schedule_transpose(const Program& program, const KernelPlan& kernel, size_t axis, int width, const Cpu& cpu);
/// Returns blocks for a transpose with non-temporal stores.
Schedule schedule_streamed_transpose(const Program& program, const KernelPlan& kernel, size_t axis, int width, const Cpu& cpu);

}  // namespace harp
