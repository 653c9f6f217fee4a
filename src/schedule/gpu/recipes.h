// Recipes for GPUs. A thread of the grid does what one step of a loop over vectors does on a CPU: there are no vectors, no tiles for
// caches, and one variant of a kernel for all sizes. The schedules of kernels:
//
// elementwise [thread, thread simd=4]      A thread takes the elements of one access of 16 bytes, or single elements where they are not
//                                          consecutive in memory.
// reduce [thread, thread_group simd=4]     `lanes` and `rowwise`, for lanes-order reductions (lower/gpu/rows.h): a group of threads takes a
// rowwise [thread, thread_group simd=4]    row. Each thread has simd of the 64 lanes of docs/semantics.md, "Sums", so there are 64 / simd
//                                          threads; fewer for a row that is known to have fewer elements. An argmax or argmin is computed
//                                          in the same way (lower/gpu/arg_extreme.h).
// reduce [thread simd=4, reduce]           `chain`, for chain-order reductions that keep an axis (lower/gpu/columns.h): a thread takes simd
//                                          adjacent columns.
// contraction [thread, thread_group tile=128 unroll=8, thread_group tile=128 unroll=8, reduce tile=8]
//                                          Products (lower/gpu/product.h): a block of threads computes a tile of rows and columns, a thread
//                                          unroll x unroll results of it, from factors that are copied to shared memory by `tile` terms.
//                                          The rows, and the columns, may be several axes; the last one has the tile of all together.
// transpose [thread tile=32, thread_group tile=32]
//                                          For elementwise kernels with loads that are contiguous along another axis than the stores
//                                          (lower/gpu/transpose.h): a group of threads makes a tile, which it copies to shared memory.
// scan [thread, thread_group]              For scans along rows (lower/gpu/scan.h): a group of threads scans a block of a row. Rows of
//                                          several blocks take several kernels (grid_scan.h).
// scatter [thread_group, thread]           For scatters (lower/gpu/scatter.h): one kernel copies the array, another one applies the
//                                          updates, in which a group of threads has a range of the axis.
// all others                               `each`: an iteration of the kernel's thread loop is a thread, which executes the rest of the
//                                          loops by itself. It is right for every kernel and slow for most.
#pragma once

#include <vector>

#include "base/machine.h"
#include "schedule/schedule_program.h"

namespace harp {

std::vector<Variant> variants_of(const Program& program, const KernelPlan& kernel, const Gpu& gpu, const ScheduleOptions& options);
/// Returns the default schedule of a kernel for each recipe of rules_of (legal.h).
std::vector<Schedule> usual_schedules(const Program& program, const KernelPlan& kernel, const Gpu& gpu, const ScheduleOptions& options);

}  // namespace harp
