// The legal schedules of a kernel, as data. Overrides are checked against it, the tuner searches it and the fuzzer samples it, so all three
// use the same space.
#pragma once

#include <string_view>

#include "schedule/program.h"

namespace harp {

struct AxisRules {
  AxisKind kind = AxisKind::kSequential;
  bool threads = false;                // the axis may also be of kind thread
  bool groups = false;                 // it may also be of kind thread_group
  int64_t min_tile = 0, max_tile = 0;  // min_tile 0: a tile is optional; max_tile 0: no tile is allowed
  int max_unroll = 1;
  int max_lanes = 1;  // any power of two up to it
  bool pack = false;
};

struct ScheduleRules {
  Template recipe;
  std::vector<AxisRules> axes;
  bool has_inner_loop = false;  // whether there is an inner loop that `partition` and `overlap` affect
  bool may_stream = false, may_defer_stores = false, may_prefetch = false, may_use_invalid_flag = false;
};

/// Returns the rules for each recipe that can lower the kernel; the recipe it was fused for comes first.
std::vector<ScheduleRules> rules_of(const Program& program, const KernelPlan& kernel);
/// Throws Error{kInvalidArgument}, which names the rule that `where` ("kernel_3") breaks. Besides rules_of, it limits the size of tiles and
/// blocks.
void check_legal(const Program& program, const KernelPlan& kernel, const Schedule& schedule, std::string_view where);

/// Returns the recipe that a kernel was fused for.
Template recipe_of(const KernelPlan& kernel);
/// Returns the axis of a kernel's schedule that may have simd; none if the result is -1 or an axis that the schedule does not have.
int vector_axis(const KernelPlan& kernel);
/// Tests whether a schedule with the recipe elementwise unrolls short axes (kernel_structure.h): it does if the kernel reduces, if its
/// vectors do not run along the last axis, or if another axis has unroll. The axes behind the vectors are then unrolled, and those before
/// it that have unroll.
bool unrolls_axes(const KernelPlan& kernel, const Schedule& schedule);
/// Returns the axis that may be of kind thread. Usually the first axis that is not scanned. Routine: the first axis, if there are rows.
/// Scatter: the first axis, if it comes before the scatter axis (otherwise each thread would read all indices). Native call: none. -1:
/// none.
int thread_axis(const KernelPlan& kernel);

inline constexpr int kMaxLanes = 64;  // bytes of the widest register of any target; also the lanes of the law
inline constexpr int kMaxPipelinedGroups = 32;
inline constexpr int kMaxUnroll = 64;
inline constexpr int kMaxRowStreams = 8, kMaxParts = 4;
inline constexpr int kMaxInterleaved = 4;     // interleaved vectors of an elementwise kernel
inline constexpr int64_t kMaxTile = 1 << 16;  // a tile of a chain has one accumulator for every element

}  // namespace harp
