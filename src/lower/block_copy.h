// Recognises loops that only copy and turns them into one Copy statement. That statement calls a function that all kernels share, so no
// kernel contains compiled copy loops of its own.
#pragma once

#include "lower/accumulate.h"

namespace harp::lower {

/// Returns the loops as a copy, or null if they do anything else. They are a copy if `column` only sets contiguous elements to loads from
/// memory or from an accumulator. `row` is the loop over rows; null: there is one row.
ir::Copy* as_block_copy(ir::Arena& arena, const ir::Loop* row, const ir::Loop* column);

}  // namespace harp::lower
