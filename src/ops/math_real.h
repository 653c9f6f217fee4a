// Defines the basics of all math functions: the types of one dtype under a policy M (math.h), bit operations, polynomials, and arithmetic
// on pairs. A pair is an unevaluated sum hi + lo, where |lo| is about half an ulp of hi. It gives an intermediate value twice the
// precision, so that the function's result is in effect rounded only once. Names follow the literature (Dekker, Knuth; Muller et al.,
// "Handbook of Floating-Point Arithmetic", chapters 4 and 5).
#pragma once

#include <array>
#include <bit>
#include <limits>
#include <type_traits>

#include "ops/math_coefficients.h"

namespace harp::math {

/// Converts floats to their bits, which are the words of a MathTable.
template <size_t N>
constexpr std::array<uint32_t, N> table_bits(const float (&values)[N]) {
  std::array<uint32_t, N> bits = {};
  for (size_t i = 0; i < N; ++i) bits[i] = std::bit_cast<uint32_t>(values[i]);
  return bits;
}

template <size_t N, size_t Tables>
constexpr std::array<std::array<uint32_t, N>, Tables> table_bits(const float (&tables)[Tables][N]) {
  std::array<std::array<uint32_t, N>, Tables> bits = {};
  for (size_t i = 0; i < Tables; ++i) bits[i] = table_bits(tables[i]);
  return bits;
}

template <class M, DType D>
struct Real {
  static_assert(D == DType::kF32 || D == DType::kF64);
  static constexpr bool kDouble = D == DType::kF64;
  static constexpr DType kIntDType = kDouble ? DType::kI64 : DType::kI32;
  static constexpr int kMantissaBits = kDouble ? 52 : 23;
  static constexpr int kBias = kDouble ? 1023 : 127;

  using Native = std::conditional_t<kDouble, double, float>;
  using NativeInt = std::conditional_t<kDouble, int64_t, int32_t>;
  using C = Coefficients<D>;
  using F = typename M::template T<D>;
  using I = typename M::template T<kIntDType>;
  using Bool = typename M::template T<DType::kBool>;
  struct Pair {
    F hi, lo;
  };

  static constexpr Native kInfinity = std::numeric_limits<Native>::infinity();
  static constexpr Native kNan = std::numeric_limits<Native>::quiet_NaN();
  static constexpr Native kLeastNormal = std::numeric_limits<Native>::min();
  /// Adding kRounder rounds x to an integer, which is then in the low bits of the sum; requires |x| < 2^(kMantissaBits - 2).
  static constexpr Native kRounder = kDouble ? 0x1.8p52 : 0x1.8p23;
  static constexpr NativeInt kSignBit = std::numeric_limits<NativeInt>::min();

  static F real(Native c) {
    if constexpr (kDouble)
      return M::f64(c);
    else
      return M::f32(c);
  }
  static I integer(NativeInt c) {
    if constexpr (kDouble)
      return M::i64(c);
    else
      return M::i32(c);
  }
  static I bits(F x) { return M::template bitcast<kIntDType>(x); }
  static F from_bits(I x) { return M::template bitcast<D>(x); }
  static F fma(F a, F b, F c) { return M::fma(a, b, c); }
  static F pick(Bool condition, F a, F b) { return M::select(condition, a, b); }

