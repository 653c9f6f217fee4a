#pragma once

#include "lower/lower.h"

namespace harp::lower {

/// Lowers a kernel that has short axes (schedule/kernel_structure.h) to loops over its other axes. Each iteration computes every element of
/// the short axes by separate statements, without loops.
void lower_unrolled(KernelContext& context);

}  // namespace harp::lower
