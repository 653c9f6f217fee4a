// log(e^x + e^y) for f32 and f64: what sums of numbers become whose logarithms are kept. It is made of exp and log1p as they are, in the
// order that docs/semantics.md states.
#pragma once

#include "ops/math_exact.h"
#include "ops/math_exp.h"
#include "ops/math_log_f32.h"

namespace harp::math {

template <class M, DType D>
struct LogAddExpFunctions {
  HARP_MATH_TYPES

  static F logaddexp(F x, F y) {
    // Equal operands, infinite ones among them, have the difference 0, so that inf - inf is not computed.
    F difference = R::pick(x == y, real(0), x - y);
    F lesser = ExpFunctions<M, D>::exp(-M::abs(difference));  // of the two, divided by the greater one
    return ExactFunctions<M, D>::maximum(x, y) + LogFunctions<M, D>::log1p(lesser);
  }
};

}  // namespace harp::math
