// Decides when vectors of a scan along rows run across the rows (lower/scan_short.cpp).
#pragma once

#include <vector>

#include "schedule/program.h"

namespace harp {

/// Returns the variants for scans along rows of an unknown number of elements, if there turn out to be a few or only one. Vectors run
/// across the rows. If a variant has no guard, no other one is needed. `usual` is the kernel's usual schedule.
std::vector<Variant> short_scans(const KernelPlan& kernel, const Schedule& usual);

}  // namespace harp
