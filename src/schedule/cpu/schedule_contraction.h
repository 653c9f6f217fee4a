// Schedules of contractions: register tiles and cache blocks for many rows, few rows, and windows; limits for schedules; and when tiles are
// faster than adding row after row.
#pragma once

#include "base/machine.h"
#include "schedule/contraction.h"

namespace harp {

/// Returns tiles for the CPU's registers and caches, with vectors of `width` lanes.
Schedule schedule_contraction(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu, int width);
/// Limits for legal schedules: sums in registers, and sums in scratch memory. block_sums returns the latter for a schedule.
inline constexpr int64_t kMostRegisterSums = 128, kMostBlockSums = int64_t{1} << 20;
int64_t block_sums(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule);
/// Limit for legal schedules: elements of the columns' factor that are packed at once for all rows. shared_columns returns them for a
/// schedule: those of a block of columns, for all terms.
inline constexpr int64_t kMostSharedColumns = int64_t{1} << 22;
int64_t shared_columns(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule);
/// Returns the condition (>= 0) under which tiles are faster than adding row after row; nothing if they never are.
std::optional<Sym> pays(const Program& program, const KernelPlan& kernel, const Contraction& contraction);
/// Tests whether the reduction is a contraction for which tiles are faster whatever the sizes. It then has its own kernel.
bool wants_tiles(const Node& reduce);

}  // namespace harp
