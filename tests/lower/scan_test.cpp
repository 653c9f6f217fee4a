// Tests scans (prefix sums and the like). Every backend is compared with a direct implementation of docs/semantics.md, "Scans", at the
// boundaries of the groups, blocks and levels that are defined there. Also tests special values, axes, flags, and errors. (oracle_test.py
// compares with NumPy; grad_test.cpp and grad_values_test.cpp test gradients, schedule_test.cpp kernels.)
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/text.h"
#include "ops/math.h"
#include "ops/scalar_math.h"
#include "support/backends_run.h"
#include "support/misuse.h"

using namespace capi_test;
using harp::append;
using harp::cat;
using harp::ScalarMath;
namespace math = harp::math;

namespace {

using F = std::vector<float>;
using L = std::vector<int64_t>;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

template <class T>
const char* dtype_name() {
  if constexpr (std::is_same_v<T, int32_t>) return "i32";
  if constexpr (std::is_same_v<T, int64_t>) return "i64";
  if constexpr (std::is_same_v<T, float>) return "f32";
  return "f64";
}

template <class T>
struct Law {
  std::string name;
  std::function<T(T, T)> combine;
  T identity;

  /// Returns the results for one block of n elements, and the carry into the next block.
  std::pair<std::vector<T>, T> block(bool is_tree, const T* x, size_t n, T carry) const {
    std::vector<T> out;
    if (!is_tree) {
      for (size_t i = 0; i < n; ++i) out.push_back(carry = combine(carry, x[i]));
      return {out, carry};
    }
    for (size_t begin = 0; begin < n; begin += 64) {
      std::vector<T> group(64, identity), totals;
      const size_t count = std::min<size_t>(64, n - begin);
      std::copy(x + begin, x + begin + count, group.begin());
      for (size_t q = 0; q < 64; q += 4) {
        const T a = group[q], b = group[q + 1], c = group[q + 2], d = group[q + 3];
        group[q + 1] = combine(a, b);
        group[q + 2] = combine(a, combine(b, c));
        group[q + 3] = combine(combine(a, b), combine(c, d));
        totals.push_back(group[q + 3]);
      }
      for (size_t step = 1; step < 16; step *= 2)
        for (size_t i = 15; i >= step; --i) totals[i] = combine(totals[i - step], totals[i]);
      for (size_t i = 0; i < count; ++i) out.push_back(combine(group[i], combine(carry, i < 4 ? identity : totals[i / 4 - 1])));
      carry = combine(carry, totals[15]);
    }
    return {out, carry};
  }
  std::vector<T> scan(bool is_tree, const std::vector<T>& x) const {
    std::vector<T> totals, before = {identity}, out;
    for (size_t begin = 0; begin + 4096 < x.size(); begin += 4096) totals.push_back(block(is_tree, &x[begin], 4096, identity).second);
    if (!totals.empty())
      for (const T& value : scan(is_tree, totals)) before.push_back(value);
    for (size_t begin = 0; begin < x.size(); begin += 4096)
      for (const T& value : block(is_tree, &x[begin], std::min<size_t>(4096, x.size() - begin), before[begin / 4096]).first)
        out.push_back(value);
    return out;
  }
};

template <class T>
std::vector<Law<T>> laws() {
  using Limits = std::numeric_limits<T>;
  const auto wrap = [](auto f) {  // integers wrap around
    return [f](T a, T b) -> T {
      if constexpr (std::is_integral_v<T>)
        return static_cast<T>(f(static_cast<std::make_unsigned_t<T>>(a), static_cast<std::make_unsigned_t<T>>(b)));
      else
        return f(a, b);
    };
  };
  std::vector<Law<T>> result = {
      {"cumsum", wrap([](auto a, auto b) { return a + b; }), T(0)},
      {"cumprod", wrap([](auto a, auto b) { return a * b; }), T(1)},
      {"cummax", [](T a, T b) { return a > b ? a : b; }, Limits::has_infinity ? T(-Limits::infinity()) : Limits::lowest()},
      {"cummin", [](T a, T b) { return a < b ? a : b; }, Limits::has_infinity ? Limits::infinity() : Limits::max()}};
  if constexpr (!std::is_integral_v<T>)
    result.push_back({"logcumsumexp", [](T a, T b) { return math::Functions<ScalarMath>::logaddexp(a, b); }, T(-Limits::infinity())});
  return result;
}

/// Returns floats near 1 or -1, so that products stay finite, with all bits of the significand in use; or any integers. There are no zeros,
/// because the reference ignores the signs of zeros.
template <class T>
Values<T> some(int64_t n) {
  std::mt19937_64 random(static_cast<uint64_t>(n) + 1);
  Values<T> values{{}, {n}};
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<T>) {
      values.items.push_back(static_cast<T>(random()));
    } else {
      const T size = T(1) + static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) / T(16);
      values.items.push_back(random() % 2 ? size : -size);
    }
  }
  return values;
}

