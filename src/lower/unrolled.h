#pragma once

#include "lower/lower.h"

namespace harp::lower {

/// Loop nest over the axes that are not short, with every element of the short ones unrolled (schedule/kernel_structure.h).
void lower_unrolled(KernelContext& context);

}  // namespace harp::lower
