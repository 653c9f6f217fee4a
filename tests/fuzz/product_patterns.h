// Builds sums of products with the operations that models apply before and after them, which harp compiles to tiled contractions. Some
// graphs are variants that a tiled contraction cannot compute, for example because a factor or the product itself is also an output.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds a sum of products to the graph. Returns false if an array would be too large.
bool add_product(Workbench& bench);

}  // namespace harp::fuzz
