// Sums of products with the operations that models have around them: the pattern that tiled contractions match, and variants that they do
// not match, such as factors and terms that are outputs too.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds one; returns false if it did not fit.
bool add_product(Workbench& bench);

}  // namespace harp::fuzz
