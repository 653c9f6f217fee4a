#include "render/c/emulation.h"

#include "base/error.h"

namespace harp::render {
namespace {

constexpr std::string_view kFmaF32 =
    R"(/* The product of two floats is exact in double. Rounding the sum to odd there makes the conversion to float the only rounding. */
static inline float fma_f32(float a, float b, float c) {
  const double product = (double)a * (double)b, sum = product + (double)c;
  const double back = sum - product, error = (product - (sum - back)) + ((double)c - back);
  union { double value; uint64_t bits; } odd;
  odd.value = sum;
  if ((error > 0.0 || error < 0.0) && (odd.bits & 1) == 0) odd.bits += (error > 0.0) == (sum > 0.0) ? 1 : (uint64_t)-1;
  return (float)odd.value;
}
)";

constexpr std::string_view kFmaF64 = R"(/* |x| as bits * 2^exponent, where bit 52 is the highest bit that is set. x is finite and not 0. */
static inline uint64_t parts_f64(double x, int* exponent) {
  union { double value; uint64_t bits; } u;
  u.value = x;
  uint64_t bits = u.bits & 0xfffffffffffffull;
  int biased = (int)(u.bits >> 52 & 0x7ff);
  if (biased != 0) bits |= 0x10000000000000ull;
  else for (biased = 1; (bits & 0x10000000000000ull) == 0; --biased) bits <<= 1;
  *exponent = biased - 1075;
  return bits;
}
/* Shifts the 128-bit number (high, low) right. If a bit that is shifted out is set, the last bit is set, too. */
static inline void shift_sticky(uint64_t* high, uint64_t* low, int count) {
  if (count == 0) return;
  if (count >= 128) {
    *low = (*high | *low) != 0;
    *high = 0;
  } else if (count >= 64) {
    const uint64_t lost = count == 64 ? *low : *low | *high << (128 - count);
    *low = *high >> (count - 64) | (lost != 0);
    *high = 0;
  } else {
    const uint64_t lost = *low << (64 - count);
    *low = *low >> count | *high << (64 - count) | (lost != 0);
    *high >>= count;
  }
}
/* Exact product and sum in 128 bits, rounded once. */
static double fma_f64(double a, double b, double c) {
  union { double value; uint64_t bits; } ua, ub, uc, result;
  ua.value = a, ub.value = b, uc.value = c;
  const int infinite = (ua.bits >> 52 & 0x7ff) == 0x7ff || (ub.bits >> 52 & 0x7ff) == 0x7ff; /* or NaN */
  if (infinite || a == 0.0 || b == 0.0) return a * b + c;
  if ((uc.bits >> 52 & 0x7ff) == 0x7ff) return c;
  if (c == 0.0) return a * b;
  int ea, eb, ec;
  const uint64_t ma = parts_f64(a, &ea), mb = parts_f64(b, &eb), mc = parts_f64(c, &ec);
  /* product << 20 and c << 73: both have their highest bit at 124 or 125 */
  const uint64_t a0 = (uint32_t)ma, a1 = ma >> 32, b0 = (uint32_t)mb, b1 = mb >> 32;
  const uint64_t middle = a0 * b1 + (a0 * b0 >> 32), middle2 = a1 * b0 + (uint32_t)middle;
  uint64_t plow = middle2 << 32 | (uint32_t)(a0 * b0), phigh = a1 * b1 + (middle >> 32) + (middle2 >> 32);
  phigh = phigh << 20 | plow >> 44, plow <<= 20;
  uint64_t chigh = mc << 9, clow = 0;
  int exponent = ea + eb - 20, difference = exponent - (ec - 73);
  if (difference >= 0) shift_sticky(&chigh, &clow, difference);
  else shift_sticky(&phigh, &plow, -difference), exponent = ec - 73;
  uint64_t sign = (ua.bits ^ ub.bits) >> 63;
  const uint64_t csign = uc.bits >> 63;
  if (sign == csign) {
    plow += clow;
    phigh += chigh + (plow < clow);
  } else {
    if (phigh < chigh || (phigh == chigh && plow < clow)) {
      const uint64_t high = phigh, low = plow;
      phigh = chigh, plow = clow, chigh = high, clow = low, sign = csign;
    }
    phigh -= chigh + (plow < clow);
    plow -= clow;
    if ((phigh | plow) == 0) return 0.0;
  }
  /* shift the highest bit to 126, then round to 53 bits, or to fewer if the result is subnormal */
  while ((phigh >> 62) == 0) phigh = phigh << 1 | plow >> 63, plow <<= 1, --exponent;
  const int last = exponent + 74 < -1074 ? -1074 : exponent + 74;
  shift_sticky(&phigh, &plow, last - exponent - 2);
  const uint64_t rest = plow & 3, mantissa = (plow >> 2) + (rest == 3 || (rest == 2 && (plow & 4) != 0));
  result.bits = last > 971 ? 0x7ff0000000000000ull : ((uint64_t)(last + 1074) << 52) + mantissa;
  result.bits |= sign << 63;
  return result.value;
}
)";

