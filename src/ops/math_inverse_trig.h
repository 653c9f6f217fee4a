// Defines asin, acos, atan, atan2 for f32 and f64. Each is a polynomial on a small interval. Other arguments are mapped to that interval by
// a square root or a quotient, and by the constants pi and pi/2 as pairs. The rounding error of the quotient is computed and added.
#pragma once

#include "ops/math_piecewise.h"

namespace harp::math {

template <class M, DType D>
struct InverseTrigFunctions {
  HARP_MATH_TYPES

  /// Computes asin |x| by a polynomial if |x| < 1/2, otherwise as pi/2 - 2 asin sqrt((1 - |x|) / 2). The result gets the sign of x.
  static F asin(F x) {
    Arc arc = arc_sine(x);
    F rest = (arc.s * arc.z) * R::polynomial(arc.z, C::kAsin), twice = arc.s + arc.s;
    F lead = real(C::kHalfPi) - twice, lost = (real(C::kHalfPi) - lead) - twice;
    F big = lead + (lost + R::fma(rest, real(-2), real(C::kHalfPiLow)));
    return R::copy_sign(R::pick(arc.small, arc.s + rest, big), x);
  }

  /// Computes pi/2 - asin x if |x| < 1/2, 2 asin sqrt((1 - |x|) / 2) if x >= 1/2, and pi minus the latter if x <= -1/2.
  static F acos(F x) {
    Arc arc = arc_sine(x);
    F s = R::pick(arc.small, real(-1), real(2)) * R::copy_sign(arc.s, x);
    F base = R::pick(arc.small, real(C::kHalfPi), R::pick(x < real(0), real(C::kPi), real(0)));
    Pair lead = R::fast_two_sum(base, s);
    F low = R::fma(base, real(C::kHalfPiLow / C::kHalfPi), lead.lo);
    return lead.hi + R::fma(s * arc.z, R::polynomial(arc.z, C::kAsin), low);
  }

  static F atan(F x) {
    if constexpr (!R::kDouble)
      return Piecewise<M>::atan(x);
    else
      return atan_by_inverse(x);
  }

  static F atan2(F y, F x) {
    F ax = M::abs(x), ay = M::abs(y);
    Bool swap = ay > ax, negative = R::is_negative(x);
    F n = R::pick(swap, ax, ay), d = R::pick(swap, ay, ax);
    // As atan2 requires, 0/0 counts as 0, inf/inf as 1 and finite/inf as 0. In each of these cases, the code below would give NaN as the
    // quotient q or as its remainder.
    Bool limit = (d == real(R::kInfinity)) | (d == real(0));
    n = R::pick(limit, R::pick(n == real(R::kInfinity), real(1), real(0)), n);
    d = R::pick(limit, real(1), d);
    F factor = R::pick(d < real(kSmall), real(kUp), R::pick(d > real(kBig), real(kDown), real(1)));
    n = n * factor;
    d = d * factor;
    F r = real(1) / d, q = n * r;
    F rest = beyond(q, R::fma(-q, d, n) * r);
    F base = R::pick(swap, real(C::kHalfPi), R::pick(negative, real(C::kPi), real(0)));
    F base_low = R::pick(swap, real(C::kHalfPiLow), R::pick(negative, real(C::kPiLow), real(0)));
    Bool minus = swap != negative;
    F result = around(base, base_low, R::flip_sign(q, minus), R::flip_sign(rest, minus));
    return R::pick(R::is_nan(x) | R::is_nan(y), real(R::kNan), R::copy_sign(result, y));
  }

 private:
  static F atan_by_inverse(F x) {
    // Above this limit atan rounds to pi/2. The clamp keeps infinity out of the remainder.
    F a = R::at_most(M::abs(x), 0x1p60);
    Bool invert = a > real(1);
    F inverse = real(1) / a, q = R::pick(invert, inverse, a);
    F q_low = R::pick(invert, R::fma(-inverse, a, real(1)) * inverse, real(0));
    F rest = beyond(q, q_low);
    F base = R::pick(invert, real(C::kHalfPi), real(0)), base_low = R::pick(invert, real(C::kHalfPiLow), real(0));
    return R::copy_sign(around(base, base_low, R::flip_sign(q, invert), R::flip_sign(rest, invert)), x);
  }

  /// Divisors outside of these bounds are scaled together with the dividend, so that neither the reciprocal nor the remainder underflows.
  static constexpr Native kSmall = R::kDouble ? 0x1p300 : 0x1p30, kBig = R::kDouble ? 0x1p900 : 0x1p90;
  static constexpr Native kUp = R::kDouble ? 0x1p500 : 0x1p60, kDown = R::kDouble ? 0x1p-500 : 0x1p-60;

  /// s is |x| if that is small, otherwise sqrt((1 - |x|) / 2), and z is the square of s. The rounding error of the root is ignored: it is
  /// small compared with pi/2 and pi, from which most results subtract 2 asin s.
  struct Arc {
    Bool small;
    F s, z;
  };
  static Arc arc_sine(F x) {
    F a = M::abs(x);
    Bool small = a < real(0.5);
    F z = R::pick(small, a * a, R::fma(a, real(-0.5), real(0.5)));
    return {small, R::pick(small, a, M::sqrt(z)), z};
  }

  /// Returns atan(q + q_low) - q for 0 <= q <= 1. The factor of q_low is 1 - q^2 / 2, which is close enough to the derivative 1 / (1 +
  /// q^2).
  static F beyond(F q, F q_low) {
    F s = q * q;
    return R::fma(q * s, R::polynomial(s, C::kAtan), q_low * R::fma(s, real(-0.5), real(1)));
  }

  /// Returns base + base_low + q + rest, where |base| >= |q| or base = 0.
  static F around(F base, F base_low, F q, F rest) {
    Pair p = R::fast_two_sum(base, q);
    return p.hi + (p.lo + (base_low + rest));
  }
};

}  // namespace harp::math
