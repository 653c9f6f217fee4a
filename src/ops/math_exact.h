// Defines float functions whose result is exact or rounded once by definition: maximum, minimum, sign, copysign, fmod, NumPy's remainder
// and floor_divide (which use fmod), and the predicates.
#pragma once

#include "ops/math_real.h"

namespace harp::math {

template <class M, DType D>
struct ExactFunctions {
  HARP_MATH_TYPES

  // maximum and minimum select twice, the second time with exchanged operands. The two selections have different bits only if neither
  // comparison is true, so that each selects its second operand. In that case the operands are +0 and -0, or one of them is NaN. Combining
  // the bits of both selections then gives the right zero, or a NaN.
  /// If an operand is NaN, the result is NaN. max(-0, +0) = +0, because `and` combines the sign bits and `or` combines all other bits.
  static F maximum(F a, F b) {
    I first = R::bits(R::pick(a > b, a, b)), second = R::bits(R::pick(b > a, b, a));
    return R::from_bits((first & second) | ((first | second) & integer(~R::kSignBit)));
  }
  /// If an operand is NaN, the result is NaN. min(-0, +0) = -0.
  static F minimum(F a, F b) {
    I first = R::bits(R::pick(a < b, a, b)), second = R::bits(R::pick(b < a, b, a));
    return R::from_bits(first | second);
  }

  /// Return the maximum and the minimum of `a`, which must not be NaN, and `b`; return `a` if b is NaN. Together with found_nan() this is
  /// the fastest way to compute a running maximum of many numbers.
  static F greater_number(F a, F b) { return R::pick(R::is_nan(b), a, maximum(a, b)); }
  static F lesser_number(F a, F b) { return R::pick(R::is_nan(b), a, minimum(a, b)); }
  /// Returns a if it is greater than b, otherwise b.
  static F first_if_greater(F a, F b) { return R::pick(b < a, a, b); }
  /// Returns NaN if a or b is NaN, otherwise `found`.
  static F found_nan(F found, F a, F b) { return R::pick(R::is_nan(a) | R::is_nan(b), real(R::kNan), found); }

  static F abs(F x) { return M::abs(x); }
  /// Returns -1 or 1; returns x itself if it is zero or NaN.
  static F sign(F x) { return R::pick(x > real(0), real(1), R::pick(x < real(0), real(-1), x)); }
  /// Returns `magnitude` with the sign of `sign`. A `sign` that is NaN counts as positive, because the sign bit of a computed NaN differs
  /// between machines (docs/semantics.md).
  static F copysign(F magnitude, F sign) { return R::copy_sign(magnitude, R::pick(R::is_nan(sign), real(0), sign)); }
  /// Rounds to the nearest integer, half to even.
  static F round(F x) { return M::rint(x); }

  static Bool isnan(F x) { return R::is_nan(x); }
  static Bool isinf(F x) { return M::abs(x) == real(R::kInfinity); }
  static Bool isfinite(F x) { return M::abs(x) < real(R::kInfinity); }

  /// Returns x - trunc(x / y) y exactly, with the sign of x, as fmod of C does; NaN if x is infinite or y is 0.
  static F fmod(F x, F y) {
    F a = M::abs(x), b = M::abs(y);
    F q = M::trunc(a / b);
    // q is the integer quotient, or 1 more if the division rounded up to an integer; in both cases fma gives the exact remainder
    F r = R::fma(-q, b, a);
    r = R::pick(r < real(0), r + b, r);
    r = R::pick(a < b, a, r);
    Bool far = (q >= real(kMaxQuotient)) & (a < real(R::kInfinity)) & (b > real(0));
    r = M::rarely(
        R::kDouble ? "fmod_far_f64" : "fmod_far_f32", far, r, [](F u, F v) { return fmod_far(u, v); }, a, b);
    Bool defined = (a < real(R::kInfinity)) & (b > real(0)) & !R::is_nan(y);
    return R::pick(defined, R::copy_sign(r, x), real(R::kNan));
  }

