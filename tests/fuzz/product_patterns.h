// Sums of products with what a model has around them: the pattern that contractions by tiles are chosen for, and what makes them
// something else, such as factors and terms that are stored as well.
#pragma once

#include "fuzz/workbench.h"

namespace harp::fuzz {

/// Adds one; false: it did not fit.
bool add_product(Workbench& bench);

}  // namespace harp::fuzz
