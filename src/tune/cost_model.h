// Estimates the time of a program at a point of its search space without compiling it. The tuner tries the points in the order of this
// estimate. An estimate can only be compared with those of other points of the same space. The model considers what tiles affect: whether
// accumulators, operands and addresses fit registers; the padding of rows to whole tiles; whether blocks fit a cache; how many lanes are
// used.
#pragma once

#include "tune/search_space.h"

namespace harp::tune {

/// Returns the estimated time divided by that of the untuned program.
double relative_cost(const SearchSpace& space, const Point& point);

}  // namespace harp::tune
