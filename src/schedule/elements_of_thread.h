// The setting `simd` of a schedule for a GPU (AxisSchedule::simd_width). The threads of a GPU have no vectors: `simd` is there the number
// of adjacent elements of an axis that one thread computes. Where they are consecutive in memory, the thread loads and stores them by wide
// accesses. Generated code tests at run time whether the addresses allow that, and computes the elements after the last whole group of
// them one by one, so every power of two up to the limits below gives the same bits for all sizes. One axis may have it:
//
//   elementwise       the last axis, if threads of the grid compute it (ir/group_accesses.h)
//   reduce, rowwise   lanes order: the reduced axis, if a group of threads reduces each row (lower/gpu/rows.h, lower/gpu/arg_extreme.h)
//                     chain order: the last kept axis, whose indices are the columns, if each thread reduces columns of its own
//                     (lower/gpu/columns.h); not for an argmax or argmin
//
// In all other kernels a thread computes one element at a time. (A product says by `unroll` how many results each thread computes.)
#pragma once

#include <string_view>

#include "schedule/program.h"

namespace harp {

/// Limits that every legal schedule for a GPU obeys, so that the elements of a thread stay in its registers: the most elements of an
/// elementwise kernel that it computes (of 8-bit elements they fill one access), and the most lanes of a row, or columns, that it reduces.
inline constexpr int kMaxElementsTogether = 16, kMaxElementsOfThread = 8;

/// Returns the largest legal `simd` on a GPU of a schedule whose recipe is recipe_of(kernel); 1: no axis may have more.
int most_elements_of_thread(const KernelPlan& kernel);

/// Throws Error{kInvalidArgument} if an axis of a schedule for a GPU has `simd`, but is lowered, because of the kinds of the axes, in a way
/// that does not give several of its elements to one thread. Requires that the schedule obeys the rules for its axes (rules_of() in
/// legal.h). The message begins with `where`.
void check_elements_of_thread(const KernelPlan& kernel, const Schedule& schedule, std::string_view where);

}  // namespace harp