constexpr std::string_view kSqrtF64 = R"(/* Computes 54 bits of the root, one after the other; the last bit decides the rounding. */
static double sqrt_f64(double x) {
  union { double value; uint64_t bits; } u;
  if (x == 0.0 || x != x || x - x != 0.0) return x < 0.0 ? (x - x) / (x - x) : x;
  if (x < 0.0) return (x - x) / (x - x);
  u.value = x;
  uint64_t bits = u.bits & 0xfffffffffffffull, root = 0, rest = 0;
  int exponent = (int)(u.bits >> 52);
  if (exponent != 0) bits |= 0x10000000000000ull;
  else for (exponent = 1; (bits & 0x10000000000000ull) == 0; --exponent) bits <<= 1;
  exponent -= 1075;
  if (exponent & 1) bits <<= 1, --exponent;
  for (int step = 0; step < 54; ++step) {
    rest = rest << 2 | (bits >> 52 & 3);
    bits = (bits & 0xfffffffffffffull) << 2;
    const uint64_t trial = root << 2 | 1;
    root <<= 1;
    if (rest >= trial) rest -= trial, root |= 1;
  }
  u.bits = ((uint64_t)(exponent / 2 + 1048) << 52) + (root >> 1) + (root & 1);
  return u.value;
}
)";

constexpr std::string_view kSqrtF32 = R"(static float sqrt_f32(float x) { return (float)sqrt_f64((double)x); }
)";

// Functions that round to an integral value. All numbers with a magnitude of at least 2^23 (for f64: 2^52) are integral already. If the
// result is zero, x * 0 gives it the sign of x.
constexpr std::string_view kRounding[2][4] = {
    {R"(static inline float floor_f32(float x) {
  if (!(x > -0x1p23f && x < 0x1p23f)) return x;
  float whole = (float)(int32_t)x;
  whole = whole > x ? whole - 1.0f : whole;
  return whole == 0.0f ? x * 0.0f : whole;
}
)",
     R"(static inline float ceil_f32(float x) {
  if (!(x > -0x1p23f && x < 0x1p23f)) return x;
  float whole = (float)(int32_t)x;
  whole = whole < x ? whole + 1.0f : whole;
  return whole == 0.0f ? x * 0.0f : whole;
}
)",
     R"(static inline float trunc_f32(float x) {
  if (!(x > -0x1p23f && x < 0x1p23f)) return x;
  const float whole = (float)(int32_t)x;
  return whole == 0.0f ? x * 0.0f : whole;
}
)",
     R"(static inline float round_f32(float x) {
  if (!(x > -0x1p23f && x < 0x1p23f)) return x;
  const float whole = x < 0.0f ? (x - 0x1p23f) + 0x1p23f : (x + 0x1p23f) - 0x1p23f;
  return whole == 0.0f ? x * 0.0f : whole;
}
)"},
    {R"(static inline double floor_f64(double x) {
  if (!(x > -0x1p52 && x < 0x1p52)) return x;
  double whole = (double)(int64_t)x;
  whole = whole > x ? whole - 1.0 : whole;
  return whole == 0.0 ? x * 0.0 : whole;
}
)",
     R"(static inline double ceil_f64(double x) {
  if (!(x > -0x1p52 && x < 0x1p52)) return x;
  double whole = (double)(int64_t)x;
  whole = whole < x ? whole + 1.0 : whole;
  return whole == 0.0 ? x * 0.0 : whole;
}
)",
     R"(static inline double trunc_f64(double x) {
  if (!(x > -0x1p52 && x < 0x1p52)) return x;
  const double whole = (double)(int64_t)x;
  return whole == 0.0 ? x * 0.0 : whole;
}
)",
     R"(static inline double round_f64(double x) {
  if (!(x > -0x1p52 && x < 0x1p52)) return x;
  const double whole = x < 0.0 ? (x - 0x1p52) + 0x1p52 : (x + 0x1p52) - 0x1p52;
  return whole == 0.0 ? x * 0.0 : whole;
}
)"},
};

}  // namespace

std::string_view emulation_of(Op op, DType dtype) {
  const bool wide = dtype == DType::kF64;
  switch (op) {
    case Op::kFma: return wide ? kFmaF64 : kFmaF32;
    case Op::kSqrt: return wide ? kSqrtF64 : kSqrtF32;
    case Op::kFloor: return kRounding[wide][0];
    case Op::kCeil: return kRounding[wide][1];
    case Op::kTrunc: return kRounding[wide][2];
    case Op::kRound: return kRounding[wide][3];
    default: return {};
  }
}

}  // namespace harp::render
