// Tests loops of custom functions (`while` and `break`) whose number of iterations is not known in advance, through harp.h.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "support/backends_run.h"
#include "support/custom_graph.h"

using namespace capi_test;

namespace {

using Integers = std::vector<int64_t>;

/// Runs a body over two arrays of i64 and returns the result.
Integers result_of(const std::string& body, const Integers& a, const Integers& b) {
  const Backends backends;
  const auto n = static_cast<int64_t>(a.size());
  const std::vector<Buffer> out = backends.run(graph_of("a: i64[n], b: i64[n]", "a, b", "\n" + body + "\n", "i64[n]"),
                                               Values<int64_t>{a, {n}}, Values<int64_t>{b, {n}});
  return values<int64_t>(out.at(0).get());
}
Integers result_of(const std::string& body, const Integers& a) { return result_of(body, a, Integers(a.size(), 0)); }

}  // namespace

TEST_CASE("G13.custom_while/interp,c: a while runs as long as its condition holds, which is computed before each iteration") {
  const Integers a = {12, 7, 0, 270, 1071, 5, -8}, b = {18, 21, 9, 192, 462, 0, 12};
  Integers expected;
  for (size_t i = 0; i < a.size(); ++i) expected.push_back(std::gcd(a[i], b[i]));
  CHECK(result_of(R"(
    let x = abs(input0[ridx0])
    let y = abs(input1[ridx0])
    while y != 0 {
      let rest = x % y
      x = y
      y = rest
    }
    output = x)",
                  a, b) == expected);

  // Counts the steps of the Collatz sequence down to 1. For some elements there is no step.
  CHECK(result_of(R"(
    let x = input0[ridx0]
    while x > 1 {
      if x % 2 == 0 { x = x // 2 } else { x = 3 * x + 1 }
      output = output + 1
    })",
                  {1, 2, 3, 7, 27, 0, -5, 97}) == Integers{0, 1, 7, 16, 111, 0, 0, 118});

  // Tests `while` and `for` loops in a `while` loop, a condition that is a variable, and a condition that is false from the start.
  CHECK(result_of(R"(
    let i = 0
    let is_more = input0[ridx0] > 0
    while is_more {
      let j = 0
      while j < i { j = j + 1 }
      for k in 0 .. j { output = output + k + 1 }
      i = i + 1
      is_more = i < input0[ridx0]
    }
    while false { output = -1 })",
                  {0, 1, 2, 3, 5, -1}) == Integers{0, 0, 1, 4, 20, 0});
}

TEST_CASE("G13.custom_while/interp,c: a while in a branch that is not taken does not run") {
  CHECK(result_of(R"(
    if input0[ridx0] > 100 {
      while true { output = output + 1 }
    } else if input0[ridx0] > 2 {
      let i = input0[ridx0]
      while i > 0 {
        if i == 3 {
          let j = i
          while j < 10 { j = j + i }
          output = output + j
        }
        i = i - 1
      }
    })",
                  {2, 3, 4, -100}) == Integers{0, 12, 12, 0});
}

TEST_CASE("G13.custom_while/interp,c: break leaves the innermost loop, in the middle of an iteration") {
  const Integers numbers = {4, 9, 25, 49, 97, 2, 91, 1};
  // Computes the smallest divisor above 1. The statements after the break are not executed.
  CHECK(result_of(R"(
    output = input0[ridx0]
    let looked = 0
    for d in 2 .. input0[ridx0] {
      if input0[ridx0] % d == 0 {
        output = d
        break
      }
      looked = looked + 1
    }
    output = output * 1000 + looked)",
                  numbers) == Integers{2000, 3001, 5003, 7005, 97095, 2000, 7005, 1000});

  // The outer loop has no condition; a break in the inner loop leaves only the inner loop.
  CHECK(result_of(R"(
    let rounds = 0
    while true {
      if rounds == 3 { break }
      let i = 0
      while true {
        i = i + 1
        if i > input0[ridx0] { break } else if i * i > 50 { output = output + 100
          break }
        output = output + 1
      }
      rounds = rounds + 1
      for k in 0 .. 10 {
        if k < rounds { output = output + 10000 } else { break }
        output = output + 1000000
      }
    })",
                  {0, 1, 4, 9}) == Integers{6060000, 6060003, 6060012, 6060321});

  // Tests a break as the only statement of a loop, as the first statement, after an inner loop, and in both branches of an if.
  CHECK(result_of(R"(
    for i in 0 .. 1000 { break }
    while input0[ridx0] < 5 {
      output = output + 1
      for k in 0 .. 3 { output = output + 10 }
      if output > 50 { break } else if input0[ridx0] == 2 { break }
      output = output + 100
    }
    for i in 0 .. 5 {
      output = output + i * 10000
      if i < 2 { output = output + 1000 } else { output = -output
        break }
    })",
                  {1, 2, 5}) == Integers{-32162, -32031, -32000});
}

