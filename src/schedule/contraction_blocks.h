// Decides how contractions use register tiles and cache blocks: which reductions are large enough for register tiles, how many elements
// the tiles and blocks of a schedule contain, and the limits for these numbers.
#pragma once

#include <initializer_list>
#include <optional>

#include "schedule/contraction.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns an expression of the shape variables that is >= 0 if all of these are, and is 0 if this is known when the program is compiled.
/// Returns nothing if one of them never is.
std::optional<Sym> all_nonnegative(std::initializer_list<Sym> conditions);
/// Returns an expression of the shape variables that is >= 0 if there are enough rows, columns and terms for register tiles to pay
/// (`limits`). Returns nothing if there never are.
std::optional<Sym> fills_tiles(const Node& reduce, const Contraction& contraction, const FusionLimits& limits);
/// Returns an expression of the shape variables that is >= 0 if the product has too few columns for register tiles, but so many rows that
/// tiles pay with rows and columns exchanged (exchanged() in contraction.h). An example is a layer of a network with two results. Returns
/// nothing if tiles with that exchange never pay.
std::optional<Sym> fills_exchanged_tiles(const Node& reduce, const Contraction& contraction, const FusionLimits& limits);
/// Returns the limits for a contraction of a known number of terms below limits.tile_terms, for which register tiles pay with fewer terms
/// if the tiles are full. Returns nothing for others. `crossed`: the columns' factor B is known to be contiguous along the terms.
std::optional<FusionLimits> limits_of_few_terms(const Node& reduce, const Contraction& contraction, FusionLimits limits,
                                                bool crossed = false);
/// Tests whether the reduction is a contraction that has enough rows, columns and terms for register tiles, for all values of the shape
/// variables.
bool wants_tiles(const Node& reduce, const FusionLimits& limits);
/// Like wants_tiles(), but tests whether there are enough rows, columns and terms for some values of the shape variables, or a known number
/// of columns is so small that rows and columns are exchanged. Such a reduction gets a kernel without other reductions, because a kernel of
/// several reductions has no register tiles. For small sizes this costs one more pass; for large sizes tiles are many times as fast.
bool may_want_tiles(const Node& reduce, const FusionLimits& limits);

/// The largest number of elements that the overlapping windows of a block may read if these elements are copied to scratch memory together
/// (lower/windows.h). If they are more, each window is copied on its own.
inline constexpr int64_t kMaxCopiedWindows = int64_t{1} << 17;

/// Limits that legal schedules obey: a tile has at most kMaxRegisterSums sums in registers, and a block has at most kMaxBlockSums sums in
/// scratch memory. block_sums() returns the number of sums of a block for a schedule.
inline constexpr int64_t kMaxRegisterSums = 128, kMaxBlockSums = int64_t{1} << 20;
int64_t block_sums(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule);
/// Returns the number of rows of a cache block of a contraction that has an axis of rows.
int64_t block_rows(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule);
/// Limit that every legal schedule obeys: the largest number of elements of the columns' factor B that are packed at once and shared by all
/// rows. shared_columns() returns that number for a schedule: the columns of a block, for all members of a group
/// (Contraction::group_position), times all terms.
inline constexpr int64_t kMaxSharedColumns = int64_t{1} << 22;
int64_t shared_columns(const KernelPlan& kernel, const Contraction& contraction, const Schedule& schedule);

}  // namespace harp
