// Defines pow, cbrt, hypot for f32 and f64. pow is e^(y log |x|), with the logarithm as a pair of about twice the precision. The logarithm
// is the series of atanh in s = (m - 1) / (m + 1), whose first terms are evaluated on pairs. Special values follow C's Annex F.
#pragma once

#include "ops/math_exp.h"
#include "ops/math_log.h"

namespace harp::math {

template <class M, DType D>
struct PowerFunctions {
  HARP_MATH_TYPES

  static F pow(F x, F y) {
    F a = M::abs(x);
    Bool has_log = (a > real(0)) & (a < real(R::kInfinity));
    Pair log = accurate_log(R::pick(has_log, a, real(1)));
    F c = R::clamp(y, -kLargest, kLargest);  // for larger |y| the result is 0, 1 or infinity
    Pair p = R::two_product(c, log.hi);
    p.lo = R::fma(c, log.lo, p.lo);
    F high = R::clamp(p.hi, Exp::kLowest, Exp::kHighest);
    auto e = Exp::reduce_pair({high, R::pick(high == p.hi, p.lo, real(0))});
    F result = R::scale(real(1) + (e.h + e.tail), e.sum);

    Bool grows = (a > real(1)) == (y > real(0));
    F limit = R::pick(a == real(1), real(1), R::pick(grows, real(R::kInfinity), real(0)));
    Bool y_infinite = M::abs(y) == real(R::kInfinity);
    result = R::pick(has_log & !y_infinite, result, limit);

    Bool y_whole = M::floor(y) == y;
    F half = y * real(0.5);
    Bool y_odd = y_whole & (M::floor(half) != half);
    result = R::flip_sign(result, y_odd & R::is_negative(x));
    Bool undefined = (x < real(0)) & (a < real(R::kInfinity)) & !y_whole;
    result = R::pick(undefined | R::is_nan(x) | R::is_nan(y), real(R::kNan), result);
    return R::pick((y == real(0)) | (x == real(1)), real(1), result);
  }

  static F cbrt(F x) {
    if constexpr (R::kDouble)
      return cbrt_by_newton(x);
    else
      return cbrt_by_table(x);
  }

  static F hypot(F x, F y) {
    F ax = M::abs(x), ay = M::abs(y);
    Bool infinite = (ax == real(R::kInfinity)) | (ay == real(R::kInfinity));
    if constexpr (R::kDouble)
      return R::pick(infinite, real(R::kInfinity), hypot_of_pairs(ax, ay));
    else
      return R::pick(infinite, real(R::kInfinity), hypot_in_f64(ax, ay));
  }

 private:
  using Exp = ExpFunctions<M, D>;
  using Log = LogParts<M, D>;

  /// For any |y| above this bound the result of pow is 1, or it overflows or underflows, because |log x| is 0 or at least half an ulp of 1.
  static constexpr Native kLargest = R::kDouble ? 0x1p66 : 0x1p34;
  static constexpr int kTinyBits = R::kMantissaBits;
  static constexpr Native kTinyScale = R::kDouble ? 0x1p52 : 0x1p23;
  /// Splits |x| = 2^(3k + j) m with j in {-1, 0, 1} and m in [1, 2), so the cube root of |x| is 2^k times the cube roots of 2^j and of m.
  /// [1, 2) is divided into sixteen equal intervals. For the interval that contains m, a table has a number near the reciprocal of the
  /// interval's centre. The product of that number and m is 1 + r with a small r.
  static F cbrt_by_table(F x) {
    F e = M::named(
        "floor_exponent_f32", [](F v) { return M::template cast<D>(M::select(is_tiny(v), shifted(v) - integer(kTinyBits), shifted(v))); },
        x);
    F m = M::named(
        "significand_f32", [](F v) { return R::from_bits((R::bits(normal(v)) & integer(0x7fffff)) | integer(0x3f800000)); }, x);
    F z = R::fma(e, real(C::kThird), real(R::kRounder)), k = z - real(R::kRounder);
    F power = M::template table<D>(kCubeRootsOfPowers, R::bits(R::fma(k, real(-3), e) + real(R::kRounder)));
    I i = R::bits(m) >> integer(R::kMantissaBits - 4);
    F r = R::fma(m, M::template table<D>(kCubeRootInverses, i), real(-1));
    Pair lead = R::two_product(M::template table<D>(kCubeRootsOfCentres, i), power);
    F root = lead.hi + R::fma(lead.hi, r * R::polynomial(r, C::kCubeRootNear), lead.lo);
    F result = R::or_sign(R::scale(root, z), x);
    return M::named(
        "root_at_limits_f32",
        [](F v, F y) {
          F a = M::abs(v);
          return R::pick((a < real(R::kInfinity)) & (a > real(0)), y, v);
        },
        x, result);
  }
  static Bool is_tiny(F x) { return M::abs(x) < real(R::kLeastNormal); }
  static F normal(F x) {
    F a = M::abs(x);
    return R::pick(a < real(R::kLeastNormal), a * real(kTinyScale), a);
  }
  /// Returns the exponent of x. If x is subnormal, returns the exponent of the normal number to which normal() scales it.
  static I shifted(F x) { return (R::bits(normal(x)) >> integer(R::kMantissaBits)) - integer(R::kBias); }