TEST_CASE("G13.custom_while/interp,c: a variable of any dtype keeps what it had at the break") {
  const Backends backends;
  const Values<float> x = rough({37}, 3);
  const std::string body = R"(
    let v = abs(input0[ridx0]) + 1
    let root = v
    let previous = f32(0)
    let half = f16(input0[ridx0]) * f16(0.001)
    let steps = u8(250)
    let is_odd = false
    while (root != previous) & (steps != u8(4)) {
      previous = root
      root = (root + v / root) * 0.5
      steps = steps + 1
      is_odd = ~is_odd
      if is_odd & (half > f16(1)) { break }
      half = half * f16(1.25)
    }
    output = )";
  const auto results = [&](const std::string& output) {
    return backends.run(graph_of("x: f32[n]", "x", body + output + "\n", "f32[n]"), x);
  };
  const std::vector<float> roots = values<float>(results("root").at(0).get()), steps = values<float>(results("f32(steps)").at(0).get());
  results("where(is_odd, f32(half), -f32(half))");  // the results are not used; `results` checks that all backends give the same bits
  for (size_t i = 0; i < roots.size(); ++i) {
    CAPTURE(i);
    const float v = std::fabs(x.items[i]) + 1;
    float root = v;
    uint8_t taken = static_cast<uint8_t>(steps[i]);
    for (uint8_t step = 250; step != taken; ++step) root = (root + v / root) * 0.5f;
    CHECK(roots[i] == root);
  }
}

TEST_CASE("G13.custom_while/interp,c: conditions on NaN, infinities and subnormal numbers, and bools that change at different times") {
  const Backends backends;
  using Limits = std::numeric_limits<float>;
  // The seven values are repeated. As 7 is not a power of two, the same value is in different lanes of different vectors.
  const float kinds[] = {0.3f, Limits::quiet_NaN(), Limits::denorm_min(), -5, Limits::infinity(), -Limits::infinity(), -0.0f};
  for (const int64_t size : {1, 16, 37}) {
    CAPTURE(size);
    Values<float> x{{}, {size}};
    std::vector<float> expected;
    for (int64_t i = 0; i < size; ++i) {
      float a = kinds[i % 7];
      x.items.push_back(a);
      int n = 0;
      for (; a < 1 && n < 20; ++n) a += a;
      while (std::isnan(a) || n < 3) {
        ++n;
        if (n > 5) break;
      }
      while (!(a >= 0) && n < 9) n += 2;
      expected.push_back(static_cast<float>(n));
    }
    const std::vector<Buffer> out = backends.run(graph_of("x: f32[n]", "x", R"(
    let a = input0[ridx0]
    let n = i32(0)
    while (a < 1.0) & (n < 20) {
      a = a + a
      n = n + 1
    }
    while (a != a) | (n < 3) {
      n = n + 1
      if n > 5 { break }
    }
    while ~(a >= 0.0) & (n < 9) { n = n + 2 }
    output = f32(n))",
                                                          "f32[n]"),
                                                 x);
    CHECK(values<float>(out.at(0).get()) == expected);
    // Tests bools in the conditions of nested loops and of breaks. `run` checks that all backends give the same bits.
    backends.run(graph_of("x: f32[n]", "x", R"(
    let is_up = input0[ridx0] > 0.0
    let was_up = false
    let n = i32(0)
    while is_up | (n < 2) {
      let next = was_up ^ (n == 3)
      was_up = is_up
      is_up = next & (n < 6)
      n = n + 1
      let k = i32(0)
      while (k < n) & ~was_up {
        k = k + 2
        if (k == 4) & is_up { break }
        if k > n { was_up = ~was_up }
      }
      if was_up & (n > 4) { break }
    }
    output = where(was_up, f32(n), -f32(n)))",
                          "f32[n]"),
                 x);
  }
}

