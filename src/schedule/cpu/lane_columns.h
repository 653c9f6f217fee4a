// Chooses schedules for reductions in lanes order whose vectors run across the rows, either because elements of adjacent rows are adjacent
// in memory, or because rows of unknown length may have only a few elements (lower/reduce_lane_columns.cpp).
#pragma once

#include <optional>

#include "schedule/program.h"

namespace harp {

/// Returns a variant of the kernel in which each vector contains one element of each of `width` rows. Its guard is the condition on sizes
/// under which this is faster than vectors along the rows; without a guard, it is faster for all sizes. Returns nothing if it never is.
std::optional<Variant> lane_columns(const Program& program, const KernelPlan& kernel, const Cpu& cpu, int width);

}  // namespace harp
