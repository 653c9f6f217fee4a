// Decides how many vectors of an elementwise kernel are interleaved to hide the latency of instructions.
#pragma once

#include "base/machine.h"
#include "schedule/program.h"

namespace harp {

/// Returns the number of vectors whose computations are interleaved; 1: none are. The number is more than 1 in two cases. First, the
/// operations of one vector wait for each other's results, and there are so many of them that the next vector is beyond the processor's
/// out-of-order window (a few hundred instructions): the processor then cannot overlap the two vectors by itself. Second, a kernel of a few
/// math functions runs on a CPU that executes two vector multiply-adds per cycle: one vector alone does not keep both units busy.
int interleaved_vectors(const Program& program, const KernelPlan& kernel, const Cpu& cpu, int width);

}  // namespace harp
