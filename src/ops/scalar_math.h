// Defines the policy of ops/math.h whose values are plain C++ numbers, for the interpreter and the tests. Code that includes this file must
// be compiled with -ffp-contract=off -fwrapv. With -mfma, fma is one instruction; otherwise it is a call of the C library's fma, which also
// rounds once.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "ops/math_coefficients.h"

namespace harp {

template <DType D>
struct ScalarOf;
#define HARP_ROW(id, name, size, kind, ctype, computes_in, in_graph) \
  template <>                                                        \
  struct ScalarOf<DType::k##id> {                                    \
    using Type = ctype;                                              \
  };
HARP_DTYPES(HARP_ROW)
#undef HARP_ROW

struct ScalarMath {
  template <DType D>
  using T = typename ScalarOf<D>::Type;

  static constexpr float f32(float c) { return c; }
  static constexpr double f64(double c) { return c; }
  static constexpr int32_t i32(int32_t c) { return c; }
  static constexpr uint32_t u32(uint32_t c) { return c; }
  static constexpr int64_t i64(int64_t c) { return c; }
  static constexpr uint64_t u64(uint64_t c) { return c; }
  template <DType D>
  static constexpr T<D> integer(int64_t c) {
    return static_cast<T<D>>(c);
  }

  static float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
  static float sqrt(float x) { return __builtin_sqrtf(x); }
  static double sqrt(double x) { return __builtin_sqrt(x); }
  static float abs(float x) { return __builtin_fabsf(x); }
  static double abs(double x) { return __builtin_fabs(x); }
  static float floor(float x) { return __builtin_floorf(x); }
  static double floor(double x) { return __builtin_floor(x); }
  static float ceil(float x) { return __builtin_ceilf(x); }
  static double ceil(double x) { return __builtin_ceil(x); }
  static float trunc(float x) { return __builtin_truncf(x); }
  static double trunc(double x) { return __builtin_trunc(x); }
  static float rint(float x) { return __builtin_rintf(x); }
  static double rint(double x) { return __builtin_rint(x); }

  template <class V>
  static V select(bool condition, V a, V b) {
    return condition ? a : b;
  }
  template <DType D, class V>
  static T<D> bitcast(V x) {
    return std::bit_cast<T<D>>(x);
  }
  template <DType D, class V>
  static T<D> cast(V x) {
    return static_cast<T<D>>(x);
  }
  template <DType D>
  static T<D> table(const MathTable& table, int32_t index) {
    static_assert(size_of(D) == sizeof(uint32_t));
    return std::bit_cast<T<D>>(table.words[static_cast<size_t>(table.words.size() == kPermutedTable ? index & 15 : index)]);
  }
  template <class Function, class... Args>
  static auto named(std::string_view /*name*/, Function function, Args... args) {
    return function(args...);
  }
  template <class V, class Function, class... Args>
  static V rarely(std::string_view /*name*/, bool condition, V common, Function rare, Args... args) {
    return condition ? rare(args...) : common;
  }
};

}  // namespace harp
