// Contains constants and polynomial coefficients of the math functions, for f32 and f64. Coefficients are in ascending order of powers.
// They were computed with Sollya 8.0 by fpminimax(function, powers, formats of the dtype, interval, relative, floating, leading terms),
// which gives a minimax fit among polynomials whose coefficients have the precision of the dtype. The comment of a polynomial c states its
// degree, and the relative error of the whole function (including the leading terms) before rounding errors of the evaluation. Two
// constants kX and kXLow add up to the constant X. Changing a coefficient changes result bits and requires a new kLawRevision
// (base/revision.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/dtype.h"

namespace harp {

/// A table of this size is indexed by the low four bits of an index, so that targets can implement the look-up by permuting a vector
/// register.
inline constexpr size_t kPermutedTable = 16;

/// A table of constants. Functions read its elements by the policy's table<D>() (math.h). It contains raw bits, to be read as `dtype`.
struct MathTable {
  std::string_view name;
  DType dtype;
  std::span<const uint32_t> words;  // size_of(dtype) must be 4
};

namespace math {

/// The binary digits of 2/pi after the point, 32 in each word, after one word of zeros; enough digits for every finite f64.
inline constexpr uint32_t kTwoOverPiWords[] = {
    0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0,
    0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b,
    0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};
inline constexpr MathTable kTwoOverPiTable{"two_over_pi", DType::kU32, kTwoOverPiWords};

template <DType D>
struct Coefficients;

template <>
struct Coefficients<DType::kF32> {
  static constexpr float kLn2 = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;  // kLn2 has 15 bits, so n * kLn2 is exact
  static constexpr float kLog10Of2 = 0x1.3442p-2f, kLog10Of2Low = -0x1.95ec1p-19f;
  static constexpr float kLog2E = 0x1.715476p0f, kLog2ELow = 0x1.4ae0cp-26f;
  static constexpr float kLog10E = 0x1.bcb7b2p-2f, kLog10ELow = -0x1.5b235ep-27f;
  static constexpr float kLn2Full = 0x1.62e43p-1f;
  static constexpr float kPi = 0x1.921fb6p1f, kPiLow = -0x1.777a5cp-24f;
  static constexpr float kHalfPi = 0x1.921fb6p0f, kHalfPiLow = -0x1.777a5cp-25f, kHalfPiLowest = -0x1.ee59dap-50f;
  static constexpr float kTwoOverPi = 0x1.45f306p-1f;
  static constexpr float kThird = 0x1.555556p-2f, kThirdLow = -0x1.555556p-27f;