template <class T>
void check_law(const Backends& backends, int64_t n, bool is_static) {
  const Values<T> x = some<T>(n);
  std::string calls;
  for (const Law<T>& law : laws<T>())
    for (const char* order : {"tree", "chain"})
      append(calls, cat(calls.empty() ? "" : ", ", law.name, "_", order, " = ", law.name, "(x, axis=0, order=", order, ")"));
  const auto outputs = backends.run(cat("graph g(x: ", dtype_name<T>(), "[", is_static ? cat(n) : "n", "]) { return ", calls, " }"), x);
  size_t i = 0;
  for (const Law<T>& law : laws<T>())
    for (const bool is_tree : {true, false}) {
      CAPTURE(law.name);
      CAPTURE(is_tree);
      CAPTURE(n);
      CHECK(values<T>(outputs[i++].get()) == law.scan(is_tree, x.items));
    }
}

/// Checks scans along the rows of an array: in the orders "tree" and "chain" of docs/semantics.md, and reversed.
template <class T>
void check_rows(const Backends& backends, const std::vector<Law<T>>& laws_of_graph, int64_t rows, int64_t columns) {
  struct Kind {
    bool is_tree, reverse;
  };
  constexpr Kind kKinds[] = {{true, false}, {false, false}, {true, true}};
  Values<T> x = some<T>(rows * columns);
  x.dims = {rows, columns};
  std::string calls;
  for (const Law<T>& law : laws_of_graph)
    for (const Kind& kind : kKinds)
      append(calls, cat(calls.empty() ? "" : ", ", law.name, kind.is_tree ? "_tree" : "_chain", kind.reverse ? "_back" : "", " = ",
                        law.name, "(x, axis=1, order=", kind.is_tree ? "tree" : "chain", kind.reverse ? ", reverse=true" : "", ")"));
  const auto outputs = backends.run(cat("graph g(x: ", dtype_name<T>(), "[n, ", columns, "]) { return ", calls, " }"), x);
  size_t i = 0;
  for (const Law<T>& law : laws_of_graph)
    for (const Kind& kind : kKinds) {
      std::vector<T> expected;
      for (auto row = x.items.begin(); row != x.items.end(); row += columns) {
        std::vector<T> elements(row, row + columns);
        if (kind.reverse) std::reverse(elements.begin(), elements.end());
        std::vector<T> running = law.scan(kind.is_tree, elements);
        if (kind.reverse) std::reverse(running.begin(), running.end());
        expected.insert(expected.end(), running.begin(), running.end());
      }
      CAPTURE(law.name);
      CAPTURE(kind.is_tree);
      CAPTURE(kind.reverse);
      CAPTURE(columns);
      CHECK(values<T>(outputs[i++].get()) == expected);
    }
}

/// Checks a graph that is a single scan.
template <class T>
void check_alone(const Backends& backends, const Law<T>& law, int64_t n, bool is_static) {
  const Values<T> x = some<T>(n);
  const std::string text =
      cat("graph g(x: ", dtype_name<T>(), "[", is_static ? cat(n) : "n", "]) { return y = ", law.name, "(x, axis=0) }");
  CAPTURE(text);
  CAPTURE(n);
  CHECK(values<T>(backends.run(text, x)[0].get()) == law.scan(true, x.items));
}

}  // namespace

TEST_CASE(
    "G4.cumsum,cumprod,cummax,cummin/interp,c G22.logcumsumexp/interp,c G4.sequential/c: the law at the boundaries of quads, groups and "
    "blocks, every dtype") {
  const Backends backends;
  for (const int64_t n : {0, 1, 3, 4, 5, 63, 64, 65, 130, 4095, 4096, 4097, 8192, 8193, 12345}) {
    check_law<float>(backends, n, false);
    check_law<double>(backends, n, false);
    check_law<int32_t>(backends, n, false);
    check_law<int64_t>(backends, n, false);
  }
}

