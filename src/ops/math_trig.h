// Defines sin, cos, tan for f32 and f64, over the whole range. The argument is reduced to i pi/2 + (r + low) with |r| <= pi/4. For
// arguments up to kNear, the reduction subtracts a multiple of pi/2 in three parts. Larger arguments are rare; they are multiplied by the
// relevant bits of 2/pi in integer arithmetic (the method of Payne and Hanek). sin and cos of f32 reduce to i pi/8 + (r + low) with |r| <=
// pi/16 and then use tables (ops/math_piecewise.h).
#pragma once

#include <bit>

#include "ops/math_piecewise.h"

namespace harp::math {

template <class M, DType D>
struct TrigFunctions {
  HARP_MATH_TYPES

  static F sin(F x) {
    if constexpr (R::kDouble)
      return M::rarely(
          "sin_far_f64", is_far(x), quadrant(near(x), 0), [](F v) { return quadrant(far(v), 0); }, x);
    else
      return M::rarely(
          "sin_far_f32", is_far(x), R::pick(x == real(0), x, sine(near_eighth(x))), [](F v) { return sine(far_f32(v, kEighth)); }, x);
  }
  static F cos(F x) {
    if constexpr (R::kDouble)
      return M::rarely(
          "cos_far_f64", is_far(x), quadrant(near(x), 1), [](F v) { return quadrant(far(v), 1); }, x);
    else
      return M::rarely(
          "cos_far_f32", is_far(x), cosine(near_eighth(x)), [](F v) { return cosine(far_f32(v, kEighth)); }, x);
  }
  static F tan(F x) {
    F common = R::pick(M::abs(x) < real(kTiny), x, tangent(near(x)));  // also keeps -0
    return M::rarely(
        R::kDouble ? "tan_far_f64" : "tan_far_f32", is_far(x), common, [](F v) { return tangent(far(v)); }, x);
  }

 private:
  using U64 = typename M::template T<DType::kU64>;
  using F64 = typename M::template T<DType::kF64>;
  using I64 = typename M::template T<DType::kI64>;

  /// Represents x = i pi/2 + (r + low), up to a multiple of 2 pi.
  struct Angle {
    F r, low;
    I i;
  };

  static constexpr Native kNear = R::kDouble ? 0x1p30 : 0x1p15;
  /// Below this bound tan x rounds to x.
  static constexpr Native kTiny = R::kDouble ? 0x1p-28 : 0x1p-13;

  // Tests whether |x| is too large for near(). Also true for infinity, for which far() gives NaN.
  static Bool is_far(F x) { return M::abs(x) >= real(kNear); }

  /// Reduces x by multiples of pi/2. `low` of the result contains all rounding errors of the reduction.
  static Angle near(F x) {
    F z = R::fma(x, real(C::kTwoOverPi), real(R::kRounder)), n = z - real(R::kRounder);
    F r1 = R::fma(n, real(-C::kHalfPi), x);  // exact
    Pair product = R::two_product(n, real(C::kHalfPiLow));
    Pair r = R::two_sum(r1, -product.hi);
    F low = R::fma(n, real(-C::kHalfPiLowest), r.lo - product.lo);
    return {r.hi, low, R::bits(z)};
  }

  /// Reduces an f32 by multiples of pi/8. If r is small, its rounding error cannot be computed exactly and is ignored.
  static Angle near_eighth(F x) {
    F z = R::fma(x, real(C::kTwoOverPi * 4), real(R::kRounder)), n = z - real(R::kRounder);
    F r1 = R::fma(n, real(-C::kHalfPi / 4), x), r = R::fma(n, real(-C::kHalfPiLow / 4), r1);  // r1 exact
    F lost = R::fma(n, real(-C::kHalfPiLow / 4), r1 - r);
    F low = R::fma(n, real(-C::kHalfPiLowest / 4), R::pick(r * r > real(0x1p-20), lost, real(0)));
    return {r, low, R::bits(z)};
  }
  /// Return the sine and the cosine of an angle that was reduced by multiples of pi/8 (near_eighth).
  static F sine(Angle angle) { return Piecewise<M>::sine(angle.r, angle.low, angle.i); }
  static F cosine(Angle angle) { return Piecewise<M>::sine(angle.r, angle.low, angle.i + integer(4)); }

  /// Returns sin(r + low + (i + shift) pi/2); for f64 only.
  static F quadrant(Angle angle, typename R::NativeInt shift) {
    F r = angle.r, s = r * r;
    I i = angle.i + integer(shift);
    F a = r + R::fma(r * s, R::polynomial(s, C::kSin), angle.low);
    a = R::from_bits(R::bits(a) | (R::bits(r) & integer(R::kSignBit)));                       // sin(-0) = -0
    F whole = R::fma(s, real(-0.5), real(1)), rest = R::fma(s, real(-0.5), real(1) - whole);  // whole + rest is 1 - s / 2
    rest = R::fma(-r, angle.low, rest);
    F b = whole + R::fma(s * s, R::polynomial(s, C::kCos), rest);
    F value = R::pick((i & integer(1)) != integer(0), b, a);
    return R::from_bits(R::bits(value) ^ ((i & integer(2)) << integer(62)));
  }

