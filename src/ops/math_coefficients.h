// Constants and polynomial coefficients of the functions, lowest power first, for f32 and f64.
// Made with Sollya 8.0: fpminimax(function, powers, formats of the dtype, interval, relative, floating, leading terms), which
// is a minimax fit among polynomials whose coefficients have the dtype's precision; the error stated is of the whole function
// (leading terms included) relative to its value, before rounding in the evaluation. A pair kX, kXLow sums to the constant X.
// A change here changes bits: it needs a new revision of the law.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/dtype.h"

namespace harp {

/// A table of constants that functions index; policies see it through table<D>(). Raw bits, as `dtype` reads them.
struct MathTable {
  std::string_view name;
  DType dtype;
  std::span<const uint32_t> words;  // size_of(dtype) is 4
};

namespace math {

/// The binary digits of 2/pi after the point, 32 a word, with one word of zeros in front: enough for every finite f64.
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
  static constexpr float kLn2 = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;  // 15 bits: n * kLn2 is exact
  static constexpr float kLog10Of2 = 0x1.3442p-2f, kLog10Of2Low = -0x1.95ec1p-19f;
  static constexpr float kLog2E = 0x1.715476p0f, kLog2ELow = 0x1.4ae0cp-26f;
  static constexpr float kLog10E = 0x1.bcb7b2p-2f, kLog10ELow = -0x1.5b235ep-27f;
  static constexpr float kLn2Full = 0x1.62e43p-1f;
  static constexpr float kPi = 0x1.921fb6p1f, kPiLow = -0x1.777a5cp-24f;
  static constexpr float kHalfPi = 0x1.921fb6p0f, kHalfPiLow = -0x1.777a5cp-25f, kHalfPiLowest = -0x1.ee59dap-50f;
  static constexpr float kTwoOverPi = 0x1.45f306p-1f;
  static constexpr float kThird = 0x1.555556p-2f, kThirdLow = -0x1.555556p-27f;

