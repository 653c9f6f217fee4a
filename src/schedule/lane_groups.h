// Reductions in lanes order whose vectors run across the rows (kernel_structure.h, may_have_lane_columns()): whether the 64 lanes of each
// row are combined and folded in registers, group by group. The lanes of a group are those that the first steps of the fold combine: with
// 64 lanes and groups of 8, lanes 0, 8, 16 … 56 are the first group. The elements of a group are read as at least 8 streams of memory, and
// each group leaves one value for each row, of which the last steps of the fold make the result.
#pragma once

#include "schedule/program.h"

namespace harp {

/// kLanesOfGroup: the lanes of a group; a vector of each is in a register. kMaxGroupedTerms: the largest number of elements of a row, for
/// which a group has 32 elements in each iteration of its loop.
inline constexpr int64_t kLanesOfGroup = 8, kMaxGroupedTerms = 256;

/// Tests whether the kernel, whose vectors run across its rows, combines groups of lanes in registers.
bool has_lane_groups(const KernelPlan& kernel);

}  // namespace harp
