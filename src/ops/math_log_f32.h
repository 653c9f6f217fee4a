// Defines log, log2, log10, log1p, asinh, acosh, atanh for f32. The argument is 2^k m with m in [3/4, 3/2). The first four bits of m's
// fraction select one of sixteen intervals. One table gives a number near the reciprocal of the interval's centre; its product with m is 1
// + r with a small r. Another table gives the logarithm of that number. The numbers are chosen so that their logarithms have few bits, so k
// log 2 plus that logarithm is exact. In the intervals around 1 the reciprocal is 1, its logarithm is 0 and r = m - 1, so nothing cancels.
#pragma once

#include "ops/math_log.h"

namespace harp::math {

template <class M>
struct LogFunctions<M, DType::kF32> : LogParts<M, DType::kF32> {
  static constexpr DType D = DType::kF32;
  HARP_MATH_TYPES
  using Parts = LogParts<M, D>;
  using Parts::at_limits;

  static F log(F x) {
    Near n = near(x, kLogInverses, kLogCentres);
    return at_limits(x, natural(n.minus_k, n.centre, n.r));
  }

  static F log2(F x) {
    Near n = near(x, kLog2Inverses, kLog2Centres);
    F rest = R::fma(n.r, real(C::kLog2E), n.r * R::polynomial(n.r, C::kLog2Near));
    return at_limits(x, (n.centre - n.minus_k) + rest);
  }

  static F log10(F x) {
    Near n = near(x, kLog10Inverses, kLog10Centres);
    F rest = R::fma(n.r, real(C::kLog10E), R::fma(n.minus_k, real(-C::kLog10Of2Low), n.r * R::polynomial(n.r, C::kLog10Near)));
    return at_limits(x, R::fma(n.minus_k, real(-C::kLog10Of2), n.centre) + rest);
  }

  static F log1p(F x) {
    NearSum n = near_sum(x);
    return R::or_sign(at_limits(n.u, natural(n.minus_k, n.centre, n.r)), x);  // keeps -0
  }

  /// Computes asinh |x| as log(1 + w) with w = |x| + x^2 / (1 + sqrt(x^2 + 1)). The result gets the sign of x.
  static F asinh(F x) {
    F a = M::abs(x), root = M::sqrt(R::fma(a, a, real(1)));
    return R::or_sign(log_of_sum_or_twice(R::fast_two_sum(a, (a * a) / (real(1) + root)), a), x);
  }

  /// Computes acosh x as log(1 + w) with w = d + sqrt(d^2 + 2 d), where d = x - 1.
  static F acosh(F x) {
    F d = x - real(1), twice = d + d, square = R::fma(d, d, twice), root = M::sqrt(square);
    F lost = R::fma(-root, root, square) + R::fma(d, d, twice - square);
    Pair w = R::fast_two_sum(root, d);
    w.lo = R::fma(lost, real(0.5) / (root + real(R::kLeastNormal)), w.lo);
    return R::pick(x < real(1), real(R::kNan), log_of_sum_or_twice(w, x));
  }

  /// Computes atanh |x| as log(1 + w) / 2 with w = 2 |x| / (1 - |x|). The result gets the sign of x.
  static F atanh(F x) {
    F a = M::abs(x);
    Pair below = R::fast_two_sum(real(1), -a);
    Pair w = R::divide({a + a, real(0)}, below, real(1) / below.hi);
    return R::or_sign(real(0.5) * log_of_sum(w, real(0)), x);
  }

 private:
  /// Above this bound asinh x and acosh x are computed as log 2x.
  static constexpr Native kFar = 0x1p30;
  static constexpr typename R::NativeInt kMinMantissa = 0x3f400000;  // the bits of 3/4

  static constexpr auto kLogInverseBits = table_bits(C::kLogInverse), kLogCentreBits = table_bits(C::kLogCentre);
  static constexpr auto kLog2InverseBits = table_bits(C::kLog2Inverse), kLog2CentreBits = table_bits(C::kLog2Centre);
  static constexpr auto kLog10InverseBits = table_bits(C::kLog10Inverse), kLog10CentreBits = table_bits(C::kLog10Centre);
  static constexpr MathTable kLogInverses{"log_inverses", D, kLogInverseBits}, kLogCentres{"log_centres", D, kLogCentreBits};
  static constexpr MathTable kLog2Inverses{"log2_inverses", D, kLog2InverseBits}, kLog2Centres{"log2_centres", D, kLog2CentreBits};
  static constexpr MathTable kLog10Inverses{"log10_inverses", D, kLog10InverseBits}, kLog10Centres{"log10_centres", D, kLog10CentreBits};

