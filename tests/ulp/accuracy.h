// Measures the errors of the functions in ops/math.h. The full check (ulp_check.cpp, with MPFR) and the quick tests (math_test.cpp, without
// MPFR) share this header. Every f32 or f64 result is compared with the result of the C library's function for the next wider type. The
// error of that function is about one ulp of the wider type, which is 2^-29 (f32) or 2^-11 (f64) of the ulps measured here.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ops/math.h"
#include "ops/scalar_math.h"

namespace harp::accuracy {

/// X(name, arity, bound of the f32 error in ulp, bound of the f64 error in ulp)
#define HARP_ACCURACY_FUNCTIONS(X) \
  X(exp, 1, 1.0, 1.5)              \
  X(exp2, 1, 1.0, 1.5)             \
  X(expm1, 1, 1.0, 1.5)            \
  X(log, 1, 1.0, 1.5)              \
  X(log2, 1, 1.0, 1.5)             \
  X(log10, 1, 1.0, 1.5)            \
  X(log1p, 1, 1.0, 1.5)            \
  X(sin, 1, 1.1, 1.5)              \
  X(cos, 1, 1.1, 1.5)              \
  X(tan, 1, 1.3, 1.5)              \
  X(asin, 1, 1.3, 1.5)             \
  X(acos, 1, 1.3, 1.5)             \
  X(atan, 1, 1.3, 1.5)             \
  X(sinh, 1, 1.3, 1.5)             \
  X(cosh, 1, 1.3, 1.5)             \
  X(tanh, 1, 1.3, 1.5)             \
  X(asinh, 1, 1.3, 1.5)            \
  X(acosh, 1, 1.3, 1.5)            \
  X(atanh, 1, 1.3, 1.5)            \
  X(erf, 1, 1.3, 1.5)              \
  X(erfc, 1, 1.3, 1.5)             \
  X(cbrt, 1, 1.3, 1.5)             \
  X(pow, 2, 1.3, 1.5)              \
  X(atan2, 2, 1.3, 1.5)            \
  X(hypot, 2, 1.3, 1.5)

template <class T>
using Wider = std::conditional_t<std::is_same_v<T, float>, double, long double>;
template <class T>
using Bits = std::conditional_t<std::is_same_v<T, float>, uint32_t, uint64_t>;

/// A function under test and its reference; unary functions ignore y.
template <class T>
struct Row {
  std::string_view name;
  int arity;
  double bound;
  T (*ours)(T x, T y);
  Wider<T> (*reference)(Wider<T> x, Wider<T> y);
};

template <class T>
std::vector<Row<T>> rows() {
  using F = math::Functions<ScalarMath>;
  constexpr bool single = std::is_same_v<T, float>;
#define HARP_CALL_1(f) f(x)
#define HARP_CALL_2(f) f(x, y)
#define HARP_ROW(name, arity, bound32, bound64)                                                      \
  Row<T>{#name, arity, single ? bound32 : bound64,                                                   \
         []([[maybe_unused]] T x, [[maybe_unused]] T y) -> T { return HARP_CALL_##arity(F::name); }, \
         []([[maybe_unused]] Wider<T> x, [[maybe_unused]] Wider<T> y) -> Wider<T> { return HARP_CALL_##arity(std::name); }},
  return {HARP_ACCURACY_FUNCTIONS(HARP_ROW)};
#undef HARP_ROW
#undef HARP_CALL_1
#undef HARP_CALL_2
}

/// The error that is reported for a result of the wrong kind: NaN in place of a number, an infinity where the true value is far from
/// overflow, or a zero or number of the wrong sign.
inline constexpr double kWrong = 1e30;

/// Returns |got - reference| in units in the last place of the reference. An infinity is treated as the first power of 2 beyond the range.
template <class T>
double ulp_error(T got, Wider<T> reference) {
  using L = std::numeric_limits<T>;
  if (std::isnan(reference) || std::isnan(got)) return std::isnan(reference) && std::isnan(got) ? 0 : kWrong;
  if (reference == 0) return got == 0 && std::signbit(got) == std::signbit(reference) ? 0 : kWrong;
  if (std::signbit(got) != std::signbit(reference)) return kWrong;
  const Wider<T> beyond = std::ldexp(Wider<T>(1), L::max_exponent);
  if (std::isinf(reference) && std::isinf(got)) return 0;
  const Wider<T> a = std::isinf(got) ? beyond : std::fabs(Wider<T>(got));
  const Wider<T> b = std::fmin(std::fabs(reference), beyond);
  int exponent = std::ilogb(b);
  if (exponent > L::max_exponent - 1) exponent = L::max_exponent - 1;
  if (exponent < L::min_exponent - 1) exponent = L::min_exponent - 1;
  return static_cast<double>(std::fabs(std::ldexp(a - b, L::digits - 1 - exponent)));
}

/// Makes arguments at which functions tend to be least accurate: random bits, magnitudes around 1, and values near zeros of the function
/// and near the boundaries between the cases of an algorithm.
template <class T>
class Samples {
 public:
  explicit Samples(uint64_t seed) : random_(seed) {}

  T unary(std::string_view name) {
    switch (random_() % 4) {
      case 0: return any();
      case 1: return near_one_in_size();
      case 2: return nudged(anchor(name));
      default: return uniform(name);
    }
  }

  void binary(std::string_view name, T& x, T& y) {
    x = random_() % 2 ? near_one_in_size() : any();
    if (name == "pow") {
      if (random_() % 4 == 0) x = nudged(T(1));
      if (random_() % 4) x = std::fabs(x);
      // Chooses y so that the power is in range, just overflows or just underflows.
      const double limit = std::numeric_limits<T>::max_exponent * 0.8;
      y = static_cast<T>((unit() * 2 - 1) * limit / std::log(std::fabs(static_cast<double>(x))));
      if (random_() % 8 == 0) y = any();
      if (random_() % 8 == 0) y = static_cast<T>(static_cast<int>(random_() % 64) - 32);
      return;
    }
    if (random_() % 4 == 0) {
      y = any();
      return;
    }
    y = std::ldexp(x, static_cast<int>(random_() % 64) - 32) * static_cast<T>(unit() + 0.5);
    if (random_() % 2) y = -y;
  }

 private:
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  T any() { return std::bit_cast<T>(static_cast<Bits<T>>(random_())); }
  T near_one_in_size() {
    const int span = std::is_same_v<T, float> ? 30 : 70;
    const T x = std::ldexp(static_cast<T>(unit() + 1), static_cast<int>(random_() % static_cast<unsigned>(span)) - span + 10);
    return random_() % 2 ? x : -x;
  }
  /// Moves x up or down by a random number of units in the last place, mostly few, sometimes many.
  T nudged(T x) {
    const uint64_t away = random_() >> (20 + random_() % 44);
    const auto bits = std::bit_cast<Bits<T>>(x);
    return std::bit_cast<T>(static_cast<Bits<T>>(random_() % 2 ? bits + away : bits - away));
  }
  T anchor(std::string_view name) {
    if (name == "sin" || name == "cos" || name == "tan") {  // zeros, poles, and the ends of the interval to which arguments are reduced
      const auto k = static_cast<Wider<T>>(random_() >> (24 + random_() % 40));
      return static_cast<T>(k * static_cast<Wider<T>>(0.785398163397448309615660845819875721L));
    }
    if (name.starts_with("exp") || name.ends_with("h")) {  // ends of the interval to which arguments are reduced, overflow, underflow
      const int limit = std::numeric_limits<T>::max_exponent * 2 + 120;
      const auto k = static_cast<Wider<T>>(static_cast<int>(random_() % static_cast<unsigned>(2 * limit)) - limit) / 2;
      return static_cast<T>(k * static_cast<Wider<T>>(name == "exp2" ? 1.0L : 0.693147180559945309417232121458176568L));
    }
    static constexpr double kAnchors[] = {1, 0.5, 2, 0.70710678118654752, 1.4142135623730951, 6, 4, 27, 10, 26.5, 0x1p13, 0x1p28};
    const T x = static_cast<T>(kAnchors[random_() % std::size(kAnchors)]);
    return random_() % 2 ? x : -x;
  }
  T uniform(std::string_view name) {
    double limit = 2;
    if (name.starts_with("exp") || name == "sinh" || name == "cosh") limit = std::is_same_v<T, float> ? 150 : 1100;
    if (name.starts_with("erf")) limit = std::is_same_v<T, float> ? 11 : 28;
    if (name == "tanh") limit = 22;
    if (name == "sin" || name == "cos" || name == "tan") limit = 100;
    if (name == "acosh") return static_cast<T>(1 + unit() * 3);
    return static_cast<T>((unit() * 2 - 1) * limit);
  }

  std::mt19937_64 random_;
};

/// The greatest error that a search has found, and the arguments at which it occurs.
template <class T>
struct Worst {
  double error = 0;
  T x = 0, y = 0;
  uint64_t wrong = 0;  // number of results of the wrong kind
  T wrong_x = 0, wrong_y = 0;
  uint64_t tried = 0;

  void add(double e, T at_x, T at_y) {
    if (e >= kWrong) {
      if (wrong++ == 0) wrong_x = at_x, wrong_y = at_y;
    } else if (e > error) {
      error = e, x = at_x, y = at_y;
    }
  }
  void add(const Worst& other) {
    tried += other.tried;
    if (other.wrong && !wrong) wrong_x = other.wrong_x, wrong_y = other.wrong_y;
    wrong += other.wrong;
    if (other.error > error) error = other.error, x = other.x, y = other.y;
  }
};

/// A function that computes the exact error of a result. It is called if the estimated error (`screened`) may be the greatest error so far.
/// Without such a function, the estimate is used.
template <class T>
using Judge = std::function<double(T x, T y, T got, double screened)>;

template <class T>
void examine(const Row<T>& row, T x, T y, const Judge<T>& judge, Worst<T>& worst) {
  const T got = row.ours(x, y);
  const Wider<T> reference = row.reference(x, y);
  ++worst.tried;
  if (std::bit_cast<Bits<T>>(static_cast<T>(reference)) == std::bit_cast<Bits<T>>(got)) return;  // the result is correctly rounded
  double error = ulp_error(got, reference);
  const double slack = std::is_same_v<T, float> ? 1e-6 : 0.02;
  if (error > worst.error - slack && judge) error = judge(x, y, got, error);
  worst.add(error, x, y);
}

/// Checks `count` samples for the function.
template <class T>
Worst<T> search(const Row<T>& row, uint64_t seed, uint64_t count, const Judge<T>& judge = {}) {
  Samples<T> samples(seed);
  Worst<T> worst;
  for (uint64_t i = 0; i < count; ++i) {
    T x = 0, y = 0;
    if (row.arity == 1)
      x = samples.unary(row.name);
    else
      samples.binary(row.name, x, y);
    examine(row, x, y, judge, worst);
  }
  return worst;
}

/// Checks a unary function on every `step`-th f32, in the order of their bit patterns, from `begin` to `end`.
inline Worst<float> sweep(const Row<float>& row, uint64_t begin, uint64_t end, uint64_t step, const Judge<float>& judge = {}) {
  Worst<float> worst;
  for (uint64_t bits = begin; bits < end; bits += step) examine(row, std::bit_cast<float>(static_cast<uint32_t>(bits)), 0.0f, judge, worst);
  return worst;
}

}  // namespace harp::accuracy
