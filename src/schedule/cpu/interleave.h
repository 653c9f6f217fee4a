// How many vectors of an elementwise kernel are interleaved.
#pragma once

#include "base/machine.h"
#include "schedule/program.h"

namespace harp {

/// Returns the number of interleaved vectors: more than 1 if operations would wait for each other. A processor overlaps the next vector by
/// itself only if that is within its out-of-order window of a few hundred instructions. The same holds for the operations of a math
/// function on a CPU that issues two of them in each cycle.
int interleaved_vectors(const Program& program, const KernelPlan& kernel, const Cpu& cpu, int width);

}  // namespace harp
