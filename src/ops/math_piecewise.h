// Defines tanh, erf, atan and sine for f32. The argument of each function is divided into sixteen intervals. For each interval, tables have
// its centre and the coefficients of a short polynomial. Except for the sine, the centres are chosen so that the function's value there is
// close to an f32.
#pragma once

#include "ops/math_real.h"

namespace harp::math {

template <class M>
struct Piecewise {
  static constexpr DType D = DType::kF32;
  HARP_MATH_TYPES

  static F tanh(F x) {
    F a = R::at_most(M::abs(x), 9.02F);  // for larger arguments tanh rounds to 1
    I i = R::bits(real(1) + a) >> integer(R::kMantissaBits - 2);
    F t = a - M::template table<D>(kTanhTables[0], i);
    return R::or_sign(R::fma(slope(t, i, kTanhTables), t, M::template table<D>(kTanhTables[1], i)), x);
  }

  static F erf(F x) {
    F a = R::at_most(M::abs(x), 3.95F);  // for larger arguments erf rounds to 1
    I i = R::bits(R::fma(a, real(3.9F), real(R::kRounder)));
    F t = a - M::template table<D>(kErfTables[0], i);
    // in interval 0 the centre is 0, and slope() returns erf(a) / a - 1
    F lead = R::pick(t == a, a, M::template table<D>(kErfTables[1], i));
    return R::or_sign(R::fma(slope(t, i, kErfTables), t, lead), x);
  }

  /// Computes atan a = atan c + atan t with t = (f a - c) / (c a + f) and a = |x|. f is 1, except in the last interval, where f = 0 and c =
  /// 1 give t = -1 / a.
  static F atan(F x) {
    // Above this limit atan rounds to pi/2. The clamp keeps infinity out of the product.
    F a = R::at_most(M::abs(x), 0x1p100F);
    I i = R::bits(R::clamp(a, 0x1p-4F, 12)) >> integer(R::kMantissaBits - 1);
    F centre = M::template table<D>(kAtanCentres, i), factor = M::template table<D>(kAtanFactors, i);
    F t = R::fma(a, factor, -centre) / R::fma(a, centre, factor), square = t * t;
    F near = R::fma(t * square, R::polynomial(square, C::kAtanNear), t);
    return R::or_sign(M::template table<D>(kAtansOfCentres, i) + near, x);
  }

  /// Computes sin(i pi/8 + r + low) for |r| <= pi/16 as sine + (cosine sin r + sine (cos r - 1)), where `sine` and `cosine` of i pi/8 are
  /// from tables, with their signs.
  static F sine(F r, F low, I i) {
    F square = r * r, sine = M::template table<D>(kSines, i), cosine = M::template table<D>(kCosines, i);
    F beyond_r = R::fma(r * square, R::polynomial(square, C::kSin), low);
    F rest = R::fma(sine, square * R::polynomial(square, C::kCos), M::template table<D>(kSinesLow, i));
    return sine + R::fma(cosine, r, R::fma(cosine, beyond_r, rest));
  }

 private:
  /// Returns (c(t) - c(0)) / t, where c is the polynomial of the interval. tables[0] contains the centres of the intervals, and tables[k +
  /// 1] the coefficients of t^k.
  template <size_t N>
  static F slope(F t, I interval, const MathTable (&tables)[N]) {
    F sum = M::template table<D>(tables[N - 1], interval);
    for (size_t i = N - 1; i-- > 2;) sum = R::fma(sum, t, M::template table<D>(tables[i], interval));
    return sum;
  }

  static constexpr auto kTanhBits = table_bits(C::kTanh), kErfBits = table_bits(C::kErfNear);
  static constexpr MathTable kTanhTables[] = {{"tanh_centre", D, kTanhBits[0]}, {"tanh_0", D, kTanhBits[1]}, {"tanh_1", D, kTanhBits[2]},
                                              {"tanh_2", D, kTanhBits[3]},      {"tanh_3", D, kTanhBits[4]}, {"tanh_4", D, kTanhBits[5]},
                                              {"tanh_5", D, kTanhBits[6]},      {"tanh_6", D, kTanhBits[7]}};
  static constexpr MathTable kErfTables[] = {{"erf_centre", D, kErfBits[0]}, {"erf_0", D, kErfBits[1]}, {"erf_1", D, kErfBits[2]},
                                             {"erf_2", D, kErfBits[3]},      {"erf_3", D, kErfBits[4]}, {"erf_4", D, kErfBits[5]},
                                             {"erf_5", D, kErfBits[6]},      {"erf_6", D, kErfBits[7]}};
  static constexpr auto kAtanCentreBits = table_bits(C::kAtanCentre), kAtanFactorBits = table_bits(C::kAtanFactor),
                        kAtanOfCentreBits = table_bits(C::kAtanOfCentre);
  static constexpr MathTable kAtanCentres{"atan_centre", D, kAtanCentreBits}, kAtanFactors{"atan_factor", D, kAtanFactorBits},
      kAtansOfCentres{"atan_of_centre", D, kAtanOfCentreBits};
  static constexpr auto kSineBits = table_bits(C::kSine), kSineLowBits = table_bits(C::kSineLow), kCosineBits = table_bits(C::kCosine);
  static constexpr MathTable kSines{"sine", D, kSineBits}, kSinesLow{"sine_low", D, kSineLowBits}, kCosines{"cosine", D, kCosineBits};
};

}  // namespace harp::math
