// How much the blocks and tiles of a contraction's schedule hold, and how much they may hold.
#pragma once

#include "schedule/contraction.h"

namespace harp {

/// Limits for legal schedules: sums in registers, and sums in scratch memory. block_sums returns the latter for a schedule.
inline constexpr int64_t kMostRegisterSums = 128, kMostBlockSums = int64_t{1} << 20;
int64_t block_sums(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule);
/// Limit for legal schedules: elements of the columns' factor that are packed at once for all rows. shared_columns returns them for a
/// schedule: those of a block of columns, for all terms.
inline constexpr int64_t kMostSharedColumns = int64_t{1} << 22;
int64_t shared_columns(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule);

}  // namespace harp
