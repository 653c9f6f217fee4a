// Builds divisions of integers by a constant. The functions of ops/math_int.h divide by any number, so they test whether the divisor is 0
// or -1. In vector code these tests hide from the C compiler that all lanes have the same constant divisor, and it divides lane by lane.
// The functions built here have only the dividend as a parameter and contain the constant. They need no tests, and the C compiler replaces
// the division by a multiplication and shifts.
#pragma once

#include "ir/ir.h"

namespace harp::ir {

/// Returns the function of the dividend that gives the result of Idiv, Rem or Fmod (docs/semantics.md) for integers of at least 16 bits and
/// a divisor that is a constant other than 0 and -1; null for another op, dtype or divisor. Each function exists once in an arena.
const Function* division_by_constant(Arena& arena, Op op, const UOp* divisor);

}  // namespace harp::ir