TEST_CASE("G4.cumsum,cumprod,cummax,cummin/interp,c G22.logcumsumexp/interp,c L2: the law along rows of a few elements") {
  const Backends backends;
  // All scans of a graph may become one kernel. Scans by logaddexp are in a graph of their own, because they are unrolled only along
  // shorter rows than the other scans.
  const auto check = [&]<class T>(T, int64_t columns) {
    std::vector<Law<T>> sums = laws<T>(), logarithms;
    if (sums.back().name == "logcumsumexp") {
      logarithms.push_back(sums.back());
      sums.pop_back();
      check_rows(backends, logarithms, 35, columns);
    }
    check_rows(backends, sums, 35, columns);
  };
  for (int64_t columns = 1; columns <= 17; ++columns) check(float(), columns);
  for (const int64_t columns : {3, 7, 16}) check(double(), columns);
  for (const int64_t columns : {2, 5, 12}) check(int64_t(), columns);
}

TEST_CASE("G4.cumsum/interp,c: sizes that are known") {
  const Backends backends;
  for (const int64_t n : {1, 3, 4, 7, 8, 20, 40, 64, 100, 300, 4100, 8200}) {
    check_law<float>(backends, n, true);
    check_law<int64_t>(backends, n, true);
  }
}

TEST_CASE(
    "G4.cumsum,cumprod,cummax,cummin/interp,c G22.logcumsumexp/c: groups of one scan are done in turn, those that are left one by one") {
  const Backends backends;
  for (const int64_t n : {300, 1000, 2176, 4100}) {
    for (const Law<float>& law : laws<float>()) check_alone(backends, law, n, true);
    check_alone(backends, laws<double>()[0], n, true);
    check_alone(backends, laws<int32_t>()[0], n, true);
    check_alone(backends, laws<int64_t>()[1], n, true);
  }
  for (const int64_t n : {63, 1023, 1024, 12345}) check_alone(backends, laws<float>()[0], n, false);
  const std::string text = "graph g(x: f32[n, 1100]) { return y = cumsum(x * 3 + 1, axis=1, reverse=true) - x }";
  backends.run(text, rough({3, 1100}, 1));
  backends.run("graph g(x: f32[n, 1100]) { return y = cumsum(cast(x, dtype=f16), axis=1, exclusive=true) }", rough({3, 1100}, 2));
  // A group of the scan may cross the border between two pieces of a view; such a scan is neither vectorised nor interleaved.
  for (const char* const pieces : {"cumsum(x + roll(x, shift=-700, axis=1), axis=1)", "cumsum(x, axis=1) + roll(x, shift=-700, axis=1)",
                                   "cumsum(reshape(permute(reshape(x, shape=[n, 44, 25]), axes=[0, 2, 1]), shape=[n, 1100]), axis=1)"})
    backends.run("graph g(x: f32[n, 1100]) { return y = " + std::string(pieces) + " }", rough({3, 1100}, 3));
}

