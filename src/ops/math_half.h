// Defines conversions from and to f16 and bf16, done on their bits in 32-bit words. Widening to f32 is exact; narrowing rounds once to
// nearest, ties to even. All computation on these dtypes is done in f32. Values of f64 and wide integers may not fit an f32; they are first
// rounded to odd, that is, to an f32 whose last bit records any loss. Then the rounding to 16 bits is the only rounding.
#pragma once

#include <type_traits>

#include "ops/dtype.h"

namespace harp::math {

/// The format of a 16-bit float: `kMantissaBits` of mantissa, below the exponent and the sign.
template <DType D>
struct HalfFormat {
  static_assert(D == DType::kF16 || D == DType::kBF16);
  static constexpr uint32_t kMantissaBits = D == DType::kF16 ? 10 : 7;
  static constexpr uint32_t kInfinity = D == DType::kF16 ? 0x7c00 : 0x7f80;
  static constexpr uint32_t kNan = D == DType::kF16 ? 0x7e00 : 0x7fc0;
  static constexpr uint32_t kDropped = 23 - kMantissaBits;  // the number of bits of an f32's mantissa that the format lacks
};

template <class M, DType D>
struct HalfConversions {
  using Format = HalfFormat<D>;
  using Half = typename M::template T<D>;
  using U16 = typename M::template T<DType::kU16>;
  using U32 = typename M::template T<DType::kU32>;
  using F32 = typename M::template T<DType::kF32>;
  using F64 = typename M::template T<DType::kF64>;
  using Bool = typename M::template T<DType::kBool>;

  /// Converts to f32 exactly. A NaN stays a NaN.
  static F32 widen(Half x) {
    U32 b = bits(x);
    if constexpr (D == DType::kBF16) {
      return real(b << word(16));
    } else {
      // After the shift the exponent is 112 too small, because f16 and f32 have different exponent biases. The multiplication corrects it,
      // also for subnormals. Infinity and NaN are handled separately.
      U32 magnitude = (b & word(0x7fff)) << word(Format::kDropped), sign = (b & word(0x8000)) << word(16);
      U32 finite = M::template bitcast<DType::kU32>(real(magnitude) * M::f32(0x1p112f));
      U32 beyond = magnitude | word(0x7f800000);
      return real(M::select(magnitude < word(Format::kInfinity << Format::kDropped), finite, beyond) | sign);
    }
  }

  static Half narrow(F32 x) {
    U32 b = M::template bitcast<DType::kU32>(x), sign = (b >> word(16)) & word(0x8000), magnitude = b & word(0x7fffffff);
    return half(M::select(magnitude > word(0x7f800000), word(Format::kNan), nearest(magnitude)) | sign);
  }

  static Half narrow(F64 x) { return narrow(to_odd(x)); }

  /// Narrows a 32-bit or 64-bit integer. So that narrowing rounds only once, the integer is first rounded to odd (see the top of this
  /// file), to as many bits as the mantissa of an f32 or f64 has.
  template <DType Int>
  static Half narrow_int(typename M::template T<Int> x) {
    static_assert(is_int(Int) && size_of(Int) >= 4);
    constexpr bool kWide = size_of(Int) == 8;
    constexpr DType kReal = kWide ? DType::kF64 : DType::kF32;
    constexpr int64_t kExact = int64_t{1} << (kWide ? 53 : 24), kLost = kWide ? 11 : 8, kPlace = int64_t{1} << kLost;
    const auto n = [](int64_t c) { return M::template integer<Int>(c); };
    auto low = x & n(kPlace - 1);
    auto odd = (x & n(-kPlace)) | M::select(low != n(0), n(kPlace), n(0));
    Bool far = x >= n(kExact);
    if constexpr (is_signed_int(Int)) far = far | (x <= n(-kExact));
    return narrow(M::template cast<kReal>(M::select(far, odd, x)));
  }

  /// The bits of x, with every NaN replaced by the positive quiet NaN.
  static U16 canonical_bits(Half x) {
    U32 b = bits(x);
    return M::template cast<DType::kU16>(M::select((b & word(0x7fff)) > word(Format::kInfinity), word(Format::kNan), b));
  }

 private:
  static U32 word(uint32_t c) { return M::u32(c); }
  static F32 real(U32 b) { return M::template bitcast<DType::kF32>(b); }
  static U32 bits(Half x) { return M::template cast<DType::kU32>(M::template bitcast<DType::kU16>(x)); }
  static Half half(U32 b) { return M::template bitcast<D>(M::template cast<DType::kU16>(b)); }

  /// The bits of the half nearest to a nonnegative f32 that is not NaN.
  static U32 nearest(U32 magnitude) {
    // Adds, as an integer, half a unit in the last place of the result, or 1 less if the last bit of the result is 0, so that ties round to
    // even. The carry may reach the exponent and may give infinity.
    U32 last = (magnitude >> word(Format::kDropped)) & word(1);
    U32 rounded = magnitude + word((1u << (Format::kDropped - 1)) - 1) + last;
    if constexpr (D == DType::kBF16) {
      return rounded >> word(Format::kDropped);
    } else {
      U32 normal = (rounded - word(112u << 23)) >> word(Format::kDropped);
      // The last bit of an f16 subnormal has the value of the last bit of 0.5 in f32, so adding 0.5 rounds at that bit.
      U32 subnormal = M::template bitcast<DType::kU32>(real(magnitude) + M::f32(0.5f)) - word(0x3f000000);
      U32 finite = M::select(magnitude < word(0x38800000), subnormal, normal);
      return M::select(magnitude < word(0x477ff000), finite, word(Format::kInfinity));
    }
  }

  /// Rounds x to odd: returns x itself if it is an f32, otherwise the adjacent f32 whose last bit is 1.
  static F32 to_odd(F64 x) {
    F32 near = M::template cast<DType::kF32>(x);
    F64 back = M::template cast<DType::kF64>(near);
    U32 b = M::template bitcast<DType::kU32>(near);
    // The other f32 adjacent to x. Its magnitude is below that of `near` if |near| > |x| (for example if x overflowed to infinity),
    // otherwise above.
    U32 other = M::select(M::abs(back) > M::abs(x), b - word(1), b + word(1));
    Bool is_even = (b & word(1)) == word(0);
    return real(M::select((back != x) & is_even & (x == x), other, b));
  }
};

}  // namespace harp::math
