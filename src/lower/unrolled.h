#pragma once

#include "lower/lower.h"

namespace harp::lower {

/// Lowers to loops over the axes that are not short. Every element of the short axes is unrolled (schedule/kernel_structure.h).
void lower_unrolled(KernelContext& context);

}  // namespace harp::lower
