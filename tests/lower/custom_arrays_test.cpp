// Tests local arrays of custom functions, through harp.h.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/backends_run.h"
#include "support/custom_graph.h"

using namespace capi_test;

TEST_CASE("G13.custom_arrays/interp,c G16: a histogram of each row, whose array begins anew for each element") {
  const Backends backends;
  const std::string text = graph_of("x: i32[n, m]", "x", R"(
    let counts = i32[5]
    for k in 0 .. size(input0, 1) {
      let class = input0[ridx0, k]
      if class >= 0 { counts[class] = counts[class] + 1 }
    }
    output = counts[ridx1])",
                                    "i32[n, 5]");
  for (const auto& [n, m] : {std::pair{7, 30}, {1, 1}, {3, 0}, {0, 4}}) {
    const Values<int32_t> x = whole<int32_t>({n, m}, 1);  // the elements are from -4 to 4
    const std::vector<Buffer> out = backends.run(text, x);
    const std::vector<int32_t> counts = values<int32_t>(out.at(0).get());
    REQUIRE(static_cast<int>(counts.size()) == n * 5);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < 5; ++c) {
        const auto row = x.items.begin() + r * m;
        CHECK(counts[static_cast<size_t>(r * 5 + c)] == std::count(row, row + m, c));
      }
  }
}

TEST_CASE("G13.custom_arrays/interp,c: the median of a window, sorted by insertion") {
  const Backends backends;
  const Values<float> x = rough({40}, 2);
  const std::vector<Buffer> out = backends.run(graph_of("x: f32[n]", "x", R"(
    let window = f32[7]
    for k in 0 .. 7 {
      let v = input0[(ridx0 + k) % shape0]
      let at = k
      while at > 0 {
        if window[at - 1] <= v { break }
        window[at] = window[at - 1]
        at = at - 1
      }
      window[at] = v
    }
    output = window[3])",
                                                        "f32[n]"),
                                               x);
  const std::vector<float> medians = values<float>(out.at(0).get());
  for (size_t i = 0; i < 40; ++i) {
    std::vector<float> window;
    for (size_t k = 0; k < 7; ++k) window.push_back(x.items[(i + k) % 40]);
    std::sort(window.begin(), window.end());
    CHECK(medians[i] == window[3]);
  }
}

TEST_CASE("G13.custom_arrays/interp,c: a value that was read stays what it was, in branches and loops too") {
  const Backends backends;
  const std::vector<Buffer> out = backends.run(graph_of("x: i64[n]", "x", R"(
    let s = i64[3]
    let one = i64[1]
    s[0] = 1
    s[ridx0 % 3] = s[ridx0 % 3] + 10
    let first = s[0]
    let some = s[input0[ridx0]]
    s[0] = first + s[1] * 100
    if input0[ridx0] == 2 {
      s[input0[ridx0]] = 5
      let inner = i64[2]
      inner[1] = s[2]
      one[0] = inner[1] + inner[0]
    } else { s[1] = 7 }
    for i in 0 .. 4 {
      let t = i64[2]
      t[i % 2] = i
      if i == 3 { break }
      one[0] = one[0] * 10 + t[0] + t[1]
      s[i] = s[i] + i
    }
    output = ((((first * 1000 + some) * 1000 + s[0]) * 100 + s[1]) * 100 + s[2]) * 10000 + one[0])",
                                                        "i64[n]"),
                                               Values<int64_t>{{0, 2, 1}, {3}});
  std::vector<int64_t> expected;
  const int64_t xs[] = {0, 2, 1};
  for (int64_t r = 0; r < 3; ++r) {
    const int64_t x = xs[r];
    int64_t s[3] = {1, 0, 0}, one = 0;
    s[r % 3] += 10;
    const int64_t first = s[0], some = s[x];
    s[0] = first + s[1] * 100;
    if (x == 2) {
      s[2] = 5;
      one = 5;
    } else {
      s[1] = 7;
    }
    for (int64_t i = 0; i < 3; ++i) {
      one = one * 10 + i;
      s[i] += i;
    }
    expected.push_back(((((first * 1000 + some) * 1000 + s[0]) * 100 + s[1]) * 100 + s[2]) * 10000 + one);
  }
  CHECK(values<int64_t>(out.at(0).get()) == expected);
}

