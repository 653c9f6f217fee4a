// Plans scans on a GPU, in the order of docs/semantics.md ("Scans"). A "row" here consists of the elements along the scanned axis,
// whichever axis that is. A group of threads scans one block of a row (lower/gpu/scan.h), or one block of several rows that are neighbours
// in memory (lower/gpu/scan_columns.h). A row of several blocks takes several kernels, which are the phases of the scan. The elements of a
// row are level 0. The totals of the blocks of one level are the elements of the next level, up to a level that is a single block. The last
// block of a row has no total, because no block comes after it:
//
//   totals 0, totals 1, …       from level 0 up: compute the total of each block but the last
//   values 1, values 0          from the last level down: compute the running values of each block, starting from the running value on the
//                               level above of all blocks before it; the running values of level 0 are the results
//
// A buffer of the workspace (KernelPlan::scratch) contains the totals and running values of the levels above 0, one level after the other.
#pragma once

#include <vector>

#include "schedule/program.h"

namespace harp {

struct GridScan {
  std::vector<Dim> counts;  // for each level: the number of its elements in a row; level 1 has none if the row is a single block
  Dim rows = 1;
  int64_t scans = 1;  // number of scans of the kernel; each has its own totals and running values

  /// Return the position, in elements of the buffer, at which the totals (or the running values) of scan number `scan` on level `level`
  /// begin. The level must be above 0.
  Dim totals(size_t level, int64_t scan) const { return start(level) + size(level) * scan; }
  Dim values(size_t level, int64_t scan) const { return start(level) + size(level) * (scans + scan); }
  /// Returns the number of elements of the buffer.
  Dim elements() const { return start(counts.size()); }

 private:
  Dim size(size_t level) const { return ceil_div(rows * counts[level], 64) * 64; }  // a multiple of 64 elements, so that arrays are aligned
  Dim start(size_t level) const;
};

GridScan grid_scan(const KernelPlan& kernel);
/// Tests whether groups of threads execute a scan with this schedule: the scanned axis is of kind thread_group.
bool scans_by_groups(const KernelPlan& kernel, const Schedule& schedule);
/// Adds a scratch buffer to each kernel whose scan is executed by groups of threads in several phases. Call it after expand() and before
/// plan_memory().
void add_scan_buffers(Program& program);

}  // namespace harp
