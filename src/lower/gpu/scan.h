// Lowers scans along rows for a GPU (schedule/gpu/grid_scan.h): each group of threads copies a block of a row to shared memory and scans it
// there.
//
//   thread block in 0 .. rows * blocks:
//     declare acc0, acc1, acc2, acc3                  # shared: the elements, quad totals, group totals and carries of a block
//     group t:                                        # each thread loads 16 elements; neighbouring threads load neighbouring elements
//       set acc0[256 * step + t] to load x[…]
//     barrier
//     group t:                                        # each thread scans 4 quads in place
//       set acc1 to the totals of the quads
//     barrier
//     group t: if t < 64:                             # thread t scans the quad totals of group t of 64 elements
//       set acc1 to the total before each quad, acc2 to the total of the group
//     barrier
//     group t: if t == 0:                             # one thread combines the totals of the 64 groups, one after the other
//       set acc3 to the carry of each group           # a phase of totals stores the last carry instead, and ends here
//     barrier
//     group t:                                        # each thread stores 16 elements
//       store y[…] = acc0[256 * step + t] + (carry of its group + total before its quad)
//
// The order of operations is that of docs/semantics.md, "Scans". In shared memory, the quad totals of consecutive groups begin 17 elements
// apart, so that no two threads of a warp access the same bank.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lower/lower.h"

namespace harp::lower {

/// One phase of a scan by groups of threads. Such a scan takes one or more phases, each of which is a kernel (schedule/gpu/grid_scan.h).
struct ScanPhase {
  bool totals = false;         // true: the phase computes the totals of blocks; false: it computes running values
  size_t level = 0;            // level of the items that the phase scans
  std::string name;            // for comments
  std::optional<Sym> guard{};  // the phase runs only if guard >= 0; nullopt: always
};

/// Returns the phases of a scan by groups of threads, in the order of execution.
std::vector<ScanPhase> scan_phases(const KernelPlan& plan);
void lower_scan_phase(KernelContext& context, const ScanPhase& phase);

}  // namespace harp::lower
