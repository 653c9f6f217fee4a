// Chooses the schedules of kernels on GPUs. A thread of the grid computes what one iteration of a loop over vectors computes on a CPU.
// There are no vectors and no tiles for caches; `simd` is the number of adjacent elements that one thread computes (elements_of_thread.h).
// Except for products, a kernel has one variant for all sizes. The schedules, as print() shows them:
//
// elementwise [thread, thread simd=4]      A thread computes the elements of one access of 16 bytes, or single elements if they are not
//                                          consecutive in memory.
// reduce [thread, thread_group simd=4]     For lanes-order reductions (lower/gpu/rows.h); rowwise if there are several passes. A group of
// rowwise [thread, thread_group simd=4]    threads reduces one row. Each thread computes simd of the 64 lanes of docs/semantics.md,
//                                          "Sums", so a group has 64 / simd threads; fewer if the row is known to have fewer elements. An
//                                          argmax or argmin is computed in the same way (lower/gpu/arg_extreme.h).
// reduce [thread simd=4, reduce]           For chain-order reductions that keep an axis (lower/gpu/columns.h): a thread reduces simd
//                                          adjacent columns.
// reduce [thread, thread_group]            For chain-order reductions of few columns (lower/gpu/group_columns.h): a group of threads
//                                          reduces up to 32 adjacent ones together.
// contraction [thread, thread_group tile=128 unroll=8, thread_group tile=128 unroll=8, reduce tile=8]
//                                          For products (lower/gpu/product.h): a block of threads computes a tile of rows and columns, and
//                                          each thread computes unroll x unroll results of it. Factors are copied to shared memory, `tile`
//                                          terms of the last axis at a time. The rows, and the columns, may be several axes; the last axis
//                                          of each has the size of the tile. With split=256 or split=65536 on the last axis, the terms are
//                                          split into slices (product_slices.h). With stages=2 or stages=4 there, asynchronous copies bring
//                                          the terms of later steps to shared memory.
// transpose [thread tile=32, thread_group tile=32]
//                                          For elementwise kernels whose loads are contiguous along another axis than the stores
//                                          (lower/gpu/transpose.h): a group of threads computes a tile, which it copies to shared memory.
// scan [thread, thread_group]              For scans along rows (lower/gpu/scan.h): a group of threads scans a block of a row. A row of
//                                          several blocks takes several kernels (grid_scan.h).
// scan [thread_group, thread]              For scans along columns that are not short (lower/gpu/scan_columns.h): a group of threads scans
//                                          a block of several columns. Columns of several blocks take several kernels, too.
// scatter [thread_group, thread]           For scatters (lower/gpu/scatter.h): one kernel copies the array, another one applies the
//                                          updates. In the latter, each group of threads updates one range of the axis. (Integers that
//                                          may be updated in any order have no groups: each thread applies one update.)
// all others                               Each iteration of the kernel's thread loop is executed by one thread, which also executes the
//                                          inner loops. Every kernel can run in this way, but most run slowly.
#pragma once

#include <vector>

#include "base/machine.h"
#include "schedule/schedule_program.h"

namespace harp {

std::vector<Variant> variants_of(const Program& program, const KernelPlan& kernel, const Gpu& gpu, const ScheduleOptions& options);
/// Returns a default schedule of the kernel for each recipe (Template) that can lower it (rules_of() in legal.h).
std::vector<Schedule> usual_schedules(const Program& program, const KernelPlan& kernel, const Gpu& gpu, const ScheduleOptions& options);

}  // namespace harp