  // e^r = 1 + r + r^2 c(r) for |r| <= ln(2) / 2; degree 4, relative error 2^-26.6
  static constexpr float kExp[] = {0.5f, 0x1.5554dep-3f, 0x1.55556cp-5f, 0x1.120ac2p-7f, 0x1.6ca998p-10f};
  // 2^f = 1 + f ln 2 + f^2 c(f) for |f| <= 1/2; the coefficients of e^r times powers of ln 2
  static constexpr float kExp2[] = {0x1.ebfbep-3f, 0x1.c6afeep-5f, 0x1.3b2accp-7f, 0x1.5ec79ap-10f, 0x1.438b5ap-13f};
  // the same c(r) as for kExp, with a smaller error, for functions such as e^r - 1, whose relative error is larger; degree 5, relative
  // error 2^-32.9
  static constexpr float kExpFine[] = {0.5f, 0x1.555552p-3f, 0x1.5554e4p-5f, 0x1.1115b6p-7f, 0x1.6d514ap-10f, 0x1.9a93c4p-13f};
  // Tables of the logarithms for the sixteen intervals of [3/4, 3/2). The index is the first four bits of the fraction, so the first
  // element is for the interval that starts at 1. kLogInverse: f32 numbers within 0.4 % of the reciprocal of the interval's centre, chosen
  // so that their logarithm is very close to a multiple of 2^-17 (2^-16 for log2, 2^-18 for log10). kLogCentre: minus that logarithm, with
  // an error of at most 2^-31. For the two intervals next to 1, kLogInverse is 1 and kLogCentre is 0.
  static constexpr float kLogInverse[] = {0x1p0f,         0x1.d47b24p-1f, 0x1.bfdef4p-1f, 0x1.a49908p-1f, 0x1.934adcp-1f, 0x1.7eebbp-1f,
                                          0x1.6bf76cp-1f, 0x1.5f2c6p-1f,  0x1.4ba1eep0f,  0x1.3edc1ap0f,  0x1.35c0cp0f,   0x1.292e36p0f,
                                          0x1.1e1064p0f,  0x1.1578e6p0f,  0x1.0bc4b2p0f,  0x1p0f};
  static constexpr float kLogCentre[] = {0x0p0f,       0x1.6bd8p-4f,  0x1.121p-3f,  0x1.92bcp-3f, 0x1.e8c8p-3f,  0x1.2978p-2f,
                                         0x1.5d74p-2f, 0x1.8218p-2f,  -0x1.091p-2f, -0x1.c1bp-3f, -0x1.8658p-3f, -0x1.317cp-3f,
                                         -0x1.c6dp-4f, -0x1.49e8p-4f, -0x1.703p-5f, 0x0p0f};
  static constexpr float kLog2Inverse[] = {0x1p0f,         0x1.da5526p-1f, 0x1.ba6bc8p-1f, 0x1.a87aeap-1f, 0x1.921682p-1f, 0x1.7c270cp-1f,
                                           0x1.6ecd74p-1f, 0x1.5d6704p-1f, 0x1.4d0912p0f,  0x1.41109ep0f,  0x1.3266aap0f,  0x1.29d684p0f,
                                           0x1.2086dep0f,  0x1.13f19cp0f,  0x1.0bb80ap0f,  0x1p0f};
  static constexpr float kLog2Centre[] = {0x0p0f,        0x1.c39p-4f,  0x1.af9p-3f,   0x1.14fp-2f,  0x1.65p-2f,   0x1.b7ep-2f,
                                          0x1.ecbp-2f,   0x1.1a3ep-1f, -0x1.84a4p-2f, -0x1.4e9p-2f, -0x1.098p-2f, -0x1.bf4p-3f,
                                          -0x1.6168p-3f, -0x1.bb5p-4f, -0x1.088p-4f,  0x0p0f};
  static constexpr float kLog10Inverse[] = {0x1p0f,         0x1.d8f8ap-1f,  0x1.be4adep-1f, 0x1.a1bc9p-1f, 0x1.8d904cp-1f, 0x1.8020c4p-1f,
                                            0x1.6a506ep-1f, 0x1.5bbe62p-1f, 0x1.4f38cp0f,   0x1.412d0ep0f, 0x1.34aa92p0f,  0x1.276f48p0f,
                                            0x1.1f614cp0f,  0x1.12f328p0f,  0x1.0a9098p0f,  0x1p0f};
  static constexpr float kLog10Centre[] = {0x0p0f,       0x1.1a18p-5f, 0x1.e8a8p-5f,  0x1.69f4p-4f,  0x1.c2p-4f,    0x1.ff28p-4f,
                                           0x1.3394p-3f, 0x1.5816p-3f, -0x1.df9cp-4f, -0x1.9378p-4f, -0x1.4cccp-4f, -0x1.fdb8p-5f,
                                           -0x1.9b6p-5f, -0x1.fc2p-6f, -0x1.1fcp-6f,  0x0p0f};
  // log(1 + r) = r + r^2 c(r) for -1/32 <= r <= 1/16; degree 3, relative error 2^-28.4
  static constexpr float kLogNear[] = {-0x1p-1f, 0x1.555838p-2f, -0x1.0013ccp-2f, 0x1.8270ecp-3f};
  // log2(1 + r) = r (kLog2E + c(r)), log10(1 + r) = r (kLog10E + c(r)) in the same interval; degree 4, relative error 2^-28.3
  static constexpr float kLog2Near[] = {0x1.4ae0cp-26f, -0x1.715476p-1f, 0x1.ec74bcp-2f, -0x1.7172eap-2f, 0x1.16e29ep-2f};
  static constexpr float kLog10Near[] = {-0x1.5b235ep-27f, -0x1.bcb7b2p-3f, 0x1.287dp-3f, -0x1.bcd50ap-4f, 0x1.4f5a82p-4f};
  // sin r = r + r^3 c(r^2) for |r| <= pi / 16; degree 1, relative error 2^-31.0, by least squares
  static constexpr float kSin[] = {-0x1.555544p-3f, 0x1.10b72ep-7f};
  // cos r = 1 + r^2 c(r^2) for |r| <= pi / 16; degree 1, error 2^-28.3, by least squares
  static constexpr float kCos[] = {-0x1.ffffc4p-2f, 0x1.54b8a8p-5f};
  // Sines and cosines of the multiples of pi/8, from 0 on; kSineLow holds the rounding errors of kSine.
  static constexpr float kSine[] = {0x0p0f,         0x1.87de2ap-2f,  0x1.6a09e6p-1f,  0x1.d906bcp-1f,  0x1p0f,          0x1.d906bcp-1f,
                                    0x1.6a09e6p-1f, 0x1.87de2ap-2f,  0x0p0f,          -0x1.87de2ap-2f, -0x1.6a09e6p-1f, -0x1.d906bcp-1f,
                                    -0x1p0f,        -0x1.d906bcp-1f, -0x1.6a09e6p-1f, -0x1.87de2ap-2f};
  static constexpr float kSineLow[] = {
      0x0p0f, 0x1.abaa58p-28f,  0x1.9fcef4p-27f,  0x1.e651a8p-26f,  0x0p0f, 0x1.e651a8p-26f,  0x1.9fcef4p-27f,  0x1.abaa58p-28f,
      0x0p0f, -0x1.abaa58p-28f, -0x1.9fcef4p-27f, -0x1.e651a8p-26f, 0x0p0f, -0x1.e651a8p-26f, -0x1.9fcef4p-27f, -0x1.abaa58p-28f};
  static constexpr float kCosine[] = {0x1p0f,          0x1.d906bcp-1f,  0x1.6a09e6p-1f, 0x1.87de2ap-2f,  0x0p0f,          -0x1.87de2ap-2f,
                                      -0x1.6a09e6p-1f, -0x1.d906bcp-1f, -0x1p0f,        -0x1.d906bcp-1f, -0x1.6a09e6p-1f, -0x1.87de2ap-2f,
                                      0x0p0f,          0x1.87de2ap-2f,  0x1.6a09e6p-1f, 0x1.d906bcp-1f};
  // tan r = r + r^3 c(r^2) for |r| <= pi / 4; degree 6, relative error 2^-29.6
  static constexpr float kTan[] = {0x1.55556p-2f,  0x1.110dap-3f,   0x1.bad94p-5f, 0x1.5cc6eap-6f,
                                   0x1.62a8fap-7f, 0x1.b2e314p-14f, 0x1.1e6308p-8f};
  // asin x = x + x^3 c(x^2) for |x| <= 1/2; degree 5, relative error 2^-31.7
  static constexpr float kAsin[] = {0x1.55554cp-3f, 0x1.33389ep-4f, 0x1.6caab4p-5f, 0x1.04af56p-5f, 0x1.d78f62p-7f, 0x1.33d57ep-5f};
  // atan x = x + x^3 c(x^2) for |x| <= 1; degree 9, relative error 2^-31.1
  static constexpr float kAtan[] = {-0x1.555552p-2f, 0x1.99981cp-3f,  -0x1.24761ep-3f, 0x1.c51134p-4f,  -0x1.695258p-4f,
                                    0x1.1505b2p-4f,  -0x1.70718ap-5f, 0x1.751176p-6f,  -0x1.e65e16p-8f, 0x1.292c46p-10f};
  // sinh r = r + r^3 c(r^2) for |r| <= ln(2) / 2; degree 1, relative error 2^-26.2
  static constexpr float kSinh[] = {0x1.5554bp-3f, 0x1.12279ap-7f};
  // cosh r = 1 + r^2/2 + r^4 c(r^2) for |r| <= ln(2) / 2; degree 1, relative error 2^-33.2
  static constexpr float kCosh[] = {0x1.5554e6p-5f, 0x1.6d4f08p-10f};
  // erf x = x + x c(x^2) for |x| <= 1; degree 6, relative error 2^-29.3
  static constexpr float kErf[] = {0x1.06eba8p-3f, -0x1.81273ep-2f,  0x1.ce2cf2p-4f, -0x1.b7f88cp-6f,
                                   0x1.540172p-8f, -0x1.a3d812p-11f, 0x1.4917a4p-14f};
  // atanh s = s + s^3 (1/3 + s^2 c(s^2)) for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1); degree 3, relative error 2^-43.6
  static constexpr float kSeries[] = {0x1.999998p-3f, 0x1.2493acp-3f, 0x1.c644a6p-4f, 0x1.8fedc8p-4f};
  // kErfcMiddle + kErfcMiddleLow is the value at t = 0 of the function that kErfc approximates
  static constexpr float kErfcMiddle = 0x1.3ba592p0f, kErfcMiddleLow = -0x1.2aac8p-25f;
  // (1 + 2x) e^(x^2) erfc(x) = kErfcMiddle + t c(t), t = (x - 4) / (x + 4) for 1/2 <= x <= 10.1; degree 8, relative error 2^-28.3
  static constexpr float kErfc[] = {-0x1.1df1a6p-3f, 0x1.f7f734p-7f, 0x1.16ea1ep-4f,  -0x1.9de0cep-4f, 0x1.801488p-4f,
                                    -0x1.0f664ap-4f, 0x1.2f0236p-5f, -0x1.0fb63cp-6f, 0x1.5945dep-8f};
  // tanh(centre + t) = c(t). The first row contains the centres of the intervals, and each further row the coefficients of one power of t,
  // for all intervals. The intervals start at 0, 1/4, 1/2, 3/4, 1, 3/2, 2, 5/2, 3, 4, 5, 6, 7, 9. The index has four bits: the last bits of
  // the exponent and the first bits of the fraction of 1 + x. The relative error is 2^-27.3.
  static constexpr float kTanh[8][16] = {
      {0x1.3cff2ep0f, 0x1.bcd0dep0f, 0x1.1e7a1cp1f, 0x1.5ead4cp1f, 0x1.b09d9cp1f, 0x1.181a9cp2f, 0x1.59c356p2f, 0x1.9a2bbap2f,
       0x1.f12ce4p2f, 0x1.2p3f, 0x1.2p3f, 0x1.2p3f, 0x0p0f, 0x1.7a2e4cp-2f, 0x1.3d14b6p-1f, 0x1.bcd486p-1f},
      {0x1.b09ebep-1f, 0x1.e1403ep-1f, 0x1.f47b42p-1f, 0x1.fbbed8p-1f, 0x1.fed05ap-1f, 0x1.ffd69ap-1f, 0x1.fffaaep-1f, 0x1.ffff4ap-1f,
       0x1.fffff4p-1f, 0x1p0f, 0x1p0f, 0x1p0f, 0x0p0f, 0x1.69e036p-2f, 0x1.19ed6cp-1f, 0x1.66cb2p-1f},
      {0x1.24e7d6p-2f, 0x1.dd360ep-4f, 0x1.6c7256p-5f, 0x1.0f2866p-6f, 0x1.2f4bf4p-8f, 0x1.4b2292p-11f, 0x1.547eb8p-14f, 0x1.6bfdd8p-17f,
       0x1.801f06p-21f, 0x0p0f, 0x0p0f, 0x0p0f, 0x1p0f, 0x1.c00ebcp-1f, 0x1.64c276p-1f, 0x1.0491ap-1f},
      {-0x1.eefd1ap-3f, -0x1.c08d4ap-4f, -0x1.643f66p-5f, -0x1.0ce78cp-6f, -0x1.2e914ep-8f, -0x1.4aff8cp-11f, -0x1.54756ap-14f,
       -0x1.6bc15cp-17f, -0x1.7f48f2p-21f, 0x0p0f, 0x0p0f, 0x0p0f, -0x1.269406p-20f, -0x1.3cae9cp-2f, -0x1.88e45p-2f, -0x1.6d326ap-2f},
      {0x1.be0182p-4f, 0x1.0691cap-4f, 0x1.c581cp-6f, 0x1.608e5ap-7f, 0x1.918f8ap-9f, 0x1.b91246p-12f, 0x1.c5cbf8p-15f, 0x1.e52b96p-18f,
       0x1.fe756ap-22f, 0x0p0f, 0x0p0f, 0x0p0f, -0x1.5544c8p-2f, -0x1.759468p-3f, -0x1.57fc9ap-6f, 0x1.48d696p-4f},
      {-0x1.75a5a6p-7f, -0x1.84f34ep-6f, -0x1.9b9baep-7f, -0x1.54c182p-8f, -0x1.8fdf3ap-10f, -0x1.bb062cp-13f, -0x1.c7e322p-16f,
       -0x1.ee1952p-19f, -0x1.08e538p-22f, 0x0p0f, 0x0p0f, 0x0p0f, -0x1.364f6p-10f, 0x1.57240ep-3f, 0x1.1d93bcp-3f, 0x1.0081c2p-4f},
      {-0x1.53d9a2p-6f, 0x1.b3fc8ep-9f, 0x1.0809c4p-8f, 0x1.fee6fcp-10f, 0x1.3c8fe6p-11f, 0x1.6486e4p-14f, 0x1.733cacp-17f, 0x1.8f14d4p-20f,
       0x1.b93d48p-24f, 0x0p0f, 0x0p0f, 0x0p0f, 0x1.250966p-3f, 0x1.5ac364p-6f, -0x1.b8470ap-5f, -0x1.e5fffap-5f},
      {0x1.ef93d8p-7f, 0x1.16dffcp-9f, -0x1.77af5ep-11f, -0x1.1fa584p-11f, -0x1.4c647cp-13f, -0x1.7d8062p-16f, -0x1.a21202p-19f,
       -0x1.669b4cp-22f, -0x1.97f21ep-26f, 0x0p0f, 0x0p0f, 0x0p0f, -0x1.2eeaa2p-5f, -0x1.1c7978p-4f, -0x1.8d931ep-6f, 0x1.a75c22p-7f}};
  // erf(centre + t) = c(t), with rows as in kTanh. The centre of interval i is near i / 3.9. In interval 0, the rows from the third on are
  // the coefficients of c in erf x = x + x c(x). The relative error is 2^-28.1.
  static constexpr float kErfNear[8][16] = {
      {0x0p0f, 0x1.0039fap-2f, 0x1.0397b6p-1f, 0x1.869a5ap-1f, 0x1.0504e4p0f, 0x1.4693dep0f, 0x1.885b84p0f, 0x1.ca2706p0f, 0x1.05c5fcp1f,
       0x1.269f0ap1f, 0x1.479012p1f, 0x1.6861b6p1f, 0x1.85cc8p1f, 0x1.a6e08p1f, 0x1.c7bfa4p1f, 0x1.ea87aap1f},
      {0x0p0f, 0x1.1b32c2p-2f, 0x1.0da458p-1f, 0x1.7050dep-1f, 0x1.b38c7p-1f, 0x1.db89b2p-1f, 0x1.f089f2p-1f, 0x1.fa2d0ap-1f,
       0x1.fe0a9ap-1f, 0x1.ff6b72p-1f, 0x1.ffd94p-1f, 0x1.fff708p-1f, 0x1.fffdd4p-1f, 0x1.ffff9cp-1f, 0x1.fffffp-1f, 0x1.fffffep-1f},
      {0x1.06eba8p-3f, 0x1.0f5566p0f, 0x1.bec4c4p-1f, 0x1.42d204p-1f, 0x1.98915cp-2f, 0x1.c5f57ap-3f, 0x1.b9384ap-4f, 0x1.77b5fep-5f,
       0x1.1a22e4p-6f, 0x1.71e1b4p-8f, 0x1.a77c58p-10f, 0x1.ab0066p-12f, 0x1.bc24bep-14f, 0x1.585dfp-16f, 0x1.d8a498p-19f, 0x1.fb37f4p-22f},
      {0x1.7d498cp-22f, -0x1.0f92e6p-2f, -0x1.c509ccp-2f, -0x1.ec8e8cp-2f, -0x1.a093fep-2f, -0x1.218e62p-2f, -0x1.521e04p-3f,
       -0x1.50326ep-4f, -0x1.207fc2p-5f, -0x1.a9ae0ap-7f, -0x1.0eef12p-8f, -0x1.2c931p-10f, -0x1.522744p-12f, -0x1.1c913ap-14f,
       -0x1.a7db9ep-17f, -0x1.00811cp-19f},
      {-0x1.812cb4p-2f, -0x1.3c76c4p-2f, -0x1.21718ap-3f, 0x1.1a52fcp-5f, 0x1.25f21ap-3f, 0x1.55308ap-3f, 0x1.0ff0f4p-3f, 0x1.528104p-4f,
       0x1.5a52bap-5f, 0x1.27c79p-6f, 0x1.aaedfcp-8f, 0x1.0844ccp-9f, 0x1.44bfccp-11f, 0x1.2af42p-13f, 0x1.e1703ap-16f, 0x1.2c1866p-18f},
      {0x1.aecbap-12f, 0x1.044f1ap-3f, 0x1.775b3ep-3f, 0x1.2d6688p-3f, 0x1.ff5facp-5f, -0x1.89bd06p-7f, -0x1.7e9d98p-5f, -0x1.7da768p-5f,
       -0x1.01f792p-5f, -0x1.0dba04p-6f, -0x1.c7fd84p-8f, -0x1.4078d4p-9f, -0x1.b59c46p-11f, -0x1.b6eeccp-13f, -0x1.327118p-15f,
       0x1.5fd6a2p-18f},
      {0x1.c1da74p-4f, 0x1.443b5ap-4f, 0x1.765d8ap-8f, -0x1.be5d66p-5f, -0x1.175608p-4f, -0x1.6608fcp-5f, -0x1.730126p-7f, 0x1.13a7e2p-7f,
       0x1.a9e9aap-7f, 0x1.3e84c8p-7f, 0x1.53c8fcp-8f, 0x1.1ce39cp-9f, 0x1.b36626p-11f, 0x1.e64eecp-13f, 0x1.3da152p-15f, 0x1.4da256p-17f},
      {0x1.da03c6p-9f, -0x1.562c9ap-5f, -0x1.9116ep-5f, -0x1.90c812p-6f, 0x1.d00eb8p-8f, 0x1.67ef2ap-6f, 0x1.1e21ccp-6f, 0x1.d772bap-8f,
       -0x1.02f99ap-11f, -0x1.4215p-9f, -0x1.4c0236p-9f, -0x1.d18472p-10f, -0x1.31617ep-11f, -0x1.016cacp-12f, -0x1.d491eep-13f,
       -0x1.cce54cp-12f}};
  // atan x = atan c + atan t with t = (f x - c) / (c x + f): tables of c, f and atan c. The intervals start at 0 and, from 3/32 on, at
  // every 2^k and 3/2 2^k. The index is the last three bits of the exponent and the first bit of the fraction. In the last interval, which
  // is unbounded, f = 0 and c = 1, so t = -1 / x, and the third table has pi/2 instead of atan c.
  static constexpr float kAtanCentre[] = {0x1.3216d2p1f,  0x1.b4eb02p1f,  0x1.310066p2f,  0x1.b432fap2f,  0x1.306e8ep3f,  0x1p0f,
                                          0x0p0f,         0x1.be9ea6p-4f, 0x1.3d24f2p-3f, 0x1.bc74b6p-3f, 0x1.3bee12p-2f, 0x1.bb6e9ap-2f,
                                          0x1.39492ap-1f, 0x1.b8f832p-1f, 0x1.354c6p0f,   0x1.b6b424p0f};
  static constexpr float kAtanFactor[] = {0x1p0f, 0x1p0f, 0x1p0f, 0x1p0f, 0x1p0f, 0x0p0f, 0x1p0f, 0x1p0f,
                                          0x1p0f, 0x1p0f, 0x1p0f, 0x1p0f, 0x1p0f, 0x1p0f, 0x1p0f, 0x1p0f};
  static constexpr float kAtanOfCentre[] = {0x1.2cba48p0f,  0x1.492ad2p0f,  0x1.5d2cap0f,   0x1.6cd442p0f,  0x1.77502cp0f,  0x1.921fb6p0f,
                                            0x0p0f,         0x1.bcdcbcp-4f, 0x1.3aa526p-3f, 0x1.b5ab4ap-3f, 0x1.327126p-2f, 0x1.a277cap-2f,
                                            0x1.19256cp-1f, 0x1.6c082ap-1f, 0x1.c24138p-1f, 0x1.0ae5d8p0f};
  // atan t = t + t^3 c(t^2) for |t| <= 0.104; degree 1, relative error 2^-27.1
  static constexpr float kAtanNear[] = {-0x1.55537cp-2f, 0x1.9540dap-3f};
  // Tables of the cube root. kCubeRootInverse: numbers near the reciprocals of the centres of the sixteen equal parts of [1, 2), chosen so
  // that their cube roots are very close to an f32. kCubeRootOfCentre: the reciprocals of these cube roots. kCubeRootOfPower: the cube
  // roots of 1, 2 and (last element) 1/2.
  static constexpr float kCubeRootInverse[] = {
      0x1.f0818cp-1f, 0x1.d4310cp-1f, 0x1.bac092p-1f, 0x1.a42bb6p-1f, 0x1.8fab5cp-1f, 0x1.7d1742p-1f, 0x1.6c24fap-1f, 0x1.5c92c2p-1f,
      0x1.4e551cp-1f, 0x1.4146c2p-1f, 0x1.351d6ep-1f, 0x1.29e216p-1f, 0x1.1f7ad8p-1f, 0x1.15ac92p-1f, 0x1.0ca678p-1f, 0x1.04104p-1f};
  static constexpr float kCubeRootOfCentre[] = {0x1.02a2bcp0f, 0x1.07bf6cp0f, 0x1.0cb494p0f, 0x1.116f74p0f, 0x1.160872p0f, 0x1.1a7ac8p0f,
                                                0x1.1ecb9ap0f, 0x1.2300f6p0f, 0x1.271404p0f, 0x1.2b05bap0f, 0x1.2ee4bcp0f, 0x1.32a74ep0f,
                                                0x1.364f1p0f,  0x1.39eb5ep0f, 0x1.3d6544p0f, 0x1.40d9ep0f};
  static constexpr float kCubeRootOfPower[] = {0x1p0f, 0x1.428a3p0f, 0x1p0f, 0x1p0f, 0x1p0f, 0x1p0f, 0x1p0f, 0x1p0f,
                                               0x1p0f, 0x1p0f,       0x1p0f, 0x1p0f, 0x1p0f, 0x1p0f, 0x1p0f, 0x1.965feap-1f};
  // (1 + r)^(1/3) = 1 + r c(r) for |r| <= 0.0304; degree 2, relative error 2^-27.3
  static constexpr float kCubeRootNear[] = {0x1.555554p-2f, -0x1.c73d38p-4f, 0x1.fa0fbap-5f};
};

template <>
struct Coefficients<DType::kF64> {
  static constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Low = 0x1.abc9e3b39803fp-56;
  static constexpr double kLog10Of2 = 0x1.34413509f79ffp-2, kLog10Of2Low = -0x1.9dc1da994fd21p-59;
  static constexpr double kLog2E = 0x1.71547652b82fep0, kLog2ELow = 0x1.777d0ffda0d24p-56;
  static constexpr double kLog10E = 0x1.bcb7b1526e50ep-2, kLog10ELow = 0x1.95355baaafad3p-57;
  static constexpr double kLn2Full = kLn2, kLn2FullLow = kLn2Low;
  static constexpr double kPi = 0x1.921fb54442d18p1, kPiLow = 0x1.1a62633145c07p-53;
  static constexpr double kHalfPi = 0x1.921fb54442d18p0, kHalfPiLow = 0x1.1a62633145c07p-54, kHalfPiLowest = -0x1.f1976b7ed8fbcp-110;
  static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  static constexpr double kThird = 0x1.5555555555555p-2, kThirdLow = 0x1.5555555555555p-56;