TEST_CASE("G4.cumsum/interp,c: totals of totals: 64 and 4,096 blocks") {
  const Backends backends;
  for (const int64_t n : {262'144 + 1, 64 * 4096 * 2 + 70, 4096 * 4096 + 4096 * 65 + 3}) {
    const Values<float> x = some<float>(n);
    const auto outputs = backends.run("graph g(x: f32[n]) { return t = cumsum(x, axis=0), c = cumsum(x, axis=0, order=chain) }", x);
    const Law<float> law = laws<float>()[0];
    CAPTURE(n);
    CHECK(values<float>(outputs[0].get()) == law.scan(true, x.items));
    CHECK(values<float>(outputs[1].get()) == law.scan(false, x.items));
  }
}

TEST_CASE("G4.cumsum/interp,c: every axis of a larger array, whatever it looks like") {
  const Backends backends;
  const std::vector<int64_t> shape = {3, 70, 37};
  const Values<float> x = rough(shape, 3);
  const auto outputs = backends.run(
      "graph g(x: f32[n, m, k]) {\n  t = permute(x, axes=[2, 0, 1])\n  f = flip(x)\n"
      "  return a = cumsum(x, axis=0), b = cumsum(x, axis=1), c = cumsum(x, axis=-1), d = cumsum(t, axis=0), e = flip(cumsum(f, axis=1)), "
      "g = cumsum(x, axis=1, reverse=true), h = cumsum(x), i = cumsum(x, axis=2, order=chain), j = cumsum(x, axis=1, order=tree), "
      "l = permute(cumsum(x, axis=2), axes=[2, 0, 1]), o = flip(cumsum(flip(x, axes=[2]), axis=2), axes=[2]), "
      "p = cumsum(x, axis=2, reverse=true)\n}",
      x);
  const Law<float> law = laws<float>()[0];
  const auto expected = [&](int axis, bool is_tree, bool reverse) {
    F result(x.items.size());
    int64_t step = 1, n = shape[static_cast<size_t>(axis)];
    for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) step *= shape[i];
    for (int64_t line = 0; line < static_cast<int64_t>(result.size()) / n; ++line) {
      const int64_t begin = line / step * step * n + line % step;
      F elements;
      for (int64_t i = 0; i < n; ++i) elements.push_back(x.items[static_cast<size_t>(begin + (reverse ? n - 1 - i : i) * step)]);
      const F sums = law.scan(is_tree, elements);
      for (int64_t i = 0; i < n; ++i) result[static_cast<size_t>(begin + (reverse ? n - 1 - i : i) * step)] = sums[static_cast<size_t>(i)];
    }
    return result;
  };
  const auto got = [&](size_t i) { return values<float>(outputs[i].get()); };
  CHECK(got(0) == expected(0, false, false));
  CHECK(got(1) == expected(1, false, false));
  CHECK(got(2) == expected(2, true, false));
  CHECK(got(3) == got(9));  // a scan of the permuted array t along axis 0 is a scan of x along axis 2
  CHECK(got(4) == expected(1, false, true));
  CHECK(got(5) == expected(1, false, true));
  CHECK(got(6) == law.scan(true, x.items));
  CHECK(dims(outputs[6].get()) == L{3 * 70 * 37});
  CHECK(got(7) == expected(2, false, false));
  CHECK(got(8) == expected(1, true, false));
  CHECK(got(10) == expected(2, true, true));
  CHECK(got(11) == got(10));
}

TEST_CASE("G4.exclusive,reverse/interp,c: flags, shapes without elements, sizes known late") {
  const Backends backends;
  const std::string text =
      "graph g(x: i32[n, m]) { return a = cumsum(x, axis=1, exclusive=true), b = cumsum(x, axis=1, reverse=true), "
      "c = cumprod(x, axis=1, exclusive=true, reverse=true), d = cummax(x, axis=0, exclusive=true), e = cummin(x, axis=1, exclusive=true), "
      "f = cumsum(x, exclusive=true) }";
  const auto outputs = backends.run(text, Values<int32_t>{{1, 2, 3, 4, 5, 6}, {2, 3}});
  using I = std::vector<int32_t>;
  const auto got = [&](size_t i) { return values<int32_t>(outputs[i].get()); };
  CHECK(got(0) == I{0, 1, 3, 0, 4, 9});
  CHECK(got(1) == I{6, 5, 3, 15, 11, 6});
  CHECK(got(2) == I{6, 3, 1, 30, 6, 1});
  CHECK(got(3) == I{INT32_MIN, INT32_MIN, INT32_MIN, 1, 2, 3});
  CHECK(got(4) == I{INT32_MAX, 1, 1, INT32_MAX, 4, 4});
  CHECK(got(5) == I{0, 1, 3, 6, 10, 15});
  for (const std::vector<int64_t>& shape : {L{0, 3}, L{2, 0}, L{0, 0}})
    for (const Buffer& output : backends.run(text, Values<int32_t>{{}, shape})) CHECK(values<int32_t>(output.get()).empty());
  const auto one = backends.run(
      "graph g(x: f32[n, 1]) { return a = cumsum(x, axis=1), b = cumsum(x, axis=1, exclusive=true), "
      "c = cumprod(x, axis=1, reverse=true) }",
      Values<float>{{-0.0f, 2}, {2, 1}});
  CHECK(!std::signbit(values<float>(one[0].get())[0]));  // a running sum starts from +0, so it is never -0
  CHECK(values<float>(one[1].get()) == F{0, 0});
  CHECK(std::signbit(values<float>(one[2].get())[0]));
}

