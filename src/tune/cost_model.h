// How long a program would take at a point of its search space, roughly, without compiling anything: what the tuner tries first. The
// numbers compare points of one space and mean nothing else. What is modelled is what the templates' tiles are for: sums, factors and
// addresses in registers, rows that are padded to whole tiles, blocks that stay in a cache, lanes that are used.
#pragma once

#include "tune/search_space.h"

namespace harp::tune {

/// 1: as long as untuned.
double relative_cost(const SearchSpace& space, const Point& point);

}  // namespace harp::tune
