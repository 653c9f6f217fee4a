// Defines parts shared by the logarithms of f32 and f64, and log, log2, log10, log1p, asinh, acosh, atanh for f64. The argument is split
// into 2^k m with m in [sqrt(1/2), sqrt(2)). With f = m - 1, log m is f - f^2/2 + f^3 c(f) with a polynomial c. The large terms k log 2 and
// f are added last, without losing the rounding error of their sum. (f32 takes log m from tables: math_log_f32.h.)
#pragma once

#include "ops/math_real.h"

namespace harp::math {

template <class M, DType D>
struct LogParts {
  HARP_MATH_TYPES

  /// Represents x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
  struct Split {
    F k, f;
  };
  /// Splits x = 2^k (1 + f) into k and f. x must be positive and finite.
  static Split split(F x) {
    F k = M::named(
        R::kDouble ? "exponent_f64" : "exponent_f32",
        [](F v) {
          I e = exponent(R::bits(normal(v)));
          return M::template cast<D>(M::select(v < real(R::kLeastNormal), e - integer(kTinyBits), e));
        },
        x);
    F m = M::named(
        R::kDouble ? "mantissa_f64" : "mantissa_f32", [](F v) { return without_exponent(R::bits(normal(v))); }, x);
    return {k, m - real(1)};
  }

  /// Returns `result` if x is a positive finite number; -inf for 0, inf for inf, and NaN for negative numbers and NaN.
  static F at_limits(F x, F result) {
    return M::named(
        R::kDouble ? "log_at_limits_f64" : "log_at_limits_f32",
        [](F v, F r) {
          r = R::pick(v < real(R::kInfinity), r, v);  // infinity, NaN
          r = R::pick(v < real(0), real(R::kNan), r);
          return R::pick(v == real(0), real(-R::kInfinity), r);
        },
        x, result);
  }

 protected:
  static constexpr typename R::NativeInt kSqrtHalfBits = static_cast<typename R::NativeInt>(R::kDouble ? 0x3fe6a09e667f3bcd : 0x3f3504f3);
  static constexpr int kTinyBits = R::kMantissaBits;
  static constexpr Native kTinyScale = R::kDouble ? 0x1p52 : 0x1p23;

  static F normal(F x) { return R::pick(x < real(R::kLeastNormal), x * real(kTinyScale), x); }
  // Both functions take the bits of a normal number x = 2^e m with m in [sqrt(1/2), sqrt(2)): exponent() returns e, without_exponent()
  // returns m.
  static I exponent(I ix) { return (ix - integer(kSqrtHalfBits)) >> integer(R::kMantissaBits); }
  static F without_exponent(I ix) { return R::from_bits(ix - (exponent(ix) << integer(R::kMantissaBits))); }
};

template <class M, DType D>
struct LogFunctions : LogParts<M, D> {
  static_assert(D == DType::kF64);
  HARP_MATH_TYPES
  using Parts = LogParts<M, D>;
  using Parts::at_limits, Parts::split;
  using typename Parts::Split;

  static F log(F x) {
    Split s = split(x);
    F low = R::fma(s.k, real(C::kLn2Low), beyond_f(s.f, C::kLog));
    return at_limits(x, assemble(s.k, C::kLn2, s.f, low));
  }

  static F log2(F x) {
    Split s = split(x);
    Pair h = scaled(s.f, C::kLog2E, C::kLog2ELow);
    return at_limits(x, assemble(s.k, 1, h.hi, h.lo));
  }

  static F log10(F x) {
    Split s = split(x);
    Pair h = scaled(s.f, C::kLog10E, C::kLog10ELow);
    F low = R::fma(s.k, real(C::kLog10Of2Low), h.lo);
    return at_limits(x, assemble(s.k, C::kLog10Of2, h.hi, low));
  }

  static F log1p(F x) {
    Pair u = R::two_sum(real(1), x);
    F result = log_of_pair(u, integer(0));
    result = at_limits(u.hi, result);                          // the result for x <= -1, infinity and NaN
    return R::pick(M::abs(x) < real(kNegligible), x, result);  // also keeps -0
  }

  /// Computes asinh |x| as log(|x| + sqrt(x^2 + 1)), or by a polynomial if |x| < 1/2. The result gets the sign of x.
  static F asinh(F x) {
    F a = M::abs(x), s = a * a;
    F near = R::fma(a * s, R::polynomial(s, C::kAsinh), a);
    Bool far = a > real(kFar);
    F b = R::pick(far, real(1), a);
    Pair square = R::two_product(b, b);
    Pair radicand = R::two_sum(real(1), square.hi);
    radicand.lo = radicand.lo + square.lo;
    Pair root = square_root(radicand);
    Pair u = R::two_sum(root.hi, b);
    u.lo = u.lo + root.lo;
    F result = log_of_pair({R::pick(far, a, u.hi), R::pick(far, real(0), u.lo)}, M::select(far, integer(1), integer(0)));
    result = R::pick(a < real(0.5), near, result);
    result = R::pick(a < real(R::kInfinity), result, a);
    return R::copy_sign(result, x);
  }

