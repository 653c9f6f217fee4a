// Chooses a schedule for matrix products of unknown sizes, which may turn out to have many rows but few columns.
#pragma once

#include "base/machine.h"
#include "schedule/contraction.h"

namespace harp {

/// A product of unknown sizes may have many rows, but too few columns for register tiles (pays() in schedule_contraction.h). Returns a
/// variant for such sizes in which rows and columns are exchanged (exchanged() in schedule/contraction.h), so that vectors run along the
/// many rows. Returns nothing if the variant would never run, or if it would not be faster. `width`: lanes of a vector.
std::optional<Variant> narrow_product(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu,
                                      int width);

}  // namespace harp
