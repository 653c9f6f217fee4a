// Tests custom functions of several results, through the text format and harp.h.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

using Integers = std::vector<int64_t>;

/// Returns the text of a graph with one call of a custom function. `results` names the results of the function, and `returned` the outputs
/// of the graph.
std::string graph_of(const std::string& inputs, const std::string& arrays, const std::string& results, const std::string& body,
                     const std::string& dtypes, const std::string& shape, const std::string& returned) {
  return "graph g(" + inputs + ") {\n  " + results + " = custom_function([" + arrays + "], body=\"\"\"" + body + "\"\"\", dtype=" + dtypes +
         ", shape=" + shape + ")\n  return " + returned + "\n}";
}

constexpr const char* kRowMax = R"(
  output0 = f32(-inf)
  output1 = -1
  for i in 0 .. size(input0, 1) {
    if input0[ridx0, i] > output0 {
      output0 = input0[ridx0, i]
      output1 = i
    }
  }
)";

/// Builds a graph from the text, and returns the message of the error, or "" if there is none.
std::string message_of(const std::string& text) {
  static const Context context = make_context();
  ErrorSlot err;
  const std::string versioned = "harp 1\n" + text;
  const Graph graph(harp_graph_parse(context.get(), versioned.size(), versioned.data(), err));
  return err.message();
}

}  // namespace

TEST_CASE("G13.custom_results/interp,c G16: the greatest element of each row and its place, by one kernel, for all sizes") {
  const Backends backends;
  const std::string text = graph_of("x: f32[n, m]", "x", "best, place", kRowMax, "[f32, i64]", "[n]", "best, place");
  for (const auto& size : {std::pair{5, 7}, {1, 1}, {100, 3}, {4, 0}, {0, 4}}) {
    const int n = size.first, m = size.second;
    const Values<float> x = rough({n, m}, 1);
    const std::vector<Buffer> out = backends.run(text, x);
    REQUIRE(out.size() == 2);
    const std::vector<float> best = values<float>(out[0].get());
    const Integers place = values<int64_t>(out[1].get());
    REQUIRE(static_cast<int>(best.size()) == n);
    REQUIRE(static_cast<int>(place.size()) == n);
    for (int r = 0; r < n; ++r) {
      const auto row = x.items.begin() + r * m, greatest = std::max_element(row, row + m);
      CHECK(best[static_cast<size_t>(r)] == (m == 0 ? -INFINITY : *greatest));
      CHECK(place[static_cast<size_t>(r)] == (m == 0 ? -1 : greatest - row));
    }
  }
  CHECK(backends.cost(text, {100, 3}).kernels == 1);
  CHECK(backends.cost(text, {100, 3}).workspace == 0);
}

TEST_CASE("G13.custom_results/interp,c: results are variables: they begin as 0, are read, and change together in loops") {
  // the extended Euclidean algorithm: the greatest common divisor g of a and b, and s, t with s * a + t * b = g
  const Backends backends;
  const Values<int64_t> a{{240, 46, 7, 0, 12, 1, 1000000007, 5}, {8}}, b{{46, 240, 0, 9, 18, 1, 998244353, 5}, {8}};
  const std::vector<Buffer> out = backends.run(graph_of("a: i64[n], b: i64[n]", "a, b", "g, s, t", R"(
    output0 = input0[ridx0]
    output1 = 1
    let r = input1[ridx0]
    let s = 0
    let t = 1
    while r != 0 {
      let q = output0 // r
      let next_r = output0 - q * r
      let next_s = output1 - q * s
      let next_t = output2 - q * t
      output0 = r
      output1 = s
      output2 = t
      r = next_r
      s = next_s
      t = next_t
    })",
                                                        "[i64, i64, i64]", "[n]", "g, s, t"),
                                               a, b);
  REQUIRE(out.size() == 3);
  const Integers g = values<int64_t>(out[0].get()), s = values<int64_t>(out[1].get()), t = values<int64_t>(out[2].get());
  for (size_t i = 0; i < a.items.size(); ++i) {
    CHECK(g[i] == std::gcd(a.items[i], b.items[i]));
    CHECK(s[i] * a.items[i] + t[i] * b.items[i] == g[i]);
  }
}

