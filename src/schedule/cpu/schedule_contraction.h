// Chooses the schedules of contractions: register tiles and cache blocks for many rows, for few rows (skinny GEMM), and for convolutions.
// Decides for which sizes register tiles are faster than adding one row of products after the other.
#pragma once

#include "base/machine.h"
#include "schedule/contraction.h"

namespace harp {

/// Returns a schedule whose tiles fit the CPU's registers and caches, with vectors of `width` lanes.
Schedule schedule_contraction(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu, int width);
/// Returns a variant for few rows of a product whose number of rows is unknown. Its guard is >= 0 if there are few. Returns nothing if the
/// schedule for many rows is as good for few.
std::optional<Variant> few_rows(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu,
                                int width);
/// If the columns of a contraction are the pixels of lines of unknown length, returns a variant for lines that are so short that the rows
/// (the filters) fill vectors better. Rows and columns are exchanged (exchanged() in schedule/contraction.h). Its guard is >= 0 for such
/// lines. Returns nothing for other contractions.
std::optional<Variant> short_lines(const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu, int width);
/// Tests whether the product may turn out to have at most one block of terms (kChainBlock), whose register tiles go directly to the output.
/// Without an array for the sums of a block, tiles take so little time that they pay for few terms and few columns, too, for which other
/// schedules are chosen where the sizes are known.
bool may_store_tiles(const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu, int width);
/// Returns an expression of the shape variables that is >= 0 if register tiles are faster than adding one row of products after the other;
/// nothing if they never are.
std::optional<Sym> pays(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu, int width);

/// Tests whether the factor is only a view of a loaded array: no element is computed, and no element is padding.
bool is_array(const Program& program, const KernelPlan& kernel, const Node* factor);
/// Tests whether consecutive terms of the factor are contiguous in memory, or the factor does not vary along them. Returns false if several
/// summed axes have a size other than 1.
bool lies_along_terms(const Program& program, const KernelPlan& kernel, const Node* factor);

}  // namespace harp
