// Tiles and blocks of contractions: which reductions are large enough to be tiled, how many elements a schedule's tiles and blocks contain,
// and the limits for these numbers.
#pragma once

#include "schedule/contraction.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the condition (>= 0) that there are at least as many rows, columns and terms as register tiles need to pay (`limits`); nothing
/// if it never holds.
std::optional<Sym> fills_tiles(const Node& reduce, const Contraction& contraction, const FusionLimits& limits);
/// Tests whether the reduction is a contraction that fills tiles whatever the sizes. It then has its own kernel.
bool wants_tiles(const Node& reduce, const FusionLimits& limits);

/// Most elements that overlapping windows read for a block and that are copied to scratch memory together (lower/windows.h). If they are
/// more, each window is copied on its own.
inline constexpr int64_t kMaxCopiedWindows = int64_t{1} << 17;

/// Limits that legal schedules obey: most sums in the registers of a tile, and most sums of a block in scratch memory. block_sums returns
/// the latter number for a schedule.
inline constexpr int64_t kMaxRegisterSums = 128, kMaxBlockSums = int64_t{1} << 20;
int64_t block_sums(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule);
/// Limit that legal schedules obey: most elements of the columns' factor that are packed at once for all rows. shared_columns returns that
/// number for a schedule: a block of columns times all terms.
inline constexpr int64_t kMaxSharedColumns = int64_t{1} << 22;
int64_t shared_columns(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule);

}  // namespace harp
