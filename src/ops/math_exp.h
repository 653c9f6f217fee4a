// Defines exp, exp2, expm1, sinh, cosh, tanh for f32 and f64. (tanh for f32 is in math_piecewise.h.) All reduce their argument to n ln 2 +
// r with |r| <= ln(2) / 2 and represent r by a sum of two floats, so that only the last addition rounds at the precision of the result.
#pragma once

#include "ops/math_piecewise.h"

namespace harp::math {

template <class M, DType D>
struct ExpFunctions {
  HARP_MATH_TYPES

  /// Represents e^x = 2^n (1 + (h + tail)), where n is given by sum = n + kRounder (math_real.h).
  struct Reduced {
    F sum, h, tail;
  };

  static F exp(F x) {
    Reduced e = reduce(R::clamp(x, kLowest, kHighest));
    return R::scale(real(1) + (e.h + e.tail), e.sum);
  }

  static F exp2(F x) {
    F c = R::clamp(x, R::kDouble ? -1078 : -152, R::kDouble ? 1025 : 129);
    F z = c + real(R::kRounder), fraction = c - (z - real(R::kRounder));
    F h = fraction * real(C::kLn2Full), low = R::fma(fraction, real(C::kLn2Full), -h);
    // Adding the low part of ln 2 makes f64 results 0.1 ulp more accurate. For f32 the gain would be only 1/60 ulp.
    if constexpr (R::kDouble) low = R::fma(fraction, real(C::kLn2FullLow), low);
    F tail = R::fma(fraction * fraction, R::polynomial(fraction, C::kExp2), low);
    return R::scale(real(1) + (h + tail), z);
  }

  static F expm1(F x) {
    F c = R::clamp(x, R::kDouble ? -40 : -20, kHighest);
    F result = real(2) * R::sum(half_expm1(c));
    // For a tiny x the result is x itself, to which expm1 x rounds. `result` would be wrong: half of a subnormal x is not exact, and -0
    // would give +0.
    return R::keep_tiny(x, result);
  }

  static F sinh(F x) {
    Halves p = halves(x);
    F result = real(2) * (p.difference + R::fma(p.sum, p.h, R::fma(p.sum, p.sinh_tail, p.difference * p.cosh_tail)));
    return R::pick(M::abs(x) < real(kTiny), x, R::or_sign(result, x));
  }

  static F cosh(F x) {
    Halves p = halves(x);
    return real(2) * (p.up + R::fma(p.difference, p.h, R::fma(p.difference, p.sinh_tail, R::fma(p.sum, p.cosh_tail, p.down))));
  }

  static F tanh(F x) {
    if constexpr (R::kDouble)
      return tanh_by_exp(x);
    else
      return Piecewise<M>::tanh(x);
  }

  /// Computes e^(a.hi + a.lo) for a.hi in [kLowest, kHighest] and a much smaller a.lo.
  static Reduced reduce_pair(Pair a) {
    F z = R::fma(a.hi, real(C::kLog2E), real(R::kRounder)), n = z - real(R::kRounder);
    F h = R::fma(n, real(-C::kLn2), a.hi);
    F l = R::fma(n, real(-C::kLn2Low), a.lo);
    return {z, h, tail(h, l, C::kExp)};
  }

  /// Outside of these bounds e^x overflows, or underflows to 0.
  static constexpr Native kLowest = R::kDouble ? -746 : -104;
  static constexpr Native kHighest = R::kDouble ? 710 : 89;

 private:
  /// Below this bound sinh x and tanh x round to x.
  static constexpr Native kTiny = R::kDouble ? 0x1p-28 : 0x1p-13;

  /// Computes e^(h + l) - 1 - h.
  template <size_t N>
  static F tail(F h, F l, const Native (&coefficients)[N]) {
    F r = h + l;
    return R::fma(r * r, R::polynomial(r, coefficients), l);
  }

  static Reduced reduce(F c) {
    F z = R::fma(c, real(C::kLog2E), real(R::kRounder)), n = z - real(R::kRounder);
    F h = R::fma(n, real(-C::kLn2), c);  // exact
    return {z, h, tail(h, n * real(-C::kLn2Low), C::kExp)};
  }

  /// Returns (e^c - 1) / 2 as a sum of two floats. The low one may be larger than an ulp of the high one. The division by 2 keeps
  /// intermediate values from overflowing if e^c is near the largest float.
  static Pair half_expm1(F c) {
    F z = R::fma(c, real(C::kLog2E), real(R::kRounder)), n = z - real(R::kRounder);
    F h = R::fma(n, real(-C::kLn2), c);
    F s = R::power_of_two(R::whole(z) - integer(1));
    F whole = s - real(0.5), lost = (s - whole) - real(0.5);
    Pair lead = R::fast_two_sum(whole, s, h);
    return {lead.hi, lead.lo + R::fma(s, tail(h, n * real(-C::kLn2Low), C::kExpFine), lost)};
  }

  /// Computes tanh |x| = E / (E + 2) with E = e^(2|x|) - 1. The remainder of the division corrects the rounded quotient.
  static F tanh_by_exp(F x) {
    F magnitude = R::at_most(M::abs(x), 20);  // for larger arguments tanh rounds to 1
    Pair e = half_expm1(magnitude + magnitude);
    e = R::fast_two_sum(e.hi, e.lo);
    Pair denominator = R::two_sum(real(1), e.hi);
    denominator.lo = denominator.lo + e.lo;
    Pair quotient = R::divide(e, denominator, real(1) / denominator.hi);
    return R::pick(M::abs(x) < real(kTiny), x, R::copy_sign(R::sum(quotient), x));
  }

  /// Intermediate values of sinh and cosh. The odd and even parts of e^r are sinh r and cosh r. With |x| = n ln 2 + r, S = (2^n + 2^-n) / 2
  /// and D = (2^n - 2^-n) / 2, sinh |x| = D cosh r + S sinh r and cosh |x| = S cosh r + D sinh r. These formulas need no division and have
  /// no cancellation. up = 2^n / 4, down = 2^-n / 4, sum = S / 2 and difference = D / 2, so the formulas give half of the function's value.
  /// sinh r = h + sinh_tail and cosh r = 1 + cosh_tail.
  struct Halves {
    F up, down, sum, difference, h, sinh_tail, cosh_tail;
  };
  static Halves halves(F x) {
    // above these limits both functions overflow; the clamp keeps 2^n from overflowing
    F c = R::at_most(M::abs(x), R::kDouble ? 710.6 : 89.5);
    F z = R::fma(c, real(C::kLog2E), real(R::kRounder)), n = z - real(R::kRounder);
    F h = R::fma(n, real(-C::kLn2), c), l = n * real(-C::kLn2Low), r = h + l, s = r * r;
    F up = R::power_of_two(R::whole(z) - integer(2));
    // n is limited so that 2^-n stays a normal number. Beyond the limit 2^-n is negligible, so its exact value does not matter.
    F down = R::power_of_two(integer(-2) - R::whole(R::at_most(z, R::kRounder + 100)));
    F sinh_tail = R::fma(r * s, R::polynomial(s, C::kSinh), l), cosh_tail = s * R::fma(s, R::polynomial(s, C::kCosh), real(0.5));
    return {up, down, up + down, up - down, h, sinh_tail, cosh_tail};
  }
};

}  // namespace harp::math
