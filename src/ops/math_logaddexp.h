// Defines log(e^x + e^y) for f32 and f64: it adds numbers that are represented by their logarithms. It uses exp and log1p, by the formula
// in docs/semantics.md.
#pragma once

#include "ops/math_exact.h"
#include "ops/math_exp.h"
#include "ops/math_log_f32.h"

namespace harp::math {

template <class M, DType D>
struct LogAddExpFunctions {
  HARP_MATH_TYPES

  static F logaddexp(F x, F y) {
    // The difference of equal operands, including equal infinities, is set to 0, so inf - inf is not computed.
    F difference = R::pick(x == y, real(0), x - y);
    F lesser = ExpFunctions<M, D>::exp(-M::abs(difference));  // e^min(x, y) divided by e^max(x, y)
    return ExactFunctions<M, D>::maximum(x, y) + LogFunctions<M, D>::log1p(lesser);
  }
};

}  // namespace harp::math