  /// Returns the exponent k of a normal number 2^k m with m in [3/4, 3/2). `ix`: the bits of the number.
  static I exponent(I ix) { return (ix - integer(kMinMantissa)) >> integer(R::kMantissaBits); }
  static F mantissa(F x) {
    return M::named(
        "mantissa_near_one_f32",
        [](F v) {
          I ix = R::bits(Parts::normal(v));
          return R::from_bits(ix - (exponent(ix) << integer(R::kMantissaBits)));
        },
        x);
  }
  static F minus_exponent(F x) {
    return M::named(
        "minus_exponent_near_one_f32",
        [](F v) {
          I e = -exponent(R::bits(Parts::normal(v)));
          return M::template cast<D>(M::select(v < real(R::kLeastNormal), e + integer(Parts::kTinyBits), e));
        },
        x);
  }
  /// Returns x 2^-k, where k is the exponent of v.
  static F scaled_against(F x, F v) {
    return M::named(
        "scaled_against_f32", [](F a, F b) { return R::scale(a, -exponent(R::bits(b))); }, x, v);
  }
  /// The low four bits of the result are the number of m's interval; the bits above them do not matter.
  static I interval(F m) { return R::bits(m) >> integer(R::kMantissaBits - 4); }

  /// The decomposition log x = -minus_k log 2 + centre + log(1 + r).
  struct Near {
    F minus_k, centre, r;
  };
  /// Returns the decomposition of log x, for a positive finite x. `inverses` is the table of numbers near the reciprocals of the intervals'
  /// centres; `centres` is the table of the negated logarithms of these numbers.
  static Near near(F x, const MathTable& inverses, const MathTable& centres) {
    F m = mantissa(x);
    I i = interval(m);
    return {minus_exponent(x), M::template table<D>(centres, i), R::fma(m, M::template table<D>(inverses, i), real(-1))};
  }
  /// Returns log x, given its decomposition (Near). r already has a rounding error. So that adding r causes no further one, the sum of r
  /// and the larger terms is kept as a pair.
  static F natural(F minus_k, F centre, F r) {
    Pair lead = R::fast_two_sum(R::fma(minus_k, real(-C::kLn2), centre), r);
    F rest = R::fma(r * r, R::polynomial(r, C::kLogNear), minus_k * real(-C::kLn2Low));
    return lead.hi + (lead.lo + rest);
  }

  /// The decomposition, as in Near, of log u with u = 1 + w = 2^k m and w >= -1, and s = 2^-k inverse, where `inverse` is the table's
  /// number near 1 / m. r = m inverse - 1 is computed as w s + (s - 1), which rounds only once.
  struct NearSum {
    F u, minus_k, centre, r, s;
  };
  static NearSum near_sum(F w) {
    F u = real(1) + w;
    I i = interval(mantissa(u));
    F s = scaled_against(M::template table<D>(kLogInverses, i), u);
    return {u, minus_exponent(u), M::template table<D>(kLogCentres, i), R::fma(w, s, s - real(1)), s};
  }
  /// Computes log(2^more (1 + w.hi + w.lo)).
  static F log_of_sum(Pair w, F more) {
    NearSum n = near_sum(w.hi);
    F minus_k = n.minus_k - more;
    F low = R::fma(minus_k, real(-C::kLn2Low), w.lo * n.s);
    F rest = n.r + R::fma(n.r * n.r, R::polynomial(n.r, C::kLogNear), low);
    return at_limits(n.u, R::fma(minus_k, real(-C::kLn2), n.centre) + rest);
  }
  /// Returns log(1 + w). If x is so large that w would be 2x and may have overflowed, returns log 2x instead.
  static F log_of_sum_or_twice(Pair w, F x) {
    Bool far = x > real(kFar);
    return log_of_sum({R::pick(far, x, w.hi), R::pick(far, real(0), w.lo)}, R::pick(far, real(1), real(0)));
  }
};

}  // namespace harp::math