  // e^r = 1 + r + r^2 c(r) for |r| <= ln(2) / 2; degree 4, as the prototypes of the law have it, error measured as a whole
  static constexpr float kExp[] = {0.5f, 0x1.5554dep-3f, 0x1.55556cp-5f, 0x1.120ac2p-7f, 0x1.6ca998p-10f};
  // 2^f = 1 + f ln 2 + f^2 c(f) for |f| <= 1/2; those of e^r times powers of ln 2
  static constexpr float kExp2[] = {0x1.ebfbep-3f, 0x1.c6afeep-5f, 0x1.3b2accp-7f, 0x1.5ec79ap-10f, 0x1.438b5ap-13f};
  // e^r again, for functions near e^r - 1, to which an error of e^r is larger; degree 5, relative error 2^-32.9
  static constexpr float kExpFine[] = {0.5f, 0x1.555552p-3f, 0x1.5554e4p-5f, 0x1.1115b6p-7f, 0x1.6d514ap-10f, 0x1.9a93c4p-13f};
  // log(1 + f) = f - f^2/2 + f^3 c(f) for sqrt(1/2) - 1 <= f <= sqrt(2) - 1; degree 7, as the prototypes of the law have it, error measured
  // as a whole
  static constexpr float kLog[] = {0x1.555554p-2f, -0x1.0000dp-2f,  0x1.999f54p-3f, -0x1.54cfap-3f,
                                   0x1.230f66p-3f, -0x1.0a2a78p-3f, 0x1.02ffa4p-3f, -0x1.4550fep-4f};
  // the same for the functions that scale the logarithm or take it of a pair; degree 8, relative error 2^-30.3
  static constexpr float kLogFine[] = {0x1.555548p-2f,  -0x1.000008p-2f, 0x1.99a478p-3f,  -0x1.555b8cp-3f, 0x1.233af6p-3f,
                                       -0x1.fc3e38p-4f, 0x1.e6dd22p-4f,  -0x1.dd9948p-4f, 0x1.13be44p-4f};
  // sin r = r + r^3 c(r^2) for |r| <= pi / 4; degree 3, as the prototypes of the law have it, error measured as a whole
  static constexpr float kSin[] = {-0x1.555556p-3f, 0x1.111198p-7f, -0x1.a08314p-13f, 0x1.877652p-19f};
  // cos r = 1 - r^2/2 + r^4 c(r^2) for |r| <= pi / 4; degree 3, as the prototypes of the law have it, error measured as a whole
  static constexpr float kCos[] = {0x1.555556p-5f, -0x1.6c17d4p-10f, 0x1.a0f59ap-16f, -0x1.58e1bep-22f};
  // tan r = r + r^3 c(r^2) for |r| <= pi / 4; degree 6, relative error 2^-29.6
  static constexpr float kTan[] = {0x1.55556p-2f,  0x1.110dap-3f,   0x1.bad94p-5f, 0x1.5cc6eap-6f,
                                   0x1.62a8fap-7f, 0x1.b2e314p-14f, 0x1.1e6308p-8f};
  // asin x = x + x^3 c(x^2) for |x| <= 1/2; degree 5, relative error 2^-31.7
  static constexpr float kAsin[] = {0x1.55554cp-3f, 0x1.33389ep-4f, 0x1.6caab4p-5f, 0x1.04af56p-5f, 0x1.d78f62p-7f, 0x1.33d57ep-5f};
  // atan x = x + x^3 c(x^2) for |x| <= 1; degree 9, relative error 2^-31.1
  static constexpr float kAtan[] = {-0x1.555552p-2f, 0x1.99981cp-3f,  -0x1.24761ep-3f, 0x1.c51134p-4f,  -0x1.695258p-4f,
                                    0x1.1505b2p-4f,  -0x1.70718ap-5f, 0x1.751176p-6f,  -0x1.e65e16p-8f, 0x1.292c46p-10f};
  // sinh r = r + r^3 c(r^2) for |r| <= ln(2) / 2; degree 2, relative error 2^-34.1
  static constexpr float kSinh[] = {0x1.555556p-3f, 0x1.110fe2p-7f, 0x1.a28f44p-13f};
  // cosh r = 1 + r^2/2 + r^4 c(r^2) for |r| <= ln(2) / 2; degree 2, relative error 2^-40.6
  static constexpr float kCosh[] = {0x1.555556p-5f, 0x1.6c14dp-10f, 0x1.a3480ep-16f};
  // asinh x = x + x^3 c(x^2) for |x| <= 1/2; degree 5, relative error 2^-33.9
  static constexpr float kAsinh[] = {-0x1.555554p-3f, 0x1.33323ap-4f, -0x1.6d7ebap-5f, 0x1.ec11aap-6f, -0x1.487cbp-6f, 0x1.2f4d8cp-7f};
  // atanh x = x + x^3 c(x^2) for |x| <= 1/2; degree 5, relative error 2^-29.4
  static constexpr float kAtanh[] = {0x1.55554p-2f, 0x1.99a674p-3f, 0x1.234dcep-3f, 0x1.e3fc12p-4f, 0x1.a6dbp-5f, 0x1.692f12p-3f};
  // erf x = x + x c(x^2) for |x| <= 1; degree 6, relative error 2^-29.3
  static constexpr float kErf[] = {0x1.06eba8p-3f, -0x1.81273ep-2f,  0x1.ce2cf2p-4f, -0x1.b7f88cp-6f,
                                   0x1.540172p-8f, -0x1.a3d812p-11f, 0x1.4917a4p-14f};
  // atanh s = s + s^3 (1/3 + s^2 c(s^2)) for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1); degree 3, relative error 2^-43.6
  static constexpr float kSeries[] = {0x1.999998p-3f, 0x1.2493acp-3f, 0x1.c644a6p-4f, 0x1.8fedc8p-4f};
  static constexpr float kErfcMiddle = 0x1.3ba592p0f, kErfcMiddleLow = -0x1.2aac8p-25f;  // their sum is a value at t = 0
  // (1 + 2x) e^(x^2) erfc(x) = kErfcMiddle + t c(t), t = (x - 4) / (x + 4) for 1/2 <= x <= 10.1; degree 8, relative error 2^-28.3
  static constexpr float kErfc[] = {-0x1.1df1a6p-3f, 0x1.f7f734p-7f, 0x1.16ea1ep-4f,  -0x1.9de0cep-4f, 0x1.801488p-4f,
                                    -0x1.0f664ap-4f, 0x1.2f0236p-5f, -0x1.0fb63cp-6f, 0x1.5945dep-8f};
  // m^(1/3) = c(m) for 1 <= m <= 2; degree 4, relative error 2^-16.7
  static constexpr float kCubeRoot[] = {0x1.0392dap-1f, 0x1.6fb1bap-1f, -0x1.33d334p-2f, 0x1.60a0bcp-4f, -0x1.5b772p-7f};
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
  // 2^f = 1 + f ln 2 + f^2 c(f) for |f| <= 1/2; those of e^r times powers of ln 2
  static constexpr double kExp2[] = {0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0bfp-5,  0x1.3b2ab6fba4e7bp-7,  0x1.5d87fe78a6969p-10,
                                     0x1.430912f86a898p-13, 0x1.ffcbfc57889e1p-17, 0x1.62c022478032ep-20, 0x1.b52540a67e3ap-24,
                                     0x1.e4cefcfe4d51ap-28, 0x1.e8bfb88d6deb1p-32, 0x1.c4c006a175c11p-36, 0x1.8f536a403a83ap-40};
  // log(1 + f) = f - f^2/2 + f^3 c(f) for sqrt(1/2) - 1 <= f <= sqrt(2) - 1; degree 20, relative error 2^-61.8
  static constexpr double kLog[] = {
      0x1.5555555555558p-2, -0x1.0000000000041p-2, 0x1.9999999999045p-3, -0x1.555555554b04ep-3, 0x1.24924924e3a83p-3, -0x1.00000004f7011p-3,
      0x1.c71c71a06171dp-4, -0x1.9999972027ca5p-4, 0x1.745d1b5f077a6p-4, -0x1.5555b13281ba1p-4, 0x1.3b13a1e3e938bp-4, -0x1.248a325cbf1e9p-4,
      0x1.11097440a5023p-4, -0x1.006d64d9a7c49p-4, 0x1.e3815dd9208bep-5, -0x1.c0d0f24c3abdap-5, 0x1.9bffd47b2bb96p-5, -0x1.a9783c78e468cp-5,
      0x1.efcc093d6a6e5p-5, -0x1.ba425e005feb1p-5, 0x1.6efa4ba7ed965p-6};
  static constexpr const auto& kLogFine = kLog;
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
  static constexpr double kErfcMiddle = 0x1.3ba5916e9fd7fp0, kErfcMiddleLow = -0x1.9481fed9430ecp-55;  // their sum is a value at t = 0
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