  /// Returns tan(r + low + i pi/2): t for even i and -1 / t for odd i, with t as a pair.
  static F tangent(Angle angle) {
    F r = angle.r, s = r * r;
    // Near pi/4 the rounding error of s = r^2 matters. It is multiplied by the derivative of r^3 c(r^2) with respect to r^2, for which r /
    // 2 is close enough.
    F low = R::fma(r * R::fma(r, r, -s), real(0.5), R::fma(angle.low, s, angle.low));
    F rest = R::fma(r * s, R::polynomial(s, C::kTan), low);
    Pair t = R::fast_two_sum(r, rest);
    F y = real(-1) / t.hi;
    F cotangent = R::fma(y, R::fma(y, t.lo, R::fma(y, t.hi, real(1))), y);
    return R::pick((angle.i & integer(1)) != integer(0), cotangent, t.hi);
  }

  static U64 word(I index) {
    return M::template cast<DType::kU64>(M::template table<DType::kU32>(kTwoOverPiTable, M::template cast<DType::kI32>(index)));
  }

  static Angle far(F x) {
    if constexpr (R::kDouble)
      return far_f64(x);
    else
      return far_f32(x, kQuarter);
  }

  /// far_f32 multiplies the 24 bits of x by 96 bits of 2/pi and keeps 64 bits of the product: 2 bits count multiples of pi/2, 62 bits are
  /// the fraction. Then it subtracts a multiple of pi/2 (unit = kQuarter) or of pi/8 (unit = kEighth). In these 64 bits, pi/2 or pi/8 is
  /// represented by 2^unit.
  static constexpr uint64_t kQuarter = 62, kEighth = 60;
  static Angle far_f32(F x, uint64_t unit) {
    I a = R::bits(x) & integer(0x7fffffff), s = (a >> integer(23)) - integer(120), w = (s >> integer(5)) & integer(7);
    U64 shift = M::template cast<DType::kU64>(s & integer(31));
    U64 m = M::template cast<DType::kU64>((a & integer(0x7fffff)) | integer(0x800000));
    U64 t2 = word(w + integer(2)), k32 = M::u64(32);
    U64 high = (((word(w) << k32) | word(w + integer(1))) << shift) | (t2 >> (k32 - shift));
    U64 low = (((t2 << k32) | word(w + integer(3))) << shift) >> k32;
    U64 p = m * high + ((m * low) >> k32), k = (p + M::u64(uint64_t{1} << (unit - 1))) >> M::u64(unit);
    F64 d = M::template cast<DType::kF64>(M::template cast<DType::kI64>(p - (k << M::u64(unit)))) * M::f64(0x1.921fb54442d18p-62);
    Bool negative = x < real(0);
    I i = M::template cast<DType::kI32>(k);
    d = M::select(negative, -d, d);
    F r = M::template cast<DType::kF32>(d);
    return {r, M::template cast<DType::kF32>(d - M::template cast<DType::kF64>(r)) + (x - x), M::select(negative, -i, i)};
  }

  /// Multiplies the 53 bits of x by 192 bits of 2/pi and keeps 2 integer bits and 126 fraction bits. No f64 is closer than 2^-62 to a
  /// multiple of pi/2, so at least 64 bits of the result are correct.
  static Angle far_f64(F x) {
    constexpr int kWords = 6;
    const U64 k32 = M::u64(32), mask = M::u64(0xffffffff), zero = M::u64(0);
    I a = R::bits(x) & integer(0x7fffffffffffffff);
    // The position in kTwoOverPiWords, in bits, of the first bit that is used. The table begins with 32 zeros.
    I position = (a >> integer(52)) - integer(1075 - 30);
    I first = (position >> integer(5)) & integer(31);
    U64 shift = M::template cast<DType::kU64>(position & integer(31));
    U64 m = M::template cast<DType::kU64>((a & integer(0xfffffffffffff)) | integer(0x10000000000000));
    U64 m0 = m & mask, m1 = m >> k32;
    U64 v[kWords] = {zero, zero, zero, zero, zero, zero};
    for (int j = 0; j < kWords; ++j) {
      U64 two_words = (word(first + integer(j)) << k32) | word(first + integer(j + 1));
      v[j] = ((two_words << shift) >> k32) & mask;
    }
    // schoolbook multiplication with 32 bits in each column, from the last column to the first
    U64 column[kWords] = {zero, zero, zero, zero, zero, zero};
    U64 carry = zero;
    for (int j = kWords - 1; j >= 0; --j) {
      U64 p0 = m0 * v[j];
      U64 p1 = j + 1 < kWords ? m1 * v[j + 1] : zero;
      U64 low = (p0 & mask) + (p1 & mask) + (carry & mask);
      column[j] = low & mask;
      carry = (p0 >> k32) + (p1 >> k32) + (carry >> k32) + (low >> k32);
    }
    U64 p = (column[0] << k32) | column[1], more = (column[2] << k32) | column[3];
    U64 k = (p + M::u64(uint64_t{1} << 61)) >> M::u64(62);
    I fraction = M::template cast<DType::kI64>(p - (k << M::u64(62)));
    F high = M::template cast<DType::kF64>(fraction);
    F rest = M::template cast<DType::kF64>(fraction - M::template cast<DType::kI64>(high));  // |high| <= 2^61
    F below = M::template cast<DType::kF64>(M::template cast<DType::kI64>(more >> M::u64(1))) * real(0x1p-63);
    Pair d = R::fast_two_sum(high, rest + below);
    Pair r = R::two_product(d.hi, real(C::kHalfPi * 0x1p-62));
    r.lo = r.lo + R::fma(d.hi, real(C::kHalfPiLow * 0x1p-62), d.lo * real(C::kHalfPi * 0x1p-62));
    Bool negative = x < real(0);
    I i = M::template cast<DType::kI64>(k);
    return {R::flip_sign(r.hi, negative), R::flip_sign(r.lo, negative) + (x - x), M::select(negative, -i, i)};
  }
};

}  // namespace harp::math
