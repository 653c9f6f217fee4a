// Lowers a scatter for a GPU to two kernels: one copies the array, the other applies the updates. Updates of the same element are applied
// one after the other, in the order of the axis (docs/semantics.md). Therefore the work is divided by elements of the result, not by
// updates.
//
// Sums, maxima and minima of integers do not depend on the order of the updates. The integers have 4 or 8 bytes here, because narrow ones
// are added as i32. So each thread applies one update by an atomic operation. For other updates:
//
// If the updates are sorted by the rows to which they are added (schedule/sorted_scatters.h), those of one row are adjacent. There is a
// thread for each column of each update. If the update before it is of another row, the thread applies all updates of its row to its
// column, one after the other; otherwise it does nothing:
//
//   thread update in 0 .. updates, column in 0 .. columns:
//     if the index of the update before this one is another one, or there is none:
//       declare acc0 = result[index][column]
//       for u in update .. updates:
//         break if the index of u is another one
//         acc0 += the element of u in the column
//       result[index][column] = acc0
//
// Otherwise, if the indices select whole rows (all elements behind the scatter axis have the same index), the axis is divided into ranges,
// and each group of threads owns one range. A group reads all indices and applies those updates whose index is in its range; the threads
// of the group update different elements of a row:
//
//   thread block in 0 .. ranges:
//     declare acc0          # shared: for each of 4096 indices, 1 + its row in the range, or 0 if it is in another range
//     declare acc1          # shared: for each run of 32 of these indices, whether one of them is in the range
//     for chunk in 0 .. indices / 4096:
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
// Otherwise each thread has one index of the axes in front of the scatter axis and one of the axes behind it, and applies all updates along
// the scatter axis.
#pragma once

#include "lower/lower.h"

namespace harp::lower {

/// Tests whether this schedule lowers the scatter to the two kernels below: the axis of the updates has the kind thread_group.
bool scatters_by_groups(const KernelPlan& plan, const Schedule& schedule);
/// Lowers the first kernel, which copies the array to the result.
void lower_scatter_copy(KernelContext& context);
/// Lowers the second kernel, which applies the updates.
void lower_scatter_updates(KernelContext& context);

}  // namespace harp::lower
