// Decides how a kernel's accumulators are stored: as vectors or as single elements.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace harp::render {

/// The layout of an accumulator in the generated code. If all accesses are to whole aligned vectors, it consists of vectors, otherwise of
/// single elements.
struct AccumulatorLayout {
  int lanes = 1;     // number of lanes of a stored value
  int64_t size = 1;  // number of stored values; if it is 1, the accumulator is no array
  // If the elements are vectors of bools: the size in bits, 32 or 64, of the numbers that are selected by these bools. The dialect stores
  // the bools as a mask of the kind that a comparison of numbers of this size gives.
  int selected_bits = 32;
};
/// Returns the layout of each accumulator. With `by_threads`, the layout of an accumulator that is spread over threads (ir/statement.h)
/// contains only the elements of one thread.
std::vector<AccumulatorLayout> layouts_of(const ir::Kernel& kernel, bool by_threads);

}  // namespace harp::render
