// Reductions in lanes order whose vectors run across the rows, because the elements of adjacent rows are adjacent in memory, or because
// rows of unknown length may have only a few elements (lower/reduce_lane_columns.cpp).
#pragma once

#include <optional>

#include "schedule/program.h"

namespace harp {

/// Returns the variant of the kernel with vectors of `width` rows, if these are faster than vectors along the rows for some sizes. Its
/// guard says for which; without a guard, they are for all sizes.
std::optional<Variant> lane_columns(const Program& program, const KernelPlan& kernel, const Cpu& cpu, int width);

}  // namespace harp
