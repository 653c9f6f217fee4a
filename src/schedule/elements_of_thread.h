// Implements the setting `simd` of a schedule for a GPU (AxisSchedule::simd_width). The threads of a GPU have no vectors, so `simd` is not
// a number of lanes, but the number of adjacent elements of an axis that one thread computes. Where these elements are consecutive in
// memory, the thread loads and stores them by wide accesses. Generated code tests at run time whether the addresses allow wide accesses,
// and computes the elements after the last whole group of elements one by one. Therefore every power of two up to the limits below gives
// the same bits for all sizes. At most one axis may have simd > 1:
//
//   elementwise       the last axis, if threads of the grid compute it (ir/group_accesses.h)
//   reduce, rowwise   lanes order: the reduced axis, if a group of threads reduces each row (lower/gpu/rows.h, lower/gpu/arg_extreme.h)
//                     chain order: the last kept axis, whose indices are the columns, if each thread reduces columns of its own
//                     (lower/gpu/columns.h); not for an argmax or argmin
//
// In all other kernels a thread computes one element at a time. (For a product, `unroll` states how many results each thread computes.)
#pragma once

#include <string_view>

#include "schedule/program.h"

namespace harp {

/// Limits that every legal schedule for a GPU obeys, so that the elements of a thread stay in its registers. A thread computes at most
/// kMaxElementsTogether elements of an elementwise kernel (16 elements of 8 bits fill one access), and reduces at most kMaxElementsOfThread
/// lanes of a row, or columns.
inline constexpr int kMaxElementsTogether = 16, kMaxElementsOfThread = 8;

/// Returns the largest `simd` that is legal on a GPU for schedules whose recipe is recipe_of(kernel); 1: every axis must have simd=1.
int most_elements_of_thread(const KernelPlan& kernel);

/// Throws Error{kInvalidArgument} if an axis of a schedule for a GPU has simd > 1, although with these kinds of axes each thread computes
/// only one element of that axis. Requires that the schedule obeys the rules for its axes (rules_of() in legal.h). The message begins with
/// `where`.
void check_elements_of_thread(const KernelPlan& kernel, const Schedule& schedule, std::string_view where);

}  // namespace harp