  /// Computes acosh x as log(1 + (d + sqrt(x^2 - 1))) with d = x - 1. The argument of the logarithm is an accurate pair even if x is close
  /// to 1.
  static F acosh(F x) {
    Bool far = x > real(kFar);
    F b = R::pick(far, real(2), x);
    Pair d = R::two_sum(b, real(-1));
    Pair square = R::two_product(b, b);
    Pair radicand = R::two_sum(square.hi, real(-1));  // x^2 - 1
    radicand.lo = radicand.lo + square.lo;
    radicand = R::fast_two_sum(radicand.hi, radicand.lo);
    Pair root = square_root(radicand);
    Pair w = R::two_sum(root.hi, d.hi);
    w.lo = w.lo + (root.lo + d.lo);
    Pair u = R::two_sum(real(1), w.hi);
    u.lo = u.lo + w.lo;
    F result = log_of_pair({R::pick(far, x, u.hi), R::pick(far, real(0), u.lo)}, M::select(far, integer(1), integer(0)));
    result = R::pick(x < real(R::kInfinity), result, x);
    return R::pick(x < real(1), real(R::kNan), R::pick(x == real(1), real(0), result));
  }

  /// Computes atanh |x| as log((1 + |x|) / (1 - |x|)) / 2, or by a polynomial if |x| < 1/2. The result gets the sign of x.
  static F atanh(F x) {
    F a = M::abs(x), s = a * a;
    F near = R::fma(a * s, R::polynomial(s, C::kAtanh), a);
    F c = R::pick(a < real(1), a, real(0.5));
    F below = real(1) - c;  // exact for c >= 1/2
    Pair u = R::divide(R::fast_two_sum(real(1), c), {below, real(0)}, real(1) / below);
    F result = real(0.5) * log_of_pair(R::fast_two_sum(u.hi, u.lo), integer(0));
    result = R::pick(a < real(0.5), near, result);
    result = R::pick(a == real(1), real(R::kInfinity), result);
    return R::copy_sign(R::pick(a <= real(1), result, real(R::kNan)), x);
  }

 private:
  using Parts::exponent, Parts::without_exponent;
  /// Below this bound log1p x rounds to x.
  static constexpr Native kNegligible = 0x1p-54;
  /// Above this bound asinh x and acosh x are computed as log 2x.
  static constexpr Native kFar = 0x1p28;

  /// Computes log(1 + f) - f.
  template <size_t N>
  static F beyond_f(F f, const Native (&coefficients)[N]) {
    return R::fma(f * real(-0.5), f, (f * f * f) * R::polynomial(f, coefficients));
  }

  /// Returns c log(1 + f), for the constant c + c_low, as a sum of two floats. The low one may be larger than an ulp of the high one.
  static Pair scaled(F f, Native c, Native c_low) {
    F h = f * real(c);
    return {h, R::fma(beyond_f(f, C::kLog), real(c), R::fma(f, real(c_low), R::fma(f, real(c), -h)))};
  }

  /// Returns k * unit + f + low. The first two terms are added without a rounding error, as a pair.
  static F assemble(F k, Native unit, F f, F low) {
    F a = R::fma(k, real(unit), f), b = f - R::fma(k, real(-unit), a);
    return a + (b + low);
  }

  /// Returns log(2^more u) for a pair u whose high part is a normal number.
  static F log_of_pair(Pair u, I more) {
    I ix = R::bits(u.hi), e = exponent(ix);
    F low = R::pick(e > integer(60), real(0), u.lo * R::power_of_two(-e));
    Pair f = R::fast_two_sum(without_exponent(ix) - real(1), low);
    F k = M::template cast<D>(e + more);
    // the factor 1 - f + f^2 is close enough to the logarithm's derivative 1 / (1 + f), because f.lo is small
    F low_log = f.lo * R::fma(f.hi, f.hi - real(1), real(1));
    F rest = R::fma(k, real(C::kLn2Low), beyond_f(f.hi, C::kLog) + low_log);
    return assemble(k, C::kLn2, f.hi, rest);
  }

  static Pair square_root(Pair x) {
    F root = M::sqrt(x.hi);
    F correction = (R::fma(-root, root, x.hi) + x.lo) / (root + root);
    return {root, R::pick(x.hi > real(0), correction, real(0))};
  }
};

}  // namespace harp::math
