// Elementwise kernels whose stores lie along one axis and some of whose loads lie along another: a matrix that is transposed, alone or
// with work around it, axes of an image exchanged. Gone through row by row they touch a cache line for every element.
#pragma once

#include <optional>

#include "base/target.h"
#include "schedule/program.h"

namespace harp {

/// The axis of iteration_space() that most of the loads that do not lie along the last axis lie along; nothing: there are none, or the
/// kernel does not go element by element.
std::optional<size_t> transposed_axis(const Program& program, const KernelPlan& kernel);

/// Are that axis and the last one long enough?
bool blocks_pay(const KernelPlan& kernel, size_t axis);
/// Blocks of that axis and the last one, with vectors of so many lanes.
Schedule schedule_transpose(const Program& program, const KernelPlan& kernel, size_t axis, int width);
/// The same past the caches.
Schedule schedule_streamed_transpose(const Program& program, const KernelPlan& kernel, size_t axis, int width, const Target& target);
/// Elements of a block: what a schedule may ask for.
inline constexpr int64_t kMostBlockElements = int64_t{1} << 15;

}  // namespace harp
