// Products of unknown sizes that turn out to have a single column: each matrix of a batch times a vector, or the scores of attention with
// one key. A vector of columns would be almost empty, and a tile of vectors along the rows takes as long as several short rows to fill.
#pragma once

#include <optional>

#include "schedule/contraction.h"
#include "schedule/program.h"

namespace harp {

/// Returns the variant of a contraction for one column and at most one block of terms (kChainBlock), which adds the products of several
/// rows at a time, one element of each, and reads both factors in place. Returns nothing if the contraction may not have such sizes, or has
/// them always.
std::optional<Variant> one_column(const Program& program, const KernelPlan& kernel, const Contraction& contraction);

}  // namespace harp
