// Tests the functions of ops/math.h: their accuracy on samples (tests/ulp tests all inputs), the special values of C's Annex F, and exact
// functions against plain definitions. Also instantiates the function templates with CountingMath (support/counting_math.h), in which
// numbers are objects that count operations.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "ops/math.h"
#include "ops/scalar_math.h"
#include "support/counting_math.h"
#include "ulp/accuracy.h"

using namespace harp;
using Scalars = math::Functions<ScalarMath>;

namespace {

/// Returns whether a and b have equal bits or are both NaN.
template <class T>
bool same(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
std::vector<T> special_values() {
  using L = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           1,
                           2,
                           3,
                           4,
                           T(0.5),
                           T(1.5),
                           T(0.7),
                           10,
                           1000,
                           T(1e10),
                           L::min(),
                           L::denorm_min(),
                           L::max(),
                           L::infinity(),
                           L::epsilon(),
                           std::nextafter(T(1), T(2)),
                           std::nextafter(T(1), T(0)),
                           std::ldexp(T(1), L::digits),
                           std::ldexp(T(1), L::digits) - 1,
                           std::ldexp(T(1), L::digits - 1) - T(0.5),
                           L::min() * T(0.75)};
  for (size_t i = values.size(); i-- > 0;) values.push_back(-values[i]);
  values.push_back(L::quiet_NaN());
  return values;
}

template <class T>
void check_accuracy() {
  for (const auto& row : accuracy::rows<T>()) {
    CAPTURE(row.name);
    accuracy::Worst<T> worst = accuracy::search(row, 17, 20000);
    if constexpr (std::is_same_v<T, float>)
      if (row.arity == 1) worst.add(accuracy::sweep(row, 0, uint64_t{1} << 32, 100003));
    for (T x : special_values<T>())
      for (T y : special_values<T>()) accuracy::examine<T>(row, x, y, {}, worst);
    CAPTURE(worst.x);
    CAPTURE(worst.y);
    CHECK(worst.tried > 20000);
    CHECK(worst.error <= row.bound);
    CAPTURE(worst.wrong_x);
    CAPTURE(worst.wrong_y);
    CHECK(worst.wrong == 0);
  }
}

/// NumPy's npy_divmod, with the C library's fmod: returns the floored quotient and sets `mod`.
template <class T>
T numpy_divide(T a, T b, T& mod) {
  mod = std::fmod(a, b);
  if (b == 0) return a / b;
  T div = (a - mod) / b;
  if (mod != 0) {
    if ((b < 0) != (mod < 0)) mod += b, div -= 1;
  } else {
    mod = std::copysign(T(0), b);
  }
  if (div == 0 || std::isnan(div)) return std::isnan(div) ? div : std::copysign(T(0), a / b);
  T floored = std::floor(div);
  if (div - floored > T(0.5)) floored += 1;
  return floored;
}

template <class T>
void check_division(T x, T y) {
  T mod = 0;
  const T floored = numpy_divide(x, y, mod);
  const bool good =
      same(Scalars::fmod(x, y), std::fmod(x, y)) && same(Scalars::remainder(x, y), mod) && same(Scalars::floor_divide(x, y), floored);
  if (!good) {
    CAPTURE(x);
    CAPTURE(y);
    CHECK(same(Scalars::fmod(x, y), std::fmod(x, y)));
    CHECK(same(Scalars::remainder(x, y), mod));
    CHECK(same(Scalars::floor_divide(x, y), floored));
  }
}

template <class T>
void check_divisions() {
  for (T x : special_values<T>())
    for (T y : special_values<T>()) check_division(x, y);
  std::mt19937_64 random(5);
  for (int i = 0; i < 200000; ++i) {
    const T x = std::bit_cast<T>(static_cast<accuracy::Bits<T>>(random()));
    T y = std::bit_cast<T>(static_cast<accuracy::Bits<T>>(random()));
    check_division(x, y);
    // y is near x or much smaller, so that some quotients are small and others so large that the division takes its rare path
    y = std::ldexp(x, -static_cast<int>(random() % 100)) * T(1.37);
    check_division(x, y);
    check_division(T(static_cast<int>(random() % 2000) - 1000) / 4, T(static_cast<int>(random() % 200) - 100) / 4);
  }
}

/// Checks the quotient and remainder against a division in a type that is wide enough never to overflow.
template <class T>
void check_int_division(T x, T y) {
  using Wide = __int128;
  const Wide a = x, b = y;
  Wide quotient = 0, floor_rest = 0, c_rest = 0;
  if (b != 0) {
    quotient = a / b, c_rest = a % b, floor_rest = c_rest;
    if (c_rest != 0 && (c_rest < 0) != (b < 0)) quotient -= 1, floor_rest += b;
  }
  CAPTURE(x);
  CAPTURE(y);
  CHECK(Scalars::floor_divide(x, y) == static_cast<T>(quotient));
  CHECK(Scalars::remainder(x, y) == static_cast<T>(floor_rest));
  CHECK(Scalars::fmod(x, y) == static_cast<T>(c_rest));
  CHECK(Scalars::maximum(x, y) == std::max(x, y));
  CHECK(Scalars::minimum(x, y) == std::min(x, y));
}

template <class T>
T power(T x, T y) {
  if (y < T(0)) return x == T(1) ? T(1) : x == static_cast<T>(-1) ? (y % 2 != 0 ? static_cast<T>(-1) : T(1)) : T(0);
  std::make_unsigned_t<T> result = 1;
  for (T i = 0; i < y; ++i) result *= static_cast<std::make_unsigned_t<T>>(x);
  return static_cast<T>(result);
}

template <class T>
void check_ints() {
  using L = std::numeric_limits<T>;
  const T values[] = {0,
                      1,
                      2,
                      3,
                      7,
                      10,
                      100,
                      46341,
                      L::max(),
                      static_cast<T>(L::max() - 1),
                      L::min(),
                      static_cast<T>(L::min() + 1),
                      static_cast<T>(-1),
                      static_cast<T>(-2),
                      static_cast<T>(-3),
                      static_cast<T>(-7),
                      static_cast<T>(-100)};
  for (T x : values) {
    for (T y : values) check_int_division(x, y);
    for (T y : {0, 1, 2, 3, 7, 31, 32, 63, 64, 65}) CHECK(Scalars::pow(x, y) == power(x, y));
    if constexpr (std::is_signed_v<T>)
      for (T y : {-1, -2, -3, -64}) CHECK(Scalars::pow(x, y) == power(x, y));
    CHECK(Scalars::sign(x) == static_cast<T>((x > T(0)) - (x < T(0))));
    CHECK(Scalars::abs(x) == static_cast<T>(x < T(0) ? 0 - static_cast<std::make_unsigned_t<T>>(x) : x));
  }
}

template <class T>
void check_exact() {
  constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(same(Scalars::maximum(T(-0.0), T(0)), T(0)));
  CHECK(same(Scalars::maximum(T(0), T(-0.0)), T(0)));
  CHECK(same(Scalars::maximum(T(-0.0), T(-0.0)), T(-0.0)));
  CHECK(same(Scalars::minimum(T(-0.0), T(0)), T(-0.0)));
  CHECK(same(Scalars::minimum(T(0), T(-0.0)), T(-0.0)));
  CHECK(same(Scalars::minimum(T(0), T(0)), T(0)));
  for (T x : special_values<T>()) {
    CAPTURE(x);
    CHECK(std::isnan(Scalars::maximum(x, nan)));
    CHECK(std::isnan(Scalars::maximum(nan, x)));
    CHECK(std::isnan(Scalars::minimum(x, nan)));
    CHECK(std::isnan(Scalars::minimum(nan, x)));
    for (T y : special_values<T>()) {
      if (std::isnan(x) || std::isnan(y) || x == y) continue;
      CHECK(same(Scalars::maximum(x, y), std::max(x, y)));
      CHECK(same(Scalars::minimum(x, y), std::min(x, y)));
      CHECK(same(Scalars::copysign(x, y), std::copysign(x, y)));
    }
    CHECK(same(Scalars::abs(x), std::fabs(x)));
    CHECK(same(Scalars::round(x), std::nearbyint(x)));
    CHECK(Scalars::isnan(x) == std::isnan(x));
    CHECK(Scalars::isinf(x) == std::isinf(x));
    CHECK(Scalars::isfinite(x) == std::isfinite(x));
    CHECK(same(Scalars::sign(x), x > 0 ? T(1) : x < 0 ? T(-1) : x));
  }
  CHECK(same(Scalars::round(T(2.5)), T(2)));
  CHECK(same(Scalars::round(T(-0.5)), T(-0.0)));
  CHECK(same(Scalars::sign(-inf), T(-1)));
  CHECK(same(Scalars::hypot(inf, nan), inf));
  CHECK(same(Scalars::hypot(nan, -inf), inf));
}

/// Checks the special values of pow, in the order of C17, F.10.4.4.
template <class T>
void check_pow_special_values() {
  constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(), zero = 0;
  const auto is = [](T x, T y, T expected) {
    CAPTURE(x);
    CAPTURE(y);
    CHECK(same(Scalars::pow(x, y), expected));
  };
  const T even = std::ldexp(T(1), std::numeric_limits<T>::digits + 3), odd = std::ldexp(T(1), std::numeric_limits<T>::digits) - 1;
  for (T y : {T(1), T(3), odd}) {
    is(zero, -y, inf), is(-zero, -y, -inf);
    is(zero, y, zero), is(-zero, y, -zero);
    is(-inf, -y, -zero), is(-inf, y, -inf);
  }
  for (T y : {T(2), T(0.5), even, inf}) {
    is(zero, -y, inf), is(-zero, -y, inf);
    is(zero, y, zero), is(-zero, y, zero);
    is(-inf, -y, zero), is(-inf, y, inf);
  }
  is(-1, inf, 1), is(-1, -inf, 1);
  for (T y : special_values<T>()) is(1, y, 1);
  for (T x : special_values<T>()) is(x, zero, 1), is(x, -zero, 1);
  for (T x : {T(-1), T(-2), T(-0.5)})
    for (T y : {T(0.5), T(-1.5), T(1e-3)}) is(x, y, nan);
  for (T x : {T(0.5), T(-0.5), zero}) is(x, -inf, inf), is(x, inf, zero);
  for (T x : {T(2), T(-2), inf}) is(x, -inf, zero), is(x, inf, inf);
  for (T y : {T(0.5), T(1), T(2), T(1e9)}) is(inf, -y, zero), is(inf, y, inf);
  for (T y : {T(0.5), T(2), inf, -inf}) is(nan, y, nan), is(nan, -y, nan);
  for (T x : {T(0.5), T(-2), inf, zero}) is(x, nan, nan);
  is(-2, 3, -8), is(-2, -3, T(-0.125)), is(-2, 2, 4), is(-1, odd, -1), is(-1, even, 1), is(10, 5, 100000);
}

/// Checks that the error is at most 3 units in the last place. The unit is that of 1, of the result or of the greater operand, whichever of
/// these has the greatest magnitude.
template <class T>
void check_logaddexp() {
  constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(), greatest = std::numeric_limits<T>::max();
  std::mt19937_64 random(5);
  const auto number = [&](int most) {
    const T size = std::ldexp(static_cast<T>(random() >> 40), static_cast<int>(random() % (most + 40)) - 64);
    return random() % 2 ? size : -size;
  };
  for (int i = 0; i < 100'000; ++i) {
    const T x = number(40), y = i % 2 == 0 ? number(40) : x + number(8);
    using Wider = accuracy::Wider<T>;
    const Wider m = std::max<Wider>(x, y), exact = m + std::log1p(std::exp(-std::fabs(Wider{x} - Wider{y})));
    const T scale = std::max({T(1), std::fabs(static_cast<T>(exact)), std::fabs(static_cast<T>(m))});
    const Wider unit = std::nextafter(scale, inf) - Wider{scale};
    CAPTURE(x);
    CAPTURE(y);
    const T got = Scalars::logaddexp(x, y);
    CHECK(std::fabs(Wider{got} - exact) <= 3 * unit);
    CHECK(same(got, Scalars::logaddexp(y, x)));
  }
  for (const T x : special_values<T>()) {
    CAPTURE(x);
    CHECK(same(Scalars::logaddexp(x, -inf), x == 0 ? T(0) : x));
    CHECK(same(Scalars::logaddexp(inf, x), std::isnan(x) ? nan : inf));
    CHECK(same(Scalars::logaddexp(nan, x), nan));
  }
  CHECK(same(Scalars::logaddexp(greatest, greatest), greatest));
  CHECK(same(Scalars::logaddexp(-greatest, greatest), greatest));
}

struct Cost {
  std::string_view function;
  DType dtype;
  OperationCounts counts;
};

/// Checks that the functions give the same bits with numbers that count the operations on them (CountingMath) as with plain numbers, and
/// records how many operations each function takes.
template <DType D>
void check_policy(std::vector<Cost>& costs) {
  using Counted = math::Functions<CountingMath>;
  using T = ScalarMath::T<D>;
  using V = CountingMath::T<D>;
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    T a = std::ldexp(static_cast<T>(random()), -64), b = std::ldexp(static_cast<T>(random()), -62);
    if (i % 3 == 0) a = std::bit_cast<T>(static_cast<accuracy::Bits<T>>(random()));
    if (i % 5 == 0) b = std::bit_cast<T>(static_cast<accuracy::Bits<T>>(random()));
#define HARP_ARGUMENTS_1(type) (type(a))
#define HARP_ARGUMENTS_2(type) (type(a), type(b))
#define HARP_ROW(function, arity)                                                                                              \
  {                                                                                                                            \
    CountingMath::counts = {};                                                                                                 \
    const auto counted = Counted::function HARP_ARGUMENTS_##arity(V);                                                          \
    CAPTURE(#function);                                                                                                        \
    CAPTURE(a);                                                                                                                \
    CAPTURE(b);                                                                                                                \
    CHECK(same<double>(static_cast<double>(counted.get()), static_cast<double>(Scalars::function HARP_ARGUMENTS_##arity(T)))); \
    if (i == 0) costs.push_back({#function, D, CountingMath::counts});                                                         \
  }
    HARP_MATH_FUNCTIONS(HARP_ROW)
    HARP_MATH_PREDICATES(HARP_ROW)
  }
}

/// Checks CountingMath on integers. For narrow integers, it wraps around after each operation, whereas ScalarMath computes in the wide
/// dtype and wraps around at the end, as docs/semantics.md defines. Both must give the same bits.
template <DType D>
void check_int_policy() {
  using Counted = math::Functions<CountingMath>;
  using T = ScalarMath::T<D>;
  using Wide = ScalarMath::T<info(D).computes_in>;
  using V = CountingMath::T<D>;
  std::mt19937_64 random(4);
  for (int i = 0; i < 300; ++i) {
    constexpr int kWidth = 8 * static_cast<int>(sizeof(T));
    const T a = static_cast<T>(random() >> (64 - kWidth + i % kWidth)), b = static_cast<T>(random() >> (64 - kWidth + i * 7 % kWidth));
#undef HARP_ROW
#define HARP_ROW(function, arity)                                                                                               \
  {                                                                                                                             \
    CAPTURE(#function);                                                                                                         \
    CAPTURE(a);                                                                                                                 \
    CAPTURE(b);                                                                                                                 \
    CHECK(Counted::function HARP_ARGUMENTS_##arity(V).get() == static_cast<T>(Scalars::function HARP_ARGUMENTS_##arity(Wide))); \
  }
    HARP_MATH_INT_FUNCTIONS(HARP_ROW)
  }
}
#undef HARP_ROW
#undef HARP_ARGUMENTS_1
#undef HARP_ARGUMENTS_2

}  // namespace

TEST_CASE("G2: functions of f32 are within their bounds, special values right (samples)") { check_accuracy<float>(); }
TEST_CASE("G2: functions of f64 are within their bounds, special values right (samples)") { check_accuracy<double>(); }

TEST_CASE("G2: the greatest errors known stay what they are") {
  // Tests the arguments for which a search over all inputs has found the greatest error, and those for which argument reduction is hardest.
  CHECK(accuracy::ulp_error(Scalars::sin(0x1.921fb54442d18p1), std::sin(static_cast<long double>(0x1.921fb54442d18p1))) < 1);
  // 6381956970095103 * 2^797 is the f64 that is closest, relative to its size, to a multiple of pi/2; its cosine is 4.69e-19.
  const double hardest = 0x1.6ac5b262ca1ffp+849;
  CHECK(accuracy::ulp_error(Scalars::cos(hardest), std::cos(static_cast<long double>(hardest))) < 1);
  CHECK(accuracy::ulp_error(Scalars::tan(hardest), std::tan(static_cast<long double>(hardest))) < 1.5);
  CHECK(std::fabs(Scalars::cos(hardest)) < 1e-18);
  CHECK(accuracy::ulp_error(Scalars::sin(1e22), -0.8522008497671888017727058937530L) < 1);
  CHECK(accuracy::ulp_error(Scalars::sin(std::numeric_limits<float>::max()), std::sin(double{std::numeric_limits<float>::max()})) < 1.1);
}

TEST_CASE("G2: pow has every special value of Annex F") {
  check_pow_special_values<float>();
  check_pow_special_values<double>();
}

TEST_CASE("G2: maximum, minimum, sign, copysign, round and predicates") {
  check_exact<float>();
  check_exact<double>();
  CHECK(Scalars::maximum(true, false));
  CHECK_FALSE(Scalars::minimum(true, false));
}

TEST_CASE("G22.logaddexp: logaddexp is as near to the true value as its greater operand allows, infinities and NaN as expected") {
  check_logaddexp<float>();
  check_logaddexp<double>();
}

TEST_CASE("G2: fmod is exact; remainder and floor_divide are NumPy's") {
  check_divisions<float>();
  check_divisions<double>();
}

TEST_CASE("G2: integer division, powers and signs never trap") {
  check_ints<int32_t>();
  check_ints<int64_t>();
  check_ints<uint32_t>();
  check_ints<uint64_t>();
}

TEST_CASE("X2: functions give the same bits through a policy of classes, at the cost that is known") {
  std::vector<Cost> costs;
  check_policy<DType::kF32>(costs);
  check_policy<DType::kF64>(costs);
  check_int_policy<DType::kI8>();
  check_int_policy<DType::kU8>();
  check_int_policy<DType::kI16>();
  check_int_policy<DType::kU16>();
  check_int_policy<DType::kI32>();
  check_int_policy<DType::kI64>();
  check_int_policy<DType::kU32>();
  check_int_policy<DType::kU64>();
  CHECK(costs.size() == 2 * 38);
  if (std::getenv("HARP_SHOW_COSTS"))  // prints the table of tests/ulp/README.md
    for (const auto& [function, dtype, n] : costs)
      std::printf("%-12s %s %3d simple %2d fma %d divisions %d rare\n", std::string(function).c_str(), std::string(name(dtype)).c_str(),
                  n.simple, n.fma, n.divide, n.rare);
  // The speed of many kernels depends on these functions alone, so an additional operation must be a deliberate decision.
  for (const Cost& cost : costs) {
    if (cost.dtype != DType::kF32) continue;
    const std::string_view function = cost.function;
    const OperationCounts& n = cost.counts;
    CAPTURE(function);
    const int operations = n.simple + n.fma;
    if (function == "exp") CHECK(operations <= 26);
    // at most 48 operations; only 22 on machines with the instructions of render/c/instructions.h
    if (function == "log") CHECK(operations <= 48);
    if (function == "sin" || function == "cos") CHECK(operations <= 39);
    if (function == "tanh") CHECK(operations <= 16);
    // at most 8 operations; only 3 on machines with the instructions of render/c/instructions.h
    if (function == "maximum") CHECK(operations <= 8);
    if (function == "minimum") CHECK(operations <= 5);
    if (function.starts_with("exp") || function.starts_with("log") || function == "sin" || function == "cos") CHECK(n.divide == 0);
  }
}
