// The legal schedules of a kernel, as data. Overrides are checked against it, the tuner searches it and the fuzzer samples it, so all three
// use the same space.
#pragma once

#include <string_view>

#include "schedule/program.h"

namespace harp {

struct AxisRules {
  AxisKind kind = AxisKind::kSequential;
  bool threads = false;                // the axis may be of kind thread instead of its usual kind
  bool groups = false;                 // the axis may be of kind thread_group instead
  int64_t min_tile = 0, max_tile = 0;  // min_tile 0: the schedule may leave the tile unset; max_tile 0: no tile is allowed
  int max_unroll = 1;
  int max_lanes = 1;  // most vector lanes: any power of two up to this is legal
  bool pack = false;
};

struct ScheduleRules {
  Template recipe;
  std::vector<AxisRules> axes;
  bool has_inner_loop = false;  // whether the recipe has an inner loop, which `partition` and `overlap` affect
  bool may_stream = false, may_defer_stores = false, may_prefetch = false, may_use_invalid_flag = false;
};

/// Returns the rules for each recipe that can lower the kernel; the recipe it was fused for comes first.
std::vector<ScheduleRules> rules_of(const Program& program, const KernelPlan& kernel);
/// Throws Error{kInvalidArgument} if the schedule breaks a rule of rules_of() or its tiles and blocks are too large. The message names the
/// rule and begins with `where` (for example "kernel_3").
void check_legal(const Program& program, const KernelPlan& kernel, const Schedule& schedule, std::string_view where);

/// Returns the recipe that a kernel was fused for.
Template recipe_of(const KernelPlan& kernel);
/// Returns the axis of a kernel's schedule that may be a vector axis (simd). A result of -1, or of an axis that the schedule does not have,
/// means none.
int vector_axis(const KernelPlan& kernel);
/// Tests whether a schedule with the elementwise recipe unrolls short axes (kernel_structure.h): it does if the kernel reduces, if its
/// vectors do not run along the last axis, or if another axis has unroll. The unrolled axes are those after the axis of the vectors, and
/// those before it that have unroll.
bool unrolls_axes(const KernelPlan& kernel, const Schedule& schedule);
/// Returns the axis that may be of kind thread; -1: none. Usually that is the first axis that is not scanned. For a routine it is the first
/// axis, if there are rows; for a scatter the first axis, if it comes before the scatter axis (otherwise each thread would read all
/// indices); for a native call there is none.
int thread_axis(const KernelPlan& kernel);

inline constexpr int kMaxLanes = 64;  // most lanes of a vector: the bytes of the widest register, and the lanes of a reduction
inline constexpr int kMaxPipelinedGroups = 32;
inline constexpr int kMaxUnroll = 64;
inline constexpr int kMaxRowStreams = 8, kMaxParts = 4;
inline constexpr int kMaxInterleaved = 4;     // most interleaved vectors of an elementwise kernel
inline constexpr int64_t kMaxTile = 1 << 16;  // most elements of a tile in chain order, each of which has an accumulator

}  // namespace harp