TEST_CASE("G13.custom_arrays/interp,c G9: elements of every dtype and of arrays of every length compute as variables do") {
  const Backends backends;
  const auto same_as_variable = [&](const std::string& dtype, int length) {
    CAPTURE(dtype);
    CAPTURE(length);
    const std::string n = std::to_string(length);
    const auto function = [&](const std::string& declared, const std::string& s) {
      const std::string step = dtype == "bool" ? s + " ^ v" : s + " * v + v";
      return "custom_function(h, body=\"\"\"\n    let s = " + declared + "\n    let v = input0[ridx0]\n    for i in 0 .. 4 { " + s + " = " +
             step + " }\n    output = " + s + "\n\"\"\", dtype=" + dtype + ", shape=[n])\n";
    };
    const std::string text = "graph g(x: f32[n]) {\n  h = cast(x, dtype=" + dtype +
                             ")\n  y = " + function(dtype + "[" + n + "]", "s[(ridx0 * 200) % " + n + "]") +
                             "  z = " + function(dtype + (dtype == "bool" ? "(false)" : "(0)"), "s") + "  return y, z\n}";
    const std::vector<Buffer> out = backends.run(text, rough({11}, 5));
    REQUIRE(out.size() == 2);
    CHECK(same_bits(out[0].get(), out[1].get()));
  };
  for (const char* dtype : {"bool", "i8", "u16", "i64", "u64", "f16", "bf16", "f32", "f64"}) same_as_variable(dtype, 3);
  for (const int length : {1, 128, 129, 1024}) same_as_variable("f32", length);
}

TEST_CASE("G13.custom_arrays/interp,c: an index outside of a local array changes nothing and fails the run") {
  const Context context = make_context();
  const auto message = [&](const std::string& body) {
    CAPTURE(body);
    const Graph graph =
        parse(context.get(), "harp 1\n" + graph_of("x: f32[n], at: i32[m]", "x, at", "\nlet s = f32[4]\n" + body + "\n", "f32[m]"));
    REQUIRE(graph != nullptr);
    std::vector<float> x = {1, 2, 3, 4, 5};
    std::vector<int32_t> at = {1, 3, 4, 0, -7, 5};
    const Buffer data = wrap(context.get(), x, {5}), places = wrap(context.get(), at, {6});
    std::string messages[3];
    for (const int way : {0, 1, 2}) {
      const Program program = compile(graph.get(), way == 0 ? "interp" : "c", [&](harp_compile_options& o) { o.plain_text = way == 2; });
      ErrorSlot err;
      CHECK(run(program.get(), {data.get(), places.get()}, err).empty());
      CHECK(err.code() == HARP_ERROR_RANGE);
      messages[way] = err.message();
    }
    CHECK(messages[0] == messages[1]);
    CHECK(messages[0] == messages[2]);
    return messages[0];
  };
  CHECK(message("output = s[input1[ridx0]]") == "custom_function: the array \"s\" has 4 elements, but element 2 of \"y\" asks for 4");
  CHECK(message("s[input1[ridx0] - 1] = 2.0\noutput = s[0]") ==
        "custom_function: the array \"s\" has 4 elements, but element 3 of \"y\" asks for -1");
  // If several indices of an element are out of range, the error is about the one that comes first in the text of the body. In a store, the
  // index comes before the stored value.
  CHECK(message("let t = f32[2]\nt[input1[ridx0]] = s[input1[ridx0]]\noutput = input0[input1[ridx0]]") ==
        "custom_function: the array \"t\" has 2 elements, but element 1 of \"y\" asks for 3");
  CHECK(message("if ridx0 > 3 { s[ridx0] = 1.0 }\noutput = input0[input1[ridx0]]") ==
        "custom_function: the array \"s\" has 4 elements, but element 4 of \"y\" asks for 4");
  // If an index in a loop is out of range, the loop ends. In the first body, an element outside of the array reads as 0, which makes the
  // condition false. In the second body the condition is always true, so it is the out-of-range index itself that ends the loop.
  CHECK(message("let i = 0\ns[0] = 1\ns[1] = 1\ns[2] = 1\ns[3] = 1\nwhile s[i] > 0 {\noutput = output + 1.0\ni = i + 1\n}") ==
        "custom_function: the array \"s\" has 4 elements, but element 0 of \"y\" asks for 4");
  CHECK(message("let i = 0\nwhile true {\ns[i] = 1.0\noutput = output + 1.0\ni = i + 1\n}") ==
        "custom_function: the array \"s\" has 4 elements, but element 0 of \"y\" asks for 4");
}
