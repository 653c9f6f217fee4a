#pragma once

#include "lower/lower.h"

namespace harp::lower {

/// Lowers a kernel that has short axes (schedule/kernel_structure.h) to loops over its other axes; each iteration computes every element of
/// the short ones, without loops.
void lower_unrolled(KernelContext& context);

}  // namespace harp::lower
