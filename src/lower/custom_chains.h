// Loops of custom functions that combine integers: `for k in a .. b { most = maximum(most, x[k] + y[k]) }`. Every iteration needs the
// result of the one before it. Integers give the same bits in every order, so a vector can combine several iterations at a time, one in
// each lane.
#pragma once

#include "ir/ir.h"

namespace harp::lower {

/// If the loop only sets one accumulator of one element to a sum, product, maximum or minimum of integers, of which one is its old value,
/// returns a statement that does the same with `lanes` running values; they are combined when the loop ends. Runs of less than two vectors
/// keep the loop. Returns `loop` itself if it is another loop or if there is only one lane.
ir::Stmt* with_chains(ir::Kernel& kernel, ir::Arena& arena, ir::Loop* loop, int lanes);

}  // namespace harp::lower
