// Recognises loops that only copy elements, and turns them into one Copy statement. In generated code a Copy is a call of a function that
// all kernels share, so that the copy loops are compiled only once.
#pragma once

#include "lower/accumulate.h"

namespace harp::lower {

/// Returns one Copy statement that is equivalent to the loops; null if they do anything except setting contiguous elements to values loaded
/// from memory or from an accumulator. `column` is the loop over contiguous elements, and `row` the loop around it; if `row` is null, there
/// is one row.
ir::Copy* as_block_copy(ir::Arena& arena, const ir::Loop* row, const ir::Loop* column);

}  // namespace harp::lower
