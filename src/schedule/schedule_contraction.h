// Schedules of contractions: tiles for registers and blocks for caches, of many rows, few rows, and windows; what a schedule may ask for;
// and where tiles are faster than adding row after row.
#pragma once

#include "base/target.h"
#include "schedule/contraction.h"

namespace harp {

/// Tiles for registers and caches of the target, with vectors of so many lanes.
Schedule schedule_contraction(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Target& target,
                              int width);
/// Sums that may be in registers and in scratch memory at once: what a schedule may ask for.
inline constexpr int64_t kMostRegisterSums = 128, kMostBlockSums = int64_t{1} << 20;
int64_t block_sums(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule);
/// Elements of the columns' factor that are copied at once for all rows: those of a block of columns, for all terms.
inline constexpr int64_t kMostSharedColumns = int64_t{1} << 22;
int64_t shared_columns(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule);
/// Where (>= 0) that is faster than adding row after row: nothing if it never is.
std::optional<Sym> pays(const Program& program, const KernelPlan& kernel, const Contraction& contraction);
/// Is it such a sum, and tiles are faster whatever the sizes? Then it is a kernel of its own.
bool wants_tiles(const Node& reduce);

}  // namespace harp