  static constexpr auto kInverseBits = table_bits(Coefficients<DType::kF32>::kCubeRootInverse),
                        kCentreBits = table_bits(Coefficients<DType::kF32>::kCubeRootOfCentre),
                        kPowerBits = table_bits(Coefficients<DType::kF32>::kCubeRootOfPower);
  static constexpr MathTable kCubeRootInverses{"cube_root_inverses", DType::kF32, kInverseBits},
      kCubeRootsOfCentres{"cube_roots_of_centres", DType::kF32, kCentreBits},
      kCubeRootsOfPowers{"cube_roots_of_powers", DType::kF32, kPowerBits};

  /// Splits |x| = 2^(3k + j) m. A polynomial approximates the cube root of m, a step of Halley's method triples the number of correct bits,
  /// and a step of Newton's method with an accurate residual corrects the last bits.
  static F cbrt_by_newton(F x) {
    F a = M::abs(x);
    Bool tiny = a < real(R::kLeastNormal);
    F normal = R::pick(tiny, a * real(kTinyScale), a);
    I ix = R::bits(normal);
    I e = (ix >> integer(R::kMantissaBits)) - integer(R::kBias);
    F m = R::from_bits(ix - (e << integer(R::kMantissaBits)));
    // k = floor(e / 3): the offset makes e positive, and 21846 / 2^16 is close enough to 1/3 for values below 2^15
    I u = M::select(tiny, e - integer(kTinyBits), e) + integer(3 * 400);
    I third = (u * integer(21846)) >> integer(16), j = u - third * integer(3);
    F root = R::polynomial(m, C::kCubeRoot);
    Bool one = j == integer(1), two = j == integer(2);
    root = root * R::pick(one, real(kCubeRootOf2), R::pick(two, real(kCubeRootOf4), real(1)));
    m = m * R::pick(one, real(2), R::pick(two, real(4), real(1)));
    F power = root * root * root;  // the root has 16 correct bits, and Halley's step triples them
    root = root * (R::fma(real(2), m, power) / R::fma(real(2), power, m));
    Pair square = R::two_product(root, root);
    Pair cube = R::two_product(square.hi, root);
    F residual = (cube.hi - m) + R::fma(square.lo, root, cube.lo);
    root = root - residual / (real(3) * square.hi);
    F result = R::copy_sign(root * R::power_of_two(third - integer(400)), x);
    return R::pick((a < real(R::kInfinity)) & (a > real(0)), result, x);
  }

  static constexpr Native kCubeRootOf2 = static_cast<Native>(0x1.428a2f98d728bp0);
  static constexpr Native kCubeRootOf4 = static_cast<Native>(0x1.965fea53d6e3dp0);

  /// Returns log x for a positive finite x, with a relative error of about 2^-36 (f32) or 2^-66 (f64).
  static Pair accurate_log(F x) {
    auto split = Log::split(x);
    F f = split.f;
    Pair g = R::fast_two_sum(real(2), f);
    Pair s = R::divide({f, real(0)}, g, real(1) / g.hi);
    Pair z = R::two_product(s.hi, s.hi);
    z.lo = R::fma(s.hi + s.hi, s.lo, z.lo);
    // log m = 2 (s + v) with v = s z series, series = 1/3 + z c(z), and z = s^2
    Pair series = R::fast_two_sum(real(C::kThird), z.hi * R::polynomial(z.hi, C::kSeries));
    series.lo = series.lo + real(C::kThirdLow);
    Pair u = R::two_product(z.hi, series.hi);
    u.lo = u.lo + R::fma(z.hi, series.lo, z.lo * series.hi);
    Pair v = R::two_product(s.hi, u.hi);
    v.lo = v.lo + R::fma(s.hi, u.lo, s.lo * u.hi);
    Pair half = R::fast_two_sum(s.hi, v.hi);
    half.lo = half.lo + (s.lo + v.lo);
    Pair unit = R::two_product(split.k, real(C::kLn2));
    unit.lo = R::fma(split.k, real(C::kLn2Low), unit.lo);
    Pair log = R::fast_two_sum(unit.hi, half.hi + half.hi);
    log.lo = log.lo + R::fma(real(2), half.lo, unit.lo);
    return R::fast_two_sum(log.hi, log.lo);
  }

  /// Computes the root in f64, where neither the squares nor their sum overflow, and the rounding of the sum does not affect the f32
  /// result.
  static F hypot_in_f64(F x, F y) {
    auto a = M::template cast<DType::kF64>(x), b = M::template cast<DType::kF64>(y);
    return M::template cast<D>(M::sqrt(M::fma(b, b, a * a)));
  }

  static F hypot_of_pairs(F x, F y) {
    F big = R::pick(x > y, x, y), small = R::pick(x > y, y, x);
    Bool high = big > real(0x1p500), low = big < real(0x1p-450);
    F factor = R::pick(high, real(0x1p-600), R::pick(low, real(0x1p600), real(1)));
    F inverse = R::pick(high, real(0x1p600), R::pick(low, real(0x1p-600), real(1)));
    Pair p = R::two_product(big * factor, big * factor), q = R::two_product(small * factor, small * factor);
    Pair sum = R::fast_two_sum(p.hi, q.hi);
    F rest = sum.lo + (p.lo + q.lo);
    F root = M::sqrt(sum.hi);
    F correction = (R::fma(-root, root, sum.hi) + rest) / (root + root);
    F result = R::pick(sum.hi > real(0), root + correction, root) * inverse;
    return R::pick(R::is_nan(x) | R::is_nan(y), real(R::kNan), result);
  }
};

}  // namespace harp::math
