// Math functions as expressions: the templates of ops/math.h instantiated over UOps, so that generated code performs the very
// sequence of operations the interpreter performs.
#pragma once

#include "ir/ir.h"

namespace harp::ir {

/// The function ops/math.h defines for `op` over operands of `dtype`. Called by Arena::function_of, which keeps one of each.
const Function* build_function(Arena& arena, Op op, DType dtype);

}  // namespace harp::ir
