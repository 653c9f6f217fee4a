// Sums of products and the operations that models apply around them. This is the pattern of tiled contractions. Variants that such a kernel
// does not cover are included, such as factors and terms that are outputs as well.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds one of these. Returns false if an array would be too large.
bool add_product(Workbench& bench);

}  // namespace harp::fuzz