  // e^r = 1 + r + r^2 c(r) for |r| <= ln(2) / 2; degree 11, relative error 2^-67.2
  static constexpr double kExp[] = {0.5,
                                    0x1.5555555555555p-3,
                                    0x1.5555555555559p-5,
                                    0x1.11111111112cdp-7,
                                    0x1.6c16c16c14939p-10,
                                    0x1.a01a019f47e58p-13,
                                    0x1.a01a01af836afp-16,
                                    0x1.71de3d3b8e8cbp-19,
                                    0x1.27e4c7fbcb8ffp-22,
                                    0x1.ae5a9a0b7bb4ap-26,
                                    0x1.1f91d4ccb6d0dp-29,
                                    0x1.6deb95df9bc26p-33};
  static constexpr const auto& kExpFine = kExp;
  // 2^f = 1 + f ln 2 + f^2 c(f) for |f| <= 1/2; the coefficients of e^r times powers of ln 2
  static constexpr double kExp2[] = {0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0bfp-5,  0x1.3b2ab6fba4e7bp-7,  0x1.5d87fe78a6969p-10,
                                     0x1.430912f86a898p-13, 0x1.ffcbfc57889e1p-17, 0x1.62c022478032ep-20, 0x1.b52540a67e3ap-24,
                                     0x1.e4cefcfe4d51ap-28, 0x1.e8bfb88d6deb1p-32, 0x1.c4c006a175c11p-36, 0x1.8f536a403a83ap-40};
  // log(1 + f) = f - f^2/2 + f^3 c(f) for sqrt(1/2) - 1 <= f <= sqrt(2) - 1; degree 20, relative error 2^-61.8
  static constexpr double kLog[] = {
      0x1.5555555555558p-2, -0x1.0000000000041p-2, 0x1.9999999999045p-3, -0x1.555555554b04ep-3, 0x1.24924924e3a83p-3, -0x1.00000004f7011p-3,
      0x1.c71c71a06171dp-4, -0x1.9999972027ca5p-4, 0x1.745d1b5f077a6p-4, -0x1.5555b13281ba1p-4, 0x1.3b13a1e3e938bp-4, -0x1.248a325cbf1e9p-4,
      0x1.11097440a5023p-4, -0x1.006d64d9a7c49p-4, 0x1.e3815dd9208bep-5, -0x1.c0d0f24c3abdap-5, 0x1.9bffd47b2bb96p-5, -0x1.a9783c78e468cp-5,
      0x1.efcc093d6a6e5p-5, -0x1.ba425e005feb1p-5, 0x1.6efa4ba7ed965p-6};
  // sin r = r + r^3 c(r^2) for |r| <= pi / 4; degree 6, relative error 2^-62.9
  static constexpr double kSin[] = {-0x1.5555555555555p-3,  0x1.111111111108bp-7,  -0x1.a01a01a006d8bp-13, 0x1.71de3a40199a6p-19,
                                    -0x1.ae643d442116ap-26, 0x1.6114a6223cfc3p-33, -0x1.a55ccc67b5b37p-41};
  // cos r = 1 - r^2/2 + r^4 c(r^2) for |r| <= pi / 4; degree 5, relative error 2^-63.9
  static constexpr double kCos[] = {0x1.555555555554bp-5,  -0x1.6c16c16c15018p-10, 0x1.a01a019c8f944p-16,
                                    -0x1.27e4f7f1ee76p-22, 0x1.1ee9dc12a8c81p-29,  -0x1.8fa6a890a3fc9p-37};
  // tan r = r + r^3 c(r^2) for |r| <= pi / 4; degree 14, relative error 2^-60.0
  static constexpr double kTan[] = {0x1.555555555555dp-2,  0x1.11111111106e2p-3,   0x1.ba1ba1bab1e0cp-5,  0x1.664f485fd99a2p-6,
                                    0x1.226e3a2cf987cp-7,  0x1.d6d2f51d73844p-9,   0x1.7db0d3839bae1p-10, 0x1.34c350f592c43p-11,
                                    0x1.fec8abe0ac386p-13, 0x1.607e9b801dbbp-14,   0x1.164b035b07f92p-14, -0x1.9bad4bb2a9bafp-16,
                                    0x1.90597cf715f7ap-15, -0x1.8fb5f5a004571p-16, 0x1.4574d64166392p-17};
  // asin x = x + x^3 c(x^2) for |x| <= 1/2; degree 13, relative error 2^-63.8
  static constexpr double kAsin[] = {0x1.5555555555553p-3,  0x1.33333333339e6p-4, 0x1.6db6db6d4c794p-5,  0x1.f1c71ca6ce3c6p-6,
                                     0x1.6e8b9b1bc356fp-6,  0x1.1c4f8248e4f57p-6, 0x1.c98135d503b53p-7,  0x1.7ba1195c4e3d7p-7,
                                     0x1.36d7939879b9p-7,   0x1.47a9352b108d9p-7, 0x1.771719009a4e1p-11, 0x1.959b93a75d1fep-6,
                                     -0x1.ab01b269fb6c7p-6, 0x1.1336a1550e784p-5};
  // atan x = x + x^3 c(x^2) for |x| <= 1; degree 21, relative error 2^-62.8
  static constexpr double kAtan[] = {-0x1.5555555555554p-2, 0x1.9999999999732p-3, -0x1.2492492486524p-3,  0x1.c71c71c354ce1p-4,
                                     -0x1.745d16e9a8f56p-4, 0x1.3b13ab6587b4dp-4, -0x1.1110ce26d67b7p-4,  0x1.e1dd736dad704p-5,
                                     -0x1.af0bc55b1a61fp-5, 0x1.8587bc4ff7fb4p-5, -0x1.61e7c164a71a4p-5,  0x1.4054763cbd0cbp-5,
                                     -0x1.1bf50d8f91d1cp-5, 0x1.dff690418f999p-6, -0x1.756f5ed25ddf5p-6,  0x1.012f2b93ab4acp-6,
                                     -0x1.2cf110e908d48p-7, 0x1.1e57733e02487p-8, -0x1.a4c5d26222d41p-10, 0x1.bc8384d95b8e5p-12,
                                     -0x1.2ad7264cdf37p-14, 0x1.7eb58b4523066p-18};
  // sinh r = r + r^3 c(r^2) for |r| <= ln(2) / 2; degree 6, relative error 2^-65.2
  static constexpr double kSinh[] = {0x1.5555555555555p-3,  0x1.11111111113bbp-7,  0x1.a01a019e2e904p-13, 0x1.71de44f7d5a39p-19,
                                     0x1.ae27216f8560ep-26, 0x1.08cc98220379bp-32, -0x1.91389fa2aff95p-33};
  // cosh r = 1 + r^2/2 + r^4 c(r^2) for |r| <= ln(2) / 2; degree 5, relative error 2^-72.6
  static constexpr double kCosh[] = {0x1.5555555555555p-5,  0x1.6c16c16c16f3ap-10, 0x1.a01a019eb95fbp-16,
                                     0x1.27e5000ca49abp-22, 0x1.1edef2a2fbe18p-29, 0x1.b7cd0936b5fefp-37};
  // asinh x = x + x^3 c(x^2) for |x| <= 1/2; degree 12, relative error 2^-64.5
  static constexpr double kAsinh[] = {-0x1.5555555555554p-3, 0x1.3333333333002p-4, -0x1.6db6db6d8b372p-5, 0x1.f1c71c5ecba1ep-6,
                                      -0x1.6e8ba074e36bdp-6, 0x1.1c4e907a20efdp-6, -0x1.c993a472c3841p-7, 0x1.7a4ad9e3a9691p-7,
                                      -0x1.3e26c160ecb21p-7, 0x1.0a0e9df0dad59p-7, -0x1.9e354c3d3c8d5p-8, 0x1.00d2eab608e68p-8,
                                      -0x1.64c6e8b0ada41p-10};
  // atanh x = x + x^3 c(x^2) for |x| <= 1/2; degree 13, relative error 2^-60.9
  static constexpr double kAtanh[] = {0x1.555555555554cp-2,  0x1.999999999b38bp-3, 0x1.24924923c7a97p-3, 0x1.c71c722b1ccaap-4,
                                      0x1.745d08a88c6c5p-4,  0x1.3b15125698f01p-4, 0x1.10fa6854cf05dp-4, 0x1.e3eb8c5a4d33dp-5,
                                      0x1.9e7a268496f9p-5,   0x1.e74c92c3f3fcap-5, -0x1.4abaca1c3a6bp-8, 0x1.64e586527d93fp-3,
                                      -0x1.8fc380356c752p-3, 0x1.ecaf374209809p-3};
  // erf x = x + x c(x^2) for |x| <= 1; degree 14, relative error 2^-56.3
  static constexpr double kErf[] = {0x1.06eba8214db69p-3,  -0x1.812746b037a05p-2,  0x1.ce2f21a043f13p-4,  -0x1.b82ce312e430ep-6,
                                    0x1.565bcd1de4f38p-8,  -0x1.c02db74c5ca33p-11, 0x1.f9a39f4b2a577p-14, -0x1.f4de445296adap-17,
                                    0x1.babc7ed3abf81p-20, -0x1.6a24613e49575p-23, 0x1.5f5ba56dd77e6p-26, -0x1.84f00e2df0f94p-28,
                                    0x1.478c13a7b0afp-29,  -0x1.848070339a245p-31, 0x1.a7de6005384c4p-34};
  // atanh s = s + s^3 (1/3 + s^2 c(s^2)) for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1); degree 8, relative error 2^-76.5
  static constexpr double kSeries[] = {0x1.999999999999ap-3, 0x1.249249249238ap-3, 0x1.c71c71c73ed96p-4,
                                       0x1.745d173287457p-4, 0x1.3b13b7b7e84bdp-4, 0x1.110fb32950d85p-4,
                                       0x1.e23e8af9fa06fp-5, 0x1.a7bbd06bfbc4ap-5, 0x1.d8b67d1b5220dp-5};
  // kErfcMiddle + kErfcMiddleLow is the value at t = 0 of the function that kErfc approximates
  static constexpr double kErfcMiddle = 0x1.3ba5916e9fd7fp0, kErfcMiddleLow = -0x1.9481fed9430ecp-55;
  // (1 + 2x) e^(x^2) erfc(x) = kErfcMiddle + t c(t), t = (x - 4) / (x + 4) for 1/2 <= x <= 27.3; degree 20, relative error 2^-58.8
  static constexpr double kErfc[] = {-0x1.1df1ad154a28ep-3,  0x1.f7f5df66fd571p-7,   0x1.16ecefcfa5347p-4,   -0x1.9ddb23c3e7cc5p-4,
                                     0x1.7fee004e132ddp-4,   -0x1.0fb06dfe6b80cp-4,  0x1.3079edf65d8afp-5,   -0x1.0962387d9943ep-6,
                                     0x1.49c67294e1372p-8,   -0x1.8d4aa181c81cep-11, -0x1.a1df3400e91b3p-13, 0x1.3be0d73cd264cp-13,
                                     -0x1.9956edb3c4772p-16, -0x1.78a3e42f0c673p-17, 0x1.7f093f817a6ccp-18,  0x1.41addbd141761p-22,
                                     -0x1.b8ed6af3a43ffp-21, 0x1.1fc62f6c65e8ep-24,  0x1.c1df98b18a7f4p-24,  -0x1.a3ca35ac12112p-27,
                                     -0x1.5dd5051803837p-27};
  // m^(1/3) = c(m) for 1 <= m <= 2; degree 4, relative error 2^-16.7
  static constexpr double kCubeRoot[] = {0x1.0392dap-1, 0x1.6fb1bap-1, -0x1.33d334p-2, 0x1.60a0bcp-4, -0x1.5b772p-7};
};

}  // namespace math
}  // namespace harp