TEST_CASE("G13.custom_results/interp,c G9: a result of every dtype computes as the only result of a function does") {
  const Backends backends;
  const std::vector<std::string> dtypes = {"bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64"};
  const auto statements = [](const std::string& dtype, const std::string& variable, const std::string& output) {
    return "let " + variable + " = " + dtype + "(input0[ridx0])\nfor k in 0 .. 3 { " + output + " = " + output +
           (dtype == "bool" ? " ^ " : " + ") + variable + " }\n";
  };
  std::string together, alone, names, returned, all;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    const std::string number = std::to_string(i), comma = i == 0 ? "" : ", ";
    together += statements(dtypes[i], "v" + number, "output" + number);
    names += comma + "y" + number;
    all += comma + dtypes[i];
    alone += "  z" + number + " = custom_function(x, body=\"\"\"" + statements(dtypes[i], "v", "output") + "\"\"\", dtype=" + dtypes[i] +
             ", shape=[n])\n";
    returned += ", z" + number;
  }
  const std::string text = "graph g(x: f32[n]) {\n  " + names + " = custom_function(x, body=\"\"\"" + together + "\"\"\", dtype=[" + all +
                           "], shape=[n])\n" + alone + "  return " + names + returned + "\n}";
  const std::vector<Buffer> out = backends.run(text, rough({37}, 3));
  REQUIRE(out.size() == 2 * dtypes.size());
  for (size_t i = 0; i < dtypes.size(); ++i) {
    CAPTURE(dtypes[i]);
    CHECK(same_bits(out[i].get(), out[dtypes.size() + i].get()));
  }
}

TEST_CASE("G13.custom_results/interp,c: results that are computed with, and results that are not used") {
  const Backends backends;
  const Values<float> x{{1, 5, 2, 7, 3, 3, -1, -2, -9}, {3, 3}};
  const auto text = [](const std::string& returned) {
    return graph_of("x: f32[n, m]", "x * 2", "best, place", kRowMax, "[f32, i64]", "[n]", returned);
  };
  // `best` is a temporary array, which other kernels read, and `place` is an output.
  const std::vector<Buffer> both = backends.run(text("s = sum(best), place, t = best * cast(place, dtype=f32)"), x);
  CHECK(values<float>(both.at(0).get()) == std::vector<float>{22});
  CHECK(values<int64_t>(both.at(1).get()) == Integers{1, 0, 0});
  CHECK(values<float>(both.at(2).get()) == std::vector<float>{10, 0, 0});
  // Programs that differ only in which result they return must not be taken for the same program.
  CHECK(values<float>(backends.run(text("y = best"), x).at(0).get()) == std::vector<float>{10, 14, -2});
  CHECK(values<int64_t>(backends.run(text("y = place"), x).at(0).get()) == Integers{1, 0, 0});
  // The results are returned in reverse order, and `place` is returned twice.
  const std::vector<Buffer> turned = backends.run(text("place, best, again = place"), x);
  CHECK(values<int64_t>(turned.at(0).get()) == Integers{1, 0, 0});
  CHECK(values<float>(turned.at(1).get()) == std::vector<float>{10, 14, -2});
  CHECK(values<int64_t>(turned.at(2).get()) == Integers{1, 0, 0});
}

