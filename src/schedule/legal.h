// States the rules for legal schedules of a kernel, as data. Overrides are checked against the rules, the tuner searches the schedules that
// they permit, and the fuzzer samples them, so that all three use the same set of schedules.
#pragma once

#include <string_view>

#include "schedule/program.h"

namespace harp {

struct AxisRules {
  AxisKind kind = AxisKind::kSequential;
  bool threads = false;  // whether the schedule may give the axis the kind thread instead of `kind`
  bool groups = false;   // whether the schedule may give the axis the kind thread_group instead of `kind`
  // Smallest and largest tile. If min_tile is 0, the schedule may leave the tile unset; if max_tile is 0, it must leave it unset.
  int64_t min_tile = 0, max_tile = 0;
  int max_unroll = 1;
  // Maximum number of vector lanes or, on a GPU, of adjacent elements of one thread (elements_of_thread.h). Every power of two up to this
  // number is legal.
  int max_lanes = 1;
  bool pack = false;
  bool split = false;  // whether the schedule may set `split` and `stages` of this axis
};

struct ScheduleRules {
  Template recipe;
  std::vector<AxisRules> axes;
  // Whether the recipe has an inner loop, to which the options `partition` and `overlap` of a schedule apply. Without such a loop they have
  // no effect.
  bool has_inner_loop = false;
  bool may_stream = false, may_defer_stores = false, may_prefetch = false, may_use_invalid_flag = false, may_compute_half = false;
};

/// Returns the rules for each recipe (Template) that can lower the kernel. The first is recipe_of(kernel).
std::vector<ScheduleRules> rules_of(const Program& program, const KernelPlan& kernel);
/// Adapts the rules of a contraction to the schedule. `recipes` is the result of rules_of(). If the schedule computes the contraction with
/// rows and columns exchanged (as_contraction() in contraction.h), its rules are replaced by those for the exchanged contraction.
void adapt_rules(const Program& program, const KernelPlan& kernel, const Schedule& schedule, std::vector<ScheduleRules>& recipes);
/// Throws Error{kInvalidArgument} if the schedule breaks a rule of rules_of(), or if its tiles and blocks are too large. The message names
/// the rule and begins with `where` (for example "kernel_3").
void check_legal(const Program& program, const KernelPlan& kernel, const Schedule& schedule, std::string_view where);
/// Like check_legal(), but for variant number `v` of the kernel. The guards of this variant and of the variants before it determine for
/// which sizes it runs (Variant). Also throws if the schedule cannot compute all these sizes: without `split`, a tile of a product on a GPU
/// can sum at most kMaxProductTerms terms.
void check_variant(const Program& program, const KernelPlan& kernel, size_t v, const Schedule& schedule, std::string_view where);

/// Returns the recipe that follows from what the kernel computes (a reduction, a scan, ...). Other recipes may be faster for some kernels.
Template recipe_of(const KernelPlan& kernel);
/// Returns the index in Schedule::axes of the axis that may have vectors (simd > 1). If the result is -1, or is not the index of an axis of
/// the schedule, no axis may have vectors.
int vector_axis(const KernelPlan& kernel);
/// Tests whether an elementwise schedule unrolls short axes (UnrolledAxes in kernel_structure.h). If the kernel scans or reduces, it does,
/// unless one expression can compute each result of the reductions (few_terms.h). Otherwise it does if a kept axis before the last one has
/// vectors or is unrolled. The unrolled axes are then all kept axes after the one with vectors, the kept axes before it whose `unroll` is
/// above 1, and the reduced axes.
bool unrolls_axes(const KernelPlan& kernel, const Schedule& schedule);
/// Returns the axis that may be of kind thread; -1: none. Usually that is the first axis that is not scanned. For a routine it is the first
/// axis, if there are rows. For a scatter it is the first axis, if that comes before the scatter axis; otherwise each thread would have to
/// read all indices. A native call has no such axis.
int thread_axis(const KernelPlan& kernel);

// Maximum number of lanes of a vector: the widest register has 64 bytes, and a lanes-order reduction has 64 lanes.
inline constexpr int kMaxLanes = 64;
inline constexpr int kMaxPipelinedGroups = 32;
inline constexpr int kMaxUnroll = 64;
inline constexpr int kMaxRowStreams = 8, kMaxParts = 4;
inline constexpr int kMaxInterleaved = 4;  // maximum number of interleaved vectors of an elementwise kernel
// Maximum number of elements of a tile of columns in a chain-order reduction or scan (docs/semantics.md). Each element has an accumulator
// in memory.
inline constexpr int64_t kMaxTile = 1 << 16;

}  // namespace harp
