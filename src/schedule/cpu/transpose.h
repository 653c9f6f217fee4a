// Elementwise kernels whose stores are contiguous along one axis and some of whose loads along another: matrix transposes, alone or with
// further operations, and exchanged axes of images. Row by row they would touch a cache line for every element.
#pragma once

#include <optional>

#include "base/machine.h"
#include "schedule/program.h"

namespace harp {

/// Returns the axis of iteration_space() along which most of the loads that are not contiguous along the last axis are contiguous. Returns
/// nothing if there are no such loads, or if the kernel is not elementwise.
std::optional<size_t> transposed_axis(const Program& program, const KernelPlan& kernel);

/// Tests whether that axis and the last one are long enough.
bool blocks_pay(const KernelPlan& kernel, size_t axis);
/// Returns blocks of that axis and the last one, with vectors of `width` lanes.
Schedule schedule_transpose(const Program& program, const KernelPlan& kernel, size_t axis, int width);
/// The same with non-temporal stores.
Schedule schedule_streamed_transpose(const Program& program, const KernelPlan& kernel, size_t axis, int width, const Cpu& cpu);
/// Limit for legal schedules: elements of a block.
inline constexpr int64_t kMostBlockElements = int64_t{1} << 15;

}  // namespace harp
