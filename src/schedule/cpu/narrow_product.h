// Chooses a schedule for matrix products with many rows but few columns, whose number may be unknown.
#pragma once

#include "base/machine.h"
#include "schedule/contraction.h"

namespace harp {

/// A product may have many rows, but too few columns for register tiles (pays() in schedule_contraction.h). Returns a variant for such
/// sizes in which rows and columns are exchanged (exchanged() in schedule/contraction.h), so that vectors run along the many rows. Its
/// guard is a constant if it is for all sizes. Returns nothing if the variant would never run, or if it would not be faster. `width`: lanes
/// of a vector.
std::optional<Variant> narrow_product(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu,
                                      int width);

}  // namespace harp