  /// Returns the remainder as NumPy and Python define it: it has the sign of y, even if it is zero.
  static F remainder(F x, F y) {
    F r = fmod(x, y);
    Bool other_sign = (r < real(0)) != (y < real(0));
    return R::pick(r == real(0), R::copy_sign(real(0), y), R::pick(other_sign, r + y, r));
  }

  /// Returns NumPy's floor_divide: the integer quotient that belongs to remainder(x, y). It may differ from floor(x / y), because that
  /// division rounds.
  static F floor_divide(F x, F y) {
    F r = fmod(x, y);
    Bool down = (r != real(0)) & ((r < real(0)) != (y < real(0)));
    F quotient = (x - r) / y;
    quotient = R::pick(down, quotient - real(1), quotient);
    F whole = M::floor(quotient);
    whole = R::pick(quotient - whole > real(0.5), whole + real(1), whole);
    whole = R::pick(quotient == real(0), R::copy_sign(real(0), x / y), whole);
    return R::pick(y == real(0), x / y, whole);
  }

 private:
  /// All integers up to this bound are exact in the dtype. For larger quotients fmod() uses fmod_far().
  static constexpr Native kMaxQuotient = R::kDouble ? 0x1p53 : 0x1p24;

  using F64 = typename M::template T<DType::kF64>;
  using I64 = typename M::template T<DType::kI64>;

  /// A positive finite number m 2^e, where m is an integer whose highest mantissa bit is set.
  struct Parts {
    F64 m;
    I e;
  };
  static Parts parts(F x) {
    Bool tiny = x < real(R::kLeastNormal);
    I b = R::bits(R::pick(tiny, x * real(R::kDouble ? 0x1p52 : 0x1p23), x));
    I e = (b >> integer(R::kMantissaBits)) - integer(R::kBias + R::kMantissaBits);
    constexpr typename R::NativeInt hidden = typename R::NativeInt{1} << R::kMantissaBits;
    I m = (b & integer(hidden - 1)) | integer(hidden);
    return {M::template cast<DType::kF64>(m), M::select(tiny, e - integer(R::kMantissaBits), e)};
  }

  /// Returns the residue of x modulo m in [-m/2, m/2], for an x slightly outside that range.
  static F64 centre(F64 x, F64 m) {
    F64 half = m * M::f64(0.5);
    x = M::select(x > half, x - m, x);
    return M::select(x < -half, x + m, x);
  }
  /// Returns the residue of a * b modulo m in [-m/2, m/2], for a and b in that range and an integer m < 2^53. All steps are exact.
  static F64 multiply(F64 a, F64 b, F64 m) {
    F64 p = a * b, p_low = M::fma(a, b, -p);
    F64 q = M::rint(p / m);
    return centre(M::fma(-q, m, p) + p_low, m);
  }

  /// Returns the remainder for quotients above kMaxQuotient. With x = m_x 2^(e_x) and y = m_y 2^(e_y), it is m_x 2^(e_x - e_y) mod m_y,
  /// times 2^(e_y). The power of 2 modulo m_y is computed by repeated squaring.
  static F fmod_far(F x, F y) {
    // The number of squarings. The computation of 2^d begins with 2^(d >> kSteps), which is below m_y / 2 for the largest exponent
    // difference d.
    constexpr int kSteps = R::kDouble ? 6 : 4;
    Parts a = parts(x), b = parts(y);
    F64 m = b.m;
    I64 d = M::template cast<DType::kI64>(a.e - b.e);
    // if d is negative, the caller discards the result, so the wrong value of `power` does not matter
    F64 power = M::template bitcast<DType::kF64>(((d >> M::i64(kSteps)) + M::i64(1023)) << M::i64(52));
    for (int bit = kSteps - 1; bit >= 0; --bit) {
      power = multiply(power, power, m);
      F64 doubled = centre(power + power, m);
      power = M::select(((d >> M::i64(bit)) & M::i64(1)) != M::i64(0), doubled, power);
    }
    F64 q = M::rint(a.m / m);
    F64 r = multiply(M::fma(-q, m, a.m), power, m);
    r = M::select(r < M::f64(0), r + m, r);
    return R::scale(M::template cast<D>(r), b.e);
  }
};

}  // namespace harp::math
