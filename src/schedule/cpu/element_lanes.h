// Decides how many lanes the vectors of an elementwise kernel have, where vectors of the usual size are slow.
#pragma once

#include "schedule/program.h"

namespace harp {

/// Returns the number of lanes of the kernel's vectors. Usually it is `usual`, the largest number for which every vector of the kernel fits
/// one register. Returns 1 if the kernel takes single elements by index and does little else. Returns at most kMostColumnLanes (tuning.h)
/// if the kernel stacks arrays of narrow elements, because longer vectors of these would be interleaved element by element.
int lanes_of_elements(const Program& program, const KernelPlan& kernel, int usual);

}  // namespace harp
