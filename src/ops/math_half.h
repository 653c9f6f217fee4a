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
  using U64 = typename M::template T<DType::kU64>;
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

  static Half narrow(F32 x) { return half(narrow_bits(x)); }

  static Half narrow(F64 x) {
    if constexpr (D == DType::kF16) {
      // What is not a normal f32 is 0 or infinity in f16, whatever the conversion to f32 makes of it.
      return narrow_as_f32(M::template cast<DType::kF32>(to_odd(x)));
    } else {
      // A number below the normal f32s is below the normal bf16s, too: adding a number whose last bit has the value of a subnormal's last
      // bit rounds there, and the low bits of the sum are those of the result.
      F64 magnitude = M::abs(x);
      U32 sign = M::template cast<DType::kU32>(M::template bitcast<DType::kU64>(x) >> M::u64(48)) & word(0x8000);
      U32 tiny = M::template cast<DType::kU32>(M::template bitcast<DType::kU64>(magnitude + M::f64(0x1p-81)));
      U32 normal = narrow_bits(M::template cast<DType::kF32>(to_odd(x)));
      return half(M::select(magnitude < M::f64(0x1p-126), tiny | sign, normal));
    }
  }

  /// Narrows a 32-bit or 64-bit integer with one rounding.
  template <DType Int>
  static Half narrow_int(typename M::template T<Int> x) {
    static_assert(is_int(Int) && size_of(Int) >= 4);
    const auto n = [](int64_t c) { return M::template integer<Int>(c); };
    if constexpr (D == DType::kF16) {
      // An f32 represents every integer up to 2^17, and f16 makes infinity of that one and of all beyond.
      constexpr int64_t kBeyond = int64_t{1} << 17;
      auto near = M::select(x < n(kBeyond), x, n(kBeyond));
      if constexpr (is_signed_int(Int)) near = M::select(near > n(-kBeyond), near, n(-kBeyond));
      if constexpr (Int == DType::kI32)
        return narrow_as_f32(M::template cast<DType::kF32>(near));
      else
        return narrow_as_f32(M::template cast<DType::kF32>(M::template cast<DType::kI32>(near)));
    } else {
      // The integer is first rounded to odd, to as many bits as the mantissa of an f32 or f64 has.
      constexpr bool kWide = size_of(Int) == 8;
      constexpr int64_t kExact = int64_t{1} << (kWide ? 53 : 24), kPlace = int64_t{1} << (kWide ? 11 : 8);
      auto odd = (((x & n(kPlace - 1)) + n(kPlace - 1)) | x) & n(-kPlace);
      Bool far = x >= n(kExact);
      if constexpr (is_signed_int(Int)) far = far | (x <= n(-kExact));
      if constexpr (kWide)
        return narrow_number(M::template cast<DType::kF32>(to_odd(M::template cast<DType::kF64>(M::select(far, odd, x)))));
      else
        return narrow_number(M::template cast<DType::kF32>(M::select(far, odd, x)));
    }
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

  static Half narrow_as_f32(F32 x) {
    static_assert(D == DType::kF16);
    return M::named(
        "f16_of_f32", [](F32 v) { return narrow(v); }, x);
  }
  /// Narrows an f32 that is not NaN.
  static Half narrow_number(F32 x) {
    static_assert(D == DType::kBF16);
    return half(nearest(M::template bitcast<DType::kU32>(x)));
  }

  static U32 narrow_bits(F32 x) {
    U32 b = M::template bitcast<DType::kU32>(x), sign = (b >> word(16)) & word(0x8000);
    if constexpr (D == DType::kBF16) return M::select(x == x, nearest(b), sign | word(Format::kNan));
    U32 magnitude = b & word(0x7fffffff);
    return M::select(magnitude > word(0x7f800000), word(Format::kNan), nearest(magnitude)) | sign;
  }

  /// The bits of the half nearest to an f32 that is not NaN. For f16 the number must not be negative; a bf16 has the sign bit of the f32.
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

  /// Rounds x to odd, to as many bits as the mantissa of an f32 has: sets the last of these bits if any bit after it is set. An infinity or
  /// NaN stays one.
  static F64 to_odd(F64 x) {
    constexpr uint64_t kLost = (uint64_t{1} << 29) - 1;
    U64 b = M::template bitcast<DType::kU64>(x);
    // Adding kLost to the bits after the last one carries into the last one unless they are 0.
    return M::template bitcast<DType::kF64>((((b & M::u64(kLost)) + M::u64(kLost)) | b) & M::u64(~kLost));
  }
};

}  // namespace harp::math
