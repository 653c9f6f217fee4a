// How the accumulators of a kernel are kept: as vectors, or as single elements.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace harp::render {

/// How an accumulator is kept: as vectors if every access is a whole aligned vector, else as elements.
struct AccumulatorLayout {
  int lanes = 1;     // of a stored value
  int64_t size = 1;  // stored values; 1: not an array
};
/// That of each accumulator.
std::vector<AccumulatorLayout> layouts_of(const ir::Kernel& kernel);

}  // namespace harp::render
