// Estimates the time of a program at a point of its search space without compiling it. The tuner tries the points in the order of this
// estimate. The numbers compare points of one space and mean nothing else. The model counts what tiles affect: accumulators, operands and
// addresses in registers; padding of rows to whole tiles; blocks that fit a cache; used lanes.
#pragma once

#include "tune/search_space.h"

namespace harp::tune {

/// Returns the estimated time divided by that of the untuned program.
double relative_cost(const SearchSpace& space, const Point& point);

}  // namespace harp::tune
