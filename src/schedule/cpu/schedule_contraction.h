// Schedules of contractions: register tiles and cache blocks for many rows, for few rows (skinny GEMM), and for convolutions; and the sizes
// for which register tiles are faster than adding one row of products after the other.
#pragma once

#include "base/machine.h"
#include "schedule/contraction.h"

namespace harp {

/// Returns a schedule whose tiles fit the CPU's registers and caches, with vectors of `width` lanes.
Schedule schedule_contraction(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu, int width);
/// Returns the condition (>= 0) under which register tiles are faster than adding one row of products after the other; nothing if they
/// never are.
std::optional<Sym> pays(const Program& program, const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu);

/// A product of unknown sizes may have many rows, but too few columns for register tiles (pays()). Returns a variant for such sizes in which
/// rows and columns are exchanged (exchanged() in contraction.h), so that vectors run along the many rows; nothing if no size needs it.
std::optional<Variant> narrow_product(const KernelPlan& kernel, const Contraction& contraction, const Cpu& cpu, int width);

}  // namespace harp
