// What a schedule of a kernel may say, as data: overrides are checked against it, the tuner searches it and the fuzzer draws from it, so
// that all three mean the same space.
#pragma once

#include <string_view>

#include "schedule/program.h"

namespace harp {

struct AxisRules {
  AxisKind kind = AxisKind::kSequential;
  bool threads = false;                   // it may be of kind thread instead
  int64_t least_tile = 0, most_tile = 0;  // least 0: there may be none; most 0: there is none
  int most_unroll = 1;
  int most_lanes = 1;  // any power of two up to it
  bool pack = false;
};

struct ScheduleRules {
  Template recipe;
  std::vector<AxisRules> axes;
  bool has_inner_loop = false;  // one that `partition` and `overlap` change
  bool may_stream = false, may_be_late = false, may_ask_ahead = false, may_watch = false;
};

/// What each recipe the kernel can be lowered by may say; the one it was fused for first.
std::vector<ScheduleRules> rules_of(const Program& program, const KernelPlan& kernel);
/// Error{kInvalidArgument} naming the rule that `where` ("kernel_3") breaks. Besides rules_of: tiles and blocks are of limited size.
void check_legal(const Program& program, const KernelPlan& kernel, const Schedule& schedule, std::string_view where);

/// The recipe a kernel is fused for.
Template recipe_of(const KernelPlan& kernel);
/// The axis of a kernel's schedule that may have simd; -1, or one that the schedule does not have: none.
int vector_axis(const KernelPlan& kernel);
/// The axis that may be of kind thread: the first that is not scanned; of a routine the first, if there are rows; of a scatter the first,
/// if it stands before the one that is scattered along (else each thread would read all indices); of a native call none. -1: none.
int thread_axis(const KernelPlan& kernel);

inline constexpr int kMostLanes = 64;  // bytes in the widest register there is, and lanes of the law
inline constexpr int kMostGroupsInTurn = 32;
inline constexpr int kMostUnroll = 64;
inline constexpr int kMostRowsApart = 8, kMostParts = 4;
inline constexpr int kMostSideBySide = 4;      // vectors of an elementwise kernel
inline constexpr int64_t kMostTile = 1 << 16;  // a tile of a chain has an accumulator for every element

}  // namespace harp
