// Products of unknown sizes that turn out to have at most one block of terms, and any number of columns. Register tiles then go directly to
// the output, without an array for the sums of a block, and read the rows' factor in place. Without such arrays and copies, tiles take so
// little time that they pay for few terms and few columns, too, for which other schedules are chosen where the sizes are known.
#pragma once

#include <optional>

#include "schedule/contraction.h"
#include "schedule/program.h"

namespace harp {

/// Returns the variant of a contraction for at most one block of terms (kChainBlock), whose guard is nullopt if it suits all sizes. Returns
/// nothing if no such variant is needed.
std::optional<Variant> one_block(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu,
                                 int width);

}  // namespace harp
