// Scans along rows on a GPU (schedule/gpu/grid_scan.h): each group of threads takes a block of a row to shared memory and scans it there.
//
//   thread block in 0 .. rows * blocks:
//     declare acc0, acc1, acc2, acc3                        # shared: the elements, quad totals, group totals, and carries of a block
//     group t: 16 elements, those that neighbouring threads have are neighbours: set acc0[256 * step + t] to load x[…]
//     barrier
//     group t: 4 quads of elements: scan each quad in place; its total goes to acc1
//     barrier
//     group t: if t < 64: scan the quad totals of group t of 64 elements; set acc1 to the totals before each quad, acc2 to the group's
//     total barrier group t: if t == 0: set acc3 to the carries of the 64 groups, one after the other; a phase of totals stores the last
//     one barrier group t: 16 elements: store y[…] = acc0[256 * step + t] + (carry of its group + total before its quad)
//
// The order of operations is that of docs/semantics.md, "Scans". Quad totals of a group begin 17 elements apart, so that no two threads of
// a warp access the same bank of the shared memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lower/lower.h"

namespace harp::lower {

/// One kernel of a scan.
struct ScanPhase {
  bool totals = false;         // it computes the totals of blocks; otherwise running values
  size_t level = 0;            // of the elements that it scans
  std::string name;            // for comments
  std::optional<Sym> guard{};  // it runs only if this is >= 0; none: always
};

/// The kernels that make up a scan by groups, in order.
std::vector<ScanPhase> scan_phases(const KernelPlan& plan);
void lower_scan_phase(KernelContext& context, const ScanPhase& phase);

}  // namespace harp::lower
