// Decides how a kernel's accumulators are stored: as vectors or as single elements.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace harp::render {

/// The layout of one accumulator: vectors if every access is a whole aligned vector, else single elements.
struct AccumulatorLayout {
  int lanes = 1;     // lanes of a stored value
  int64_t size = 1;  // number of stored values; 1: not an array
};
/// Returns the layout of each accumulator. With `by_threads`, a spread accumulator (ir/statement.h) has only the elements of one thread.
std::vector<AccumulatorLayout> layouts_of(const ir::Kernel& kernel, bool by_threads);

}  // namespace harp::render
