// Decides when an argmax or argmin down columns of unknown number gets a variant for fewer columns than a vector has lanes.
#pragma once

#include <optional>

#include "schedule/program.h"

namespace harp {

/// Returns the variant of `usual`, the schedule of such a kernel, for fewer columns than lanes: each row is one masked vector
/// (ir/masked_remainder.cpp), and the best values of all columns stay in a register. The usual schedule keeps them in memory, where some
/// rows wait until those of the rows before are stored. (f32 [4100, 4]: 0.7 of the time. For sums, whose columns have several levels of
/// blocks, it is 0.85, and compiling would take twice as long.) Returns nothing if the columns are never so few, if the machine cannot load
/// such a vector, and for other kernels.
std::optional<Variant> fewer_than_lanes(const Program& program, const KernelPlan& kernel, const Schedule& usual, const Cpu& cpu);

}  // namespace harp
