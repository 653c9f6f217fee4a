// Loops that do nothing but copy, as one statement: kernels share the function it calls, where each would have loops of its own compiled.
#pragma once

#include "lower/accumulate.h"

namespace harp::lower {

/// The loop over rows, or, where `row` is null, the one row of them, as a copy, if `column` sets elements that lie beside each other to
/// what is loaded from memory or an accumulator, and nothing else; else null.
ir::Copy* as_block_copy(ir::Arena& arena, const ir::Loop* row, const ir::Loop* column);

}  // namespace harp::lower
