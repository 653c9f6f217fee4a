// Defines erf and erfc for f32 and f64. Near 0, erf is a polynomial. Elsewhere erfc x = e^(-x^2) g(x) / (1 + 2x), where g is smooth and
// close to 1 and is computed as a polynomial in (x - 4) / (x + 4). Every factor is a pair, that is, an unevaluated sum of two floats
// (math_real.h).
#pragma once

#include "ops/math_exp.h"

namespace harp::math {

template <class M, DType D>
struct ErrorFunctions {
  HARP_MATH_TYPES

  static F erf(F x) {
    if constexpr (!R::kDouble)
      return Piecewise<M>::erf(x);
    else
      return erf_by_complement(x);
  }

  static F erfc(F x) {
    F a = M::abs(x);
    F inner = R::clamp(x, -1, 1);
    Pair one = R::two_sum(real(1), -inner);
    F near = one.hi + (one.lo - inner * R::polynomial(inner * inner, C::kErf));
    Tail tail = complement(R::clamp(a, 0.5, R::kDouble ? 27.3 : 10.1));  // for larger arguments erfc rounds to 0
    F far = R::scale(R::sum(tail.value), tail.sum);
    far = R::pick(x < real(0), real(2) - far, far);
    return R::pick(a < real(0.75), near, far);
  }

 private:
  static F erf_by_complement(F x) {
    F a = M::abs(x);
    F near = R::fma(a, R::polynomial(a * a, C::kErf), a);
    Tail tail = complement(R::clamp(a, 0.5, 6));  // for larger arguments erf rounds to 1
    F far = real(1) - R::scale(R::sum(tail.value), tail.sum);
    return R::copy_sign(R::pick(a < real(1), near, far), x);
  }

  /// Represents the number 2^n * value, where n is given by sum = n + kRounder (math_real.h).
  struct Tail {
    Pair value;
    F sum;
  };

  /// Returns erfc x for x >= 1/2, up to arguments for which the result underflows.
  static Tail complement(F x) {
    F t = (x - real(4)) / (x + real(4));
    Pair g = R::fast_two_sum(real(C::kErfcMiddle), R::fma(t, R::polynomial(t, C::kErfc), real(C::kErfcMiddleLow)));
    Pair square = R::two_product(x, x);
    auto e = ExpFunctions<M, D>::reduce_pair({-square.hi, -square.lo});
    Pair power = R::fast_two_sum(real(1), e.h);
    power.lo = power.lo + e.tail;
    Pair numerator = R::two_product(power.hi, g.hi);
    numerator.lo = numerator.lo + R::fma(power.hi, g.lo, power.lo * g.hi);
    Pair denominator = R::fast_two_sum(x + x, real(1));
    return {R::divide(numerator, denominator, real(1) / denominator.hi), e.sum};
  }
};

}  // namespace harp::math
