// Scatters on a GPU, in two kernels: one copies the array, the other applies the updates. Updates of the same element are applied one after
// the other, in the order of the axis (docs/semantics.md). So work is divided by elements of the result, not by updates.
//
// If the indices select whole rows (all elements behind the axis have the same index), the axis is cut into ranges. A group of threads has
// a range. It goes through all indices, and applies those updates that are for its range; each thread has other elements of a row:
//
//   thread block in 0 .. ranges:
//     declare acc0, acc1                                    # shared: for 4096 indices, 1 + the row in the range, or 0 for another range;
//     for chunk in 0 .. indices / 4096:                     # and for each 32 of them whether there is any
//       group t: 16 indices: set acc0
//       barrier
//       group t: if t < 128: set acc1[t] to the largest of 32 elements of acc0
//       barrier
//       group t:
//         for run in 0 .. 128: if acc1[run] > 0:
//           for index in 0 .. 32: if acc0[32 * run + index] > 0:
//             for column in t .. columns in steps of 256: apply the update
//       barrier
//
// Otherwise each thread has one index behind the axis, and applies the updates along the axis.
#pragma once

#include "lower/lower.h"

namespace harp::lower {

/// Tests whether this schedule of a scatter is for these kernels: the axis of the updates is of kind thread_group.
bool scatters_by_groups(const KernelPlan& plan, const Schedule& schedule);
/// The first kernel: copies the array to the result.
void lower_scatter_copy(KernelContext& context);
/// The second kernel: applies the updates.
void lower_scatter_updates(KernelContext& context);

}  // namespace harp::lower
