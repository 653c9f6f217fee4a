// How reductions read rows of memory: how many at a time, and as how many streams.
#pragma once

#include <optional>
#include <span>

#include "base/machine.h"
#include "schedule/cpu/tuning.h"
#include "schedule/program.h"

namespace harp {

/// Returns how many columns of accumulators fill a page. Rows are read in pieces of whole pages of 4 KiB, because the hardware prefetcher
/// fetches whole pages: with narrower pieces half of what it fetches is not needed yet.
int64_t page_tile(std::span<const Node* const> nodes);

/// Returns how a kernel reads rows of memory that it adds to a row of accumulators. Returns nothing if the rows are computed instead of
/// loaded, or if the accumulators fit in registers and each row is read once.
std::optional<RowReads> row_reads(const Program& program, const KernelPlan& kernel, const Schedule& s, const Cpu& cpu);
/// For rows with a schedule from row_reads(): tests whether whole rows may be read in any order. False for sums of products, even of
/// integers (for which any order gives the same bits), because they are read as those of floats are.
bool may_reorder_rows(const KernelPlan& kernel);
/// Returns how to read the rows of a max or min, whose order is free.
RowReads::Reads reads_of_extremes(const Cpu& cpu);

/// Tests whether NaN detection by the invalid flag pays on this CPU: for arrays that are loaded and long enough. Requires
/// may_use_invalid_flag().
bool invalid_flag_pays(const Program& program, const KernelPlan& kernel, const Cpu& cpu);

/// Sets the number of interleaved rows, or of parts of a row, for a lanes-order reduction.
void set_interleaving(const Program& program, const KernelPlan& kernel, const Cpu& cpu, Schedule& s);

}  // namespace harp
