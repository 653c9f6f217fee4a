// Decides how reductions read rows of memory: how many rows at a time, and as how many streams.
#pragma once

#include <optional>
#include <span>

#include "base/machine.h"
#include "schedule/cpu/tuning.h"
#include "schedule/program.h"

namespace harp {

/// Returns the number of columns whose accumulators fill a page of 4 KiB. Long rows are read in pieces of that many columns, because the
/// hardware prefetcher fetches whole pages. If the pieces were half as wide, half of the prefetched data would not be needed yet.
int64_t page_tile(std::span<const Node* const> nodes);

/// Returns how a kernel reads rows of memory that it adds to a row of accumulators. Returns nothing if the rows are computed instead of
/// loaded, or if the accumulators fit in registers, so that each row is read only once.
std::optional<RowReads> row_reads(const Program& program, const KernelPlan& kernel, const Schedule& s, const Cpu& cpu);
/// Tests whether a kernel to which row_reads() applies may combine whole rows in any order. False for sums of products: although any order
/// gives the same bits for integers, products of integers are read in the same order as products of floats.
bool may_reorder_rows(const KernelPlan& kernel);
/// Returns how to read the rows of a max or min, which may be combined in any order.
RowReads::Reads reads_of_extremes(const Cpu& cpu);

/// Tests whether it pays on this CPU to detect NaN by the floating-point flag for invalid operations. The arrays must be loaded, not
/// computed, and long enough. False if may_use_invalid_flag() is false.
bool invalid_flag_pays(const Program& program, const KernelPlan& kernel, const Cpu& cpu);

/// Sets in `s` how many rows, or how many parts of one row, a lanes-order reduction (docs/semantics.md, "Sums") interleaves.
void set_interleaving(const Program& program, const KernelPlan& kernel, const Cpu& cpu, Schedule& s);

}  // namespace harp