TEST_CASE("G13.custom_while/interp,c: an index outside its array ends the loops of its element, with the same fault on every backend") {
  constexpr const char* kBodies[] = {
      // In these bodies an index is out of range in the condition, before the break, or after it.
      "while input0[input1[ridx0, i]] > 0 {\noutput = output + 1\ni = i + 1\n}",
      "while input0[input1[ridx0, i]] > 0 {\nif input2[ridx0, i] > 16 { break }\noutput = output + input0[input2[ridx0, i]]\ni = i + 1\n}",
      "while true {\noutput = output + input0[input2[ridx0, i]]\nif input0[input1[ridx0, i]] == 0 { break }\ni = i + 1\n}",
      // In these bodies an element whose index is out of range reads as 0, and this value ends the loop.
      "for k in 0 .. size(input1, 1) {\nif input0[input1[ridx0, k]] == 0 { break }\noutput = output + input0[input2[ridx0, k]]\n}",
      ("for t in 0 .. 3 {\nwhile i < size(input1, 1) {\nif input0[input2[ridx0, i]] < 0 { break }\ni = i + 1\nif i % 40 == 0 { break }\n"
       "output = output + input0[input1[ridx0, i - 1]]\n}\n}"),
  };
  constexpr int64_t kRows = 3, kIterations = 5000, kCount = 20000;
  const Context context = make_context();
  std::mt19937 random(11);
  std::vector<float> x(kCount, 1);
  std::vector<int32_t> tables[2];
  for (std::vector<int32_t>& table : tables) table.resize(kRows * kIterations);
  const Buffer data = wrap(context.get(), x, {kCount}), first = wrap(context.get(), tables[0], {kRows, kIterations}),
               second = wrap(context.get(), tables[1], {kRows, kIterations});
  for (const char* body : kBodies) {
    CAPTURE(body);
    const Graph graph = parse(context.get(), "harp 1\n" + graph_of("x: f32[n], i: i32[m, k], j: i32[m, k]", "x, i, j",
                                                                   "\nlet i = 0\n" + std::string(body) + "\n", "f32[m]"));
    REQUIRE(graph != nullptr);
    const Program interpreted = compile(graph.get(), "interp"), compiled = compile(graph.get(), "c");
    for (int round = 0; round < 8; ++round) {
      CAPTURE(round);
      for (std::vector<int32_t>& table : tables) {
        for (int32_t& place : table) place = static_cast<int32_t>(10 + random() % 7);
        for (int row = round % 3; row < kRows; ++row)
          for (int i = 0; i < 3; ++i) {
            const size_t iteration = i == 0 ? random() % kIterations : random() % 50;
            table[static_cast<size_t>(row * kIterations) + iteration] =
                random() % 2 != 0 ? -1000000000 : static_cast<int32_t>(random() % 5) + kCount;
          }
      }
      ErrorSlot expected, err;
      CHECK(run(interpreted.get(), {data.get(), first.get(), second.get()}, expected).empty());
      CHECK(run(compiled.get(), {data.get(), first.get(), second.get()}, err).empty());
      CHECK(err.code() == HARP_ERROR_RANGE);
      CHECK(err.message() == expected.message());
    }
  }
}

TEST_CASE("G13.custom_while/interp,c: the operations around a loop that ends early") {
  const Backends backends;
  const std::vector<Buffer> out = backends.run(R"(graph g(x: f32[n, m], limit: f32[n]) {
  first = custom_function(x + 1, limit * 2, body="""
    output = -1
    for i in 0 .. size(input0, 1) {
      if input0[ridx0, i] >= input1[ridx0] {
        output = i
        break
      }
    }
  """, dtype=i64, shape=[n])
  return y = first * 2, z = sum(first)
})",
                                               Values<float>{{1, 5, 3, 9, 0, 0, 0, 1, 2}, {3, 3}}, Values<float>{{2.5f, 6, 1.5f}, {3}});
  CHECK(values<int64_t>(out.at(0).get()) == Integers{2, -2, 4});
  CHECK(values<int64_t>(out.at(1).get()) == Integers{2});
}
