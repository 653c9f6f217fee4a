// How many vectors of an elementwise kernel are interleaved.
#pragma once

#include "base/machine.h"
#include "schedule/program.h"

namespace harp {

/// Returns the number of interleaved vectors. It is more than 1 if the operations of one vector would wait for each other's results, and
/// there are so many that the next vector is beyond the processor's out-of-order window (a few hundred instructions), so that the processor
/// cannot overlap the two by itself. It is also more than 1 for kernels of a few math functions on a CPU that executes two vector
/// multiply-adds a cycle, because one vector does not keep both units busy.
int interleaved_vectors(const Program& program, const KernelPlan& kernel, const Cpu& cpu, int width);

}  // namespace harp