TEST_CASE("G4.cummax,cummin/interp,c G4: NaN, infinities, zeros, bool, scalars") {
  const Backends backends;
  const auto outputs = backends.run(
      "graph g(x: f32[n], s: f32[]) {\n  b = x > 0.0\n  return a = cummax(x, axis=0), c = cummin(x, axis=0), "
      "d = cummax(b, axis=0), e = cummin(b, axis=0), f = cumsum(s), g = cummax(b, axis=0, exclusive=true), h = cumsum(x, axis=0), "
      "i = cumprod(x, axis=0, reverse=true)\n}",
      Values<float>{{-0.0f, 0.0f, -0.0f, 3, kInf, -kInf, 5, -1}, {8}}, Values<float>{{7}, {}});
  const F most = values<float>(outputs[0].get()), least = values<float>(outputs[1].get());
  CHECK(most == F{0, 0, 0, 3, kInf, kInf, kInf, kInf});
  CHECK(std::signbit(most[0]));
  CHECK(!std::signbit(most[2]));  // maximum(-0, +0) is +0
  CHECK(least == F{0, 0, 0, 0, 0, -kInf, -kInf, -kInf});
  CHECK(std::signbit(least[1]));
  using B = std::vector<uint8_t>;
  CHECK(values<uint8_t>(outputs[2].get()) == B{0, 0, 0, 1, 1, 1, 1, 1});
  CHECK(values<uint8_t>(outputs[3].get()) == B{0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(values<float>(outputs[4].get()) == F{7});
  CHECK(dims(outputs[4].get()) == L{1});
  CHECK(values<uint8_t>(outputs[5].get()) == B{0, 0, 0, 0, 1, 1, 1, 1});
  const F sums = values<float>(outputs[6].get());
  CHECK(!std::signbit(sums[0]));
  CHECK(sums[4] == kInf);
  CHECK(std::isnan(sums[5]));
  const auto nan = backends.run("graph g(x: f32[n]) { return a = isnan(cummax(x, axis=0)), b = isnan(cummin(x, axis=0, reverse=true)) }",
                                Values<float>{{1, kNan, 3, 4}, {4}});
  CHECK(values<uint8_t>(nan[0].get()) == B{0, 1, 1, 1});
  CHECK(values<uint8_t>(nan[1].get()) == B{1, 1, 0, 0});
}

TEST_CASE("G22.logcumsumexp/interp,c: infinities, NaN, numbers whose exponentials overflow, halves, flags") {
  const Backends backends;
  const auto of = [&](const std::string& arguments, const F& x) {
    return values<float>(backends
                             .run(cat("graph g(x: f32[n]) { return y = logcumsumexp(x", arguments, ") }"),
                                  Values<float>{x, {static_cast<int64_t>(x.size())}})[0]
                             .get());
  };
  const float two = std::log(2.0f);
  for (const char* const axis : {", axis=0", ""}) {
    CAPTURE(axis);
    CHECK(of(axis, {-kInf, -kInf, 0, 0, -kInf}) == F{-kInf, -kInf, 0, two, two});
    CHECK(of(axis, {1000, 1000, -1000, 3e38f}) == F{1000, 1000 + two, 1000 + two, 3e38f});
    CHECK(of(axis, {-3e38f, -1e5f, -1e5f, kInf, 2}) == F{-3e38f, -1e5f, -1e5f + two, kInf, kInf});
  }
  CHECK(of(", axis=0, exclusive=true", {5, 5, -kInf}) == F{-kInf, 5, 5 + two});
  CHECK(of(", axis=0, reverse=true", {-kInf, 7, 7, -kInf}) == F{7 + two, 7 + two, 7, -kInf});
  CHECK(of(", axis=0, exclusive=true, reverse=true", {1, 2, 3}) == F{of("", {3, 2})[1], 3, -kInf});
  CHECK(!std::signbit(of(", axis=0", {-0.0f})[0]));
  const F nan = of(", axis=0", {1, kNan, 3, kInf});
  CHECK(nan[0] == 1);
  for (const size_t i : {1, 2, 3}) CHECK(std::isnan(nan[i]));
  // Tests logcumsumexp along rows and columns of 16-bit floats. The sums are computed in f32 and rounded once.
  for (const char* const dtype : {"f16", "bf16"})
    for (const char* const axis : {"0", "1"}) {
      const auto call = [&](const char* before, const char* after) {
        return values<float>(backends
                                 .run(cat("graph g(x: f32[9, 700]) {\n  h = cast(cast(x, ", dtype, "), ", before,
                                          ")\n  return y = cast(cast(logcumsumexp(h, axis=", axis, "), ", after, "), f32)\n}"),
                                      rough({9, 700}, 4))[0]
                                 .get());
      };
      CHECK(call(dtype, dtype) == call("f32", dtype));
    }
}

TEST_CASE("G4 G17.into_cumulative,epilogue/c: prologues and epilogues of one kernel, in place too") {
  const Backends backends;
  const std::string text =
      "graph g(x: f32[n, m], w: f32[n, m]) {\n  e = exp(x * 0.001)\n  s = cumsum(e, axis=1)\n  return y = s * w + x, z = s, "
      "u = cummax(e, axis=1) - s, p = cumsum(pad(x, before=[0, 1], after=[0, 0], value=2.0), axis=1)\n}";
  backends.run(text, rough({5, 200}, 1), rough({5, 200}, 2));
  backends.run(text, rough({3, 7}, 1), rough({3, 7}, 2));
  std::string rows = text;
  for (size_t at = rows.find("axis=1"); at != rows.npos; at = rows.find("axis=1", at)) rows.replace(at, 6, "axis=0");
  backends.run(rows, rough({5, 200}, 1), rough({5, 200}, 2));
  backends.run(rows, rough({5000, 21}, 1), rough({5000, 21}, 2));
}

TEST_CASE("G4.cumsum,cummax/interp,c: near rows, each from the one stored before it, wherever the last vector ends") {
  const Backends backends;
  for (const int64_t columns : {257, 600, 5000})
    for (const int64_t rows : {0, 1, 37, 600}) {  // the largest arrays do not fit in the second-level cache
      CAPTURE(columns);
      CAPTURE(rows);
      const std::string head = cat("graph g(x: f32[n, ", columns, "]) { return y = ");
      backends.run(head + "cumsum(x, axis=0) }", rough({rows, columns}, 1));
      backends.run(head + "cummax(x, axis=0, reverse=true) }", rough({rows, columns}, 2));
    }
  for (const char* const flags : {"", ", exclusive=true", ", reverse=true"})
    backends.run(cat("graph g(x: f64[2, n, 300]) { return y = cumsum(x, axis=1", flags, ") }"), whole<double>({2, 50, 300}, 3));
  // Tests narrow dtypes that are computed in a wider dtype, a scan that writes only a part of each row of the result, and a first row of
  // -0, which becomes +0 in a sum.
  for (const char* const values :
       {"cummax(cast(x, dtype=i16), axis=0)", "cumprod(cast(x, dtype=u8), axis=0)", "cumsum(cast(x, dtype=f16), axis=0)",
        "concat(cumsum(x, axis=0), x, axis=1)", "cumsum(x * 0.0, axis=0)", "cumprod(x * 0.0, axis=0)"})
    backends.run(cat("graph g(x: f32[9, 300]) { return y = ", values, " }"), rough({9, 300}, 4));
}

TEST_CASE("G3.sum/interp,c: near rows are added in as many blocks as the law has, whatever bounds their number") {
  const Backends backends;
  // With 300 columns, arrays of up to 853 rows have at most 1,024,000 bytes, up to which they count as near (near_bytes() in
  // schedule/cpu/tuning.h); 854 rows have more.
  for (const int64_t rows : {1, 256, 257, 600, 853, 854})
    backends.run("graph g(x: f32[m, 300]) { return y = sum(x, axes=[0]) }", rough({rows, 300}, 1));
  for (const int64_t rows : {256, 257}) backends.run("graph g(x: f32[m, 1000]) { return y = sum(x, axes=[0]) }", rough({rows, 1000}, 1));
}

TEST_CASE("G4.cumsum G4.cummax: misuse") {
  const std::string inputs = "x: f32[2, 3], b: bool[2], s: f32[]";
  const auto check = [&](const std::string& call, const char* code, const char* message) { check_misuse(inputs, call, code, message); };
  check("cumsum(x, axis=2)", "SHAPE", "cumsum: axis 2 is out of range for rank 2 (-2..1)");
  check("cummax(s, axis=0)", "SHAPE", "cummax: axis 0 is out of range for rank 0 (a scalar has no axes)");
  check("cumprod(b, axis=0)", "DTYPE",
        "cumprod: takes an integer, float or complex dtype, got bool (\"b\"); cast it first, for example to i32");
  check("cumsum(b, axis=0, exclusive=true)", "DTYPE", "cumsum: takes an integer, float or complex dtype, got bool");
  check("logcumsumexp(b, axis=0)", "DTYPE", "logcumsumexp: takes a float dtype, got bool");
  check("logcumsumexp(x, axis=-3)", "SHAPE", "logcumsumexp: axis -3 is out of range for rank 2 (-2..1)");
  check("cummin(x, axis=0, order=lanes)", "INVALID_ARGUMENT", "cummin: order is \"lanes\"; it must be tree or chain");
}