TEST_CASE("G13.custom_results,custom_fuses/c: results of a body that is an expression are computed where they are used") {
  const Backends backends;
  const std::string body = "let a = input0[ridx0, ridx1]\noutput0 = sin(a)\noutput1 = i32(a) * 2\nif a > 0 { output0 = a }";
  const std::string text = graph_of("x: f32[n, m]", "exp(x)", "a, b", body, "[f32, i32]", "[n, m]", "y = a * cast(b, dtype=f32) + x");
  CHECK(backends.run(text, whole<float>({20, 33}, 1)).size() == 1);
  CHECK(backends.cost(text, {20, 33}).kernels == 1);
  CHECK(backends.cost(text, {20, 33}).workspace == 0);
  // Tests a function without inputs, and a function whose results have rank 0.
  const std::vector<Buffer> numbers =
      backends.run(graph_of("x: f32[n]", "", "a, b", "output0 = ridx0 * shape0\noutput1 = ridx0 > 1", "[i64, bool]", "[3]", "a, b, x"),
                   Values<float>{{1}, {1}});
  CHECK(values<int64_t>(numbers.at(0).get()) == Integers{0, 3, 6});
  CHECK(values<uint8_t>(numbers.at(1).get()) == std::vector<uint8_t>{0, 0, 1});
  const std::vector<Buffer> total =
      backends.run(graph_of("x: i64[n]", "x", "a, b", "for i in 0 .. size(input0, 0) {\noutput0 = output0 + input0[i]\noutput1 = i\n}",
                            "[i64, i64]", "[]", "a, b"),
                   Values<int64_t>{{4, 5, 6}, {3}});
  CHECK(values<int64_t>(total.at(0).get()) == Integers{15});
  CHECK(values<int64_t>(total.at(1).get()) == Integers{2});
}

TEST_CASE("G13.custom_results/interp,c: as many results as there may be") {
  const Backends backends;
  std::string statements, names, dtypes;
  for (int i = 0; i < 64; ++i) {
    const std::string number = std::to_string(i), comma = i == 0 ? "" : ", ";
    statements += "output" + number + " = output" + number + " + input0[ridx0] * " + number + " + k\n";
    names += comma + "y" + number;
    dtypes += comma + "i64";
  }
  const std::string text = graph_of("x: i64[n]", "x", names, "for k in 0 .. 3 {\n" + statements + "}", "[" + dtypes + "]", "[n]", names);
  const std::vector<Buffer> out = backends.run(text, Values<int64_t>{{5, -7}, {2}});
  REQUIRE(out.size() == 64);
  for (int64_t i = 0; i < 64; ++i) CHECK(values<int64_t>(out[static_cast<size_t>(i)].get()) == Integers{5 * 3 * i + 3, -7 * 3 * i + 3});
  CHECK(backends.cost(text, {2}).kernels == 1);
}

