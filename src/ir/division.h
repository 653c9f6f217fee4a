// Divisions of integers by a constant. The functions of ops/math_int.h divide by any number: they test whether the divisor is 0 or -1, and
// in a vector that hides from the C compiler that all lanes divide by the same constant, so that it divides lane by lane. Functions of the
// dividend alone, with the constant in their body, need no tests, and the C compiler multiplies and shifts instead of dividing.
#pragma once

#include "ir/ir.h"

namespace harp::ir {

/// Returns the function of the dividend that gives the result of Idiv, Rem or Fmod (docs/semantics.md) for integers of at least 16 bits and
/// a divisor that is a constant other than 0 and -1; null for another op, dtype or divisor. Each function exists once in an arena.
const Function* division_by_constant(Arena& arena, Op op, const UOp* divisor);

}  // namespace harp::ir