  static Bool is_nan(F x) { return x != x; }
  static Bool is_negative(F x) { return bits(x) < integer(0); }  // tests the sign bit, so -0 is negative
  static F copy_sign(F magnitude, F sign) {
    return M::named(
        kDouble ? "copy_sign_f64" : "copy_sign_f32",
        [](F m, F s) { return from_bits((bits(m) & integer(~kSignBit)) | (bits(s) & integer(kSignBit))); }, magnitude, sign);
  }
  /// Returns x with its sign bit set if that of `sign` is set. A sign bit that x already has stays set.
  static F or_sign(F x, F sign) {
    return M::named(
        kDouble ? "or_sign_f64" : "or_sign_f32", [](F v, F s) { return from_bits(bits(v) | (bits(s) & integer(kSignBit))); }, x, sign);
  }
  /// Returns x if it is 0 or far below 1 (|x| < 2^-95 for f32, 2^-767 for f64: its biased exponent is in the lowest eighth of the range);
  /// otherwise y.
  static F keep_tiny(F x, F y) {
    constexpr NativeInt kLargeExponents = NativeInt{7} << (kDouble ? 60 : 28);
    return M::named(
        kDouble ? "keep_tiny_f64" : "keep_tiny_f32",
        [](F v, F w) { return pick((bits(v) & integer(kLargeExponents)) == integer(0), v, w); }, x, y);
  }
  static F flip_sign(F x, Bool condition) { return pick(condition, -x, x); }
  /// Limits x to [lo, hi]; NaN is returned unchanged.
  static F clamp(F x, Native lo, Native hi) { return at_least(at_most(x, hi), lo); }
  static F at_most(F x, Native hi) { return pick(x > real(hi), real(hi), x); }
  static F at_least(F x, Native lo) { return pick(x < real(lo), real(lo), x); }

  /// Returns 2^n if that is a normal number. For other n the result is an arbitrary number or NaN.
  static F power_of_two(I n) { return from_bits((n + integer(kBias)) << integer(kMantissaBits)); }
  /// Returns the integer n, given sum = n + kRounder.
  static I whole(F sum) { return bits(sum) - integer(std::bit_cast<NativeInt>(kRounder)); }
  /// Returns x 2^n for |n| up to twice the exponent range. It multiplies in two steps, because 2^n alone may overflow or underflow
  /// although the result does not.
  static F scale(F x, I n) {
    I half = n >> integer(1);
    return x * power_of_two(half) * power_of_two(n - half);
  }
  /// Returns x 2^n, given sum = n + kRounder. The first of the two multiplications of scale(x, n) must be exact for x. Then the scale
  /// instruction of AVX-512, which rounds only once, gives the same bits.
  static F scale(F x, F sum) {
    return M::named(
        kDouble ? "scale_f64" : "scale_f32", [](F v, F s) { return scale(v, whole(s)); }, x, sum);
  }

  /// Evaluates c[0] + c[1] x + c[2] x^2 + ... by Horner's rule.
  template <size_t N>
  static F polynomial(F x, const Native (&c)[N]) {
    F sum = real(c[N - 1]);
    for (size_t i = N - 1; i-- > 0;) sum = fma(sum, x, real(c[i]));
    return sum;
  }

  /// Returns a + b exactly. Requires |a| >= |b| or a = 0; it suffices that the exponent of a is not below that of b.
  static Pair fast_two_sum(F a, F b) {
    F hi = a + b;
    return {hi, b - (hi - a)};
  }
  /// Returns a + b c exactly, if the product b c is exact or too small to affect the sum.
  static Pair fast_two_sum(F a, F b, F c) {
    F hi = fma(b, c, a);
    return {hi, fma(b, c, a - hi)};
  }
  /// a + b exactly.
  static Pair two_sum(F a, F b) {
    F hi = a + b, part = hi - a;
    return {hi, (a - (hi - part)) + (b - part)};
  }
  /// Returns a b exactly, unless the low part underflows.
  static Pair two_product(F a, F b) {
    F hi = a * b;
    return {hi, fma(a, b, -hi)};
  }
  /// Returns a / b, given r close to 1 / b. The remainder of the division corrects the quotient.
  static Pair divide(Pair a, Pair b, F r) {
    F hi = a.hi * r;
    F remainder = fma(-hi, b.hi, a.hi) + fma(-hi, b.lo, a.lo);
    return {hi, remainder * r};
  }
  static F sum(Pair p) { return p.hi + p.lo; }
};

/// The first line of the struct of each family of functions: defines `R` and the types of its dtype.
#define HARP_MATH_TYPES                          \
  using R = Real<M, D>;                          \
  using C = typename R::C;                       \
  using F = typename R::F;                       \
  using I = typename R::I;                       \
  using Bool = typename R::Bool;                 \
  using Pair = typename R::Pair;                 \
  using Native = typename R::Native;             \
  static F real(Native c) { return R::real(c); } \
  static I integer(typename R::NativeInt c) { return R::integer(c); }

}  // namespace harp::math
