// Scans along rows on a GPU, in the order of docs/semantics.md ("Scans"): a group of threads scans a block of a row. Rows of several blocks
// take several kernels, the phases of the scan. The elements of a row are level 0; the totals of blocks of a level are the elements of the
// next one, up to the level that is a single block:
//
//   totals 0, totals 1, …       from the first level on: the total of each block
//   values 1, values 0          from the last level down: the running values, each block starting from the running value of the level
//                               above before it; those of level 0 are the results
//
// Totals and running values of the levels above 0 are in a buffer of the workspace (KernelPlan::scratch), level by level.
#pragma once

#include <vector>

#include "schedule/program.h"

namespace harp {

struct GridScan {
  std::vector<Dim> counts;  // items of a row on each level
  Dim rows = 1;
  int64_t scans = 1;  // scans of the kernel, each of which has totals and running values

  /// Where the totals or running values of scan number `scan` begin in the buffer, in elements. `level` > 0.
  Dim totals(size_t level, int64_t scan) const { return start(level) + size(level) * scan; }
  Dim values(size_t level, int64_t scan) const { return start(level) + size(level) * (scans + scan); }
  /// Elements of the buffer.
  Dim elements() const { return start(counts.size()); }

 private:
  Dim size(size_t level) const { return ceil_div(rows * counts[level], 64) * 64; }  // arrays begin at multiples of 64 bytes
  Dim start(size_t level) const;
};

GridScan grid_scan(const KernelPlan& kernel);
/// Tests whether this schedule of a scan is for groups of threads: the scanned axis is of kind thread_group.
bool scans_by_groups(const KernelPlan& kernel, const Schedule& schedule);
/// Gives each kernel that scans by groups, in several phases, its buffer. After expand(), before plan_memory().
void add_scan_buffers(Program& program);

}  // namespace harp