TEST_CASE("G13.custom_results/interp,c: an index outside its array is reported once, whichever results are used") {
  const Context context = make_context();
  const auto message = [&](const std::string& returned) {
    CAPTURE(returned);
    const std::string body = "output0 = input0[input1[ridx0]]\nfor i in 0 .. 2 { output1 = output1 + input1[ridx0 + i - 1] }";
    const Graph graph =
        parse(context.get(), "harp 1\n" + graph_of("x: f32[n], at: i64[m]", "x, at", "a, b", body, "[f32, i64]", "[m]", returned));
    REQUIRE(graph != nullptr);
    std::vector<float> x = {1, 2, 3};
    std::vector<int64_t> at = {0, 2, 3, 1};
    const Buffer data = wrap(context.get(), x, {3}), places = wrap(context.get(), at, {4});
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
  // If two indices are out of range, the error is about the one that comes first in the body. The message names the result that the graph
  // uses first.
  const std::string fault = "custom_function: axis 0 of input 0, \"x\", has 3 elements, but element 2 of \"";
  CHECK(message("a, b") == fault + "a\" asks for 3");
  CHECK(message("b, a") == fault + "b\" asks for 3");
  CHECK(message("a") == fault + "a\" asks for 3");
  CHECK(message("b") == fault + "b\" asks for 3");
  CHECK(message("s = sum(b), t = exp(a)") == fault + "b\" asks for 3");
}

TEST_CASE("G13.custom_results: mistakes in a body of several results say line and column") {
  const auto mistake = [](const std::string& body, const std::string& dtypes = "[f32, i64]") {
    const std::string message = message_of(graph_of("x: f32[n, 3]", "x", "a, b", body, dtypes, "[n, 3]", "a, b"));
    const size_t at = message.find("body: ");
    return at == std::string::npos ? message : message.substr(at + 6);
  };
  CHECK(mistake("output0 = 1.0\noutput1 = 2") == "");
  CHECK(mistake("output0 = 1.0\noutput1 = size(output, 1)") == "");
  CHECK(mistake("output0 = 1.0") == "the body never sets output1");
  CHECK(mistake("output1 = 1") == "the body never sets output0");
  CHECK(mistake("output = 1.0").starts_with("line 1, column 1: unknown name \"output\"; known names: input0, ridx0 to ridx1"));
  CHECK(mistake("output2 = 1.0").ends_with("output0 to output1, and names declared by let and for"));
  CHECK(mistake("output1 = input0[0, 0]").starts_with("line 1, column 1: the value is f32, but output1 is i64; cast it, as in i64(x)"));
  CHECK(mistake("ridx0 = 1") == "line 1, column 1: \"ridx0\" cannot be set; only output0 to output1 and names declared by let can");
  CHECK(mistake("let output = 1") == "line 1, column 5: \"output\" is a reserved name");
  CHECK(mistake("let output7 = 1") == "line 1, column 5: \"output7\" is a reserved name");
  CHECK(mistake("let output1 = 1") == "line 1, column 5: \"output1\" is already declared");
  CHECK(mistake("let outputs = 1\noutput0 = 1.0\noutput1 = outputs") == "");
}

TEST_CASE("G13.custom_results G18.text: the number of dtypes is that of the results") {
  const auto with = [](const std::string& results, const std::string& dtypes, const std::string& after = "") {
    return message_of("graph g(x: f32[n]) {\n  " + results + " = custom_function(x, body=\"output = input0[ridx0]\", dtype=" + dtypes +
                      ", shape=[n])" + after + "\n  return x\n}");
  };
  // one result
  CHECK(with("a", "f32") == "");
  CHECK(with("a", "[f32]") == "");
  CHECK(with("a", "f32", " * 2 + x") == "");
  CHECK(with("a", "[f32]", "[1:]") == "");
  CHECK(with("a, b", "f32") == "line 3, column 10: the right side gives 1 result for 2 names");

  const auto several = [](const std::string& results, const std::string& dtypes, const std::string& after = "") {
    return message_of("graph g(x: f32[n]) {\n  " + results +
                      " = custom_function(x, body=\"output0 = input0[ridx0]\\noutput1 = ridx0\", dtype=" + dtypes + ", shape=[n])" + after +
                      "\n  return x\n}");
  };
  CHECK(several("a, b", "[f32, i64]") == "");
  CHECK(several("a, b", "[f32, i64,]") == "");
  CHECK(several("a", "[f32, i64]") == "line 3, column 7: the right side gives 2 results for 1 name");
  CHECK(several("a, b, c", "[f32, i64]") == "line 3, column 13: the right side gives 2 results for 3 names");
  CHECK(several("a", "[f32, i64]", " + x") == "line 3, column 7: custom_function gives 2 results; assign them in a statement of their own");
  CHECK(several("a, b", "[f32, i64, f32]").ends_with("the body never sets output2"));
  CHECK(several("a, b", "[]").ends_with("custom_function: 0 results; a function has 1 to 64"));
  CHECK(several("a, b", "[f32, complex64]").find("custom_function: result 1 cannot be complex64; a body computes with real numbers") !=
        std::string::npos);
  CHECK(several("a, b", "[f32, f33]").ends_with("got \"f33\""));
  CHECK(several("a, b", "[f32 i64]").ends_with("expected \",\" or \"]\", found \"i64\""));
  std::string many;
  for (int i = 0; i < 65; ++i) many += i == 0 ? "f32" : ", f32";
  CHECK(several("a, b", "[" + many + "]").ends_with("custom_function: 65 results; a function has 1 to 64"));
}
