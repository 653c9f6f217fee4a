// Estimates the time of a program without compiling it, for a point of the search space (search_space.h). The tuner tries the points in the
// order of their estimates. Only estimates of points of the same space can be compared. The model considers the effects of tile sizes:
// whether accumulators, operands and addresses fit into registers; the padding of rows to whole tiles; whether blocks fit a cache; and how
// many lanes are used.
#pragma once

#include "tune/search_space.h"

namespace harp::tune {

/// Returns the estimated time at this point divided by the estimated time of the untuned program.
double relative_cost(const SearchSpace& space, const Point& point);

}  // namespace harp::tune
