// Tests custom functions whose body is a single expression: values on every backend, fusion into one kernel, gradients, and the message of
// every error.
#include <algorithm>
#include <cmath>

#include "support/backends_run.h"
#include "support/misuse.h"

using namespace capi_test;

namespace {

harp_node* input(harp_graph* graph, const char* name, std::vector<harp_dim> sizes) {
  return harp_input(graph, name, HARP_F32, static_cast<int32_t>(sizes.size()), sizes.data());
}

}  // namespace

TEST_CASE("G13.custom_elementwise/interp,c G16 G17: an expression is what its operations are, in one kernel") {
  const Backends backends;
  const std::string inputs = "graph g(a: f32[n, 3], b: f32[n, 3], c: f32[3]) flags=[broadcast] {\n";
  for (const int64_t n : {0, 1, 5, 100}) {
    const Values<float> a = whole<float>({n, 3}, 1), b = whole<float>({n, 3}, 2);
    const auto outputs = backends.run(
        inputs +
            "  return y = custom_elementwise(a, b, c, expr=\"where((x0 > 0) & (x1 != 2), x0*x1 + sin(x2), -x1 / 4)\"),\n"
            "  z = where((a > 0) & (b != 2), a*b + sin(c), -b / 4), t = custom_elementwise(a, expr=\"cast(x0, dtype=i32) // 2\")\n}",
        a, b, whole<float>({3}, 3));
    CHECK(values<float>(outputs[0].get()) == values<float>(outputs[1].get()));
    const std::vector<int32_t> t = values<int32_t>(outputs[2].get());
    for (size_t i = 0; i < t.size(); ++i) CHECK(t[i] == static_cast<int32_t>(std::floor(a.items[i] / 2)));
  }
  CHECK(backends.cost("graph g(a: f32[n], b: f32[n]) {\n  return y = custom_elementwise(a, b, expr=\"exp(x0 * x1) - 1\")\n}", {100})
            .kernels == 1);
}

TEST_CASE("G13.custom_reduce/interp,c: an expression is reduced in the same kernel") {
  const Backends backends;
  const Values<float> a = whole<float>({7, 300}, 1), b = whole<float>({7, 300}, 2);
  const std::string text =
      "graph g(a: f32[n, m], b: f32[n, m]) {\n  return s = custom_reduce(a, b, expr=\"(x0 - x1) * (x0 - x1)\", op=sum, axes=[1]), "
      "m = custom_reduce(a, b, expr=\"x0 * x1\", op=max, axes=[0], keepdims=true), p = custom_reduce(a, expr=\"sign(x0)\", op=prod), "
      "l = custom_reduce(b, expr=\"abs(x0)\", op=min, axes=[1])\n}";
  const auto outputs = backends.run(text, a, b);
  const auto s = values<float>(outputs[0].get()), m = values<float>(outputs[1].get());
  for (size_t i = 0; i < 7; ++i) {
    float expected = 0;
    for (size_t j = 0; j < 300; ++j) {
      const float d = a.items[i * 300 + j] - b.items[i * 300 + j];
      expected += d * d;
    }
    CHECK(s[i] == expected);
  }
  CHECK(dims(outputs[1].get()) == std::vector<int64_t>{1, 300});
  for (size_t j = 0; j < 300; ++j) {
    float expected = -100;
    for (size_t i = 0; i < 7; ++i) expected = std::max(expected, a.items[i * 300 + j] * b.items[i * 300 + j]);
    CHECK(m[j] == expected);
  }
  CHECK(
      backends.cost("graph g(a: f32[n], b: f32[n]) {\n  return y = custom_reduce(a, b, expr=\"exp(x0) * x1\", op=sum)\n}", {100}).kernels ==
      1);
}

TEST_CASE("G13.custom_cumulative/interp,c G16 G17: an expression's running values in the same kernel") {
  const Backends backends;
  const std::string inputs = "graph g(a: f32[n, m], b: f32[n, m]) {\n";
  for (const int64_t n : {0, 1, 7, 70}) {
    const Values<float> a = whole<float>({n, 300}, 1), b = whole<float>({n, 300}, 2);
    const auto outputs = backends.run(
        inputs +
            "  return s = custom_cumulative(a, b, expr=\"x0 * x1 - 1\", op=sum, axis=-1),\n"
            "  m = custom_cumulative(a, b, expr=\"x0 - x1\", op=max, axis=0, exclusive=true, reverse=true),\n"
            "  p = custom_cumulative(a, expr=\"sign(x0)\", op=prod), l = custom_cumulative(a, expr=\"abs(x0)\", op=min, axis=1, "
            "exclusive=true),\n"
            "  s_too = cumsum(a * b - 1, axis=-1), m_too = cummax(a - b, axis=0, exclusive=true, reverse=true),\n"
            "  p_too = cumprod(sign(a)), l_too = cummin(abs(a), axis=1, exclusive=true)\n}",
        a, b);
    for (size_t i = 0; i < 4; ++i) CHECK(values<float>(outputs[i].get()) == values<float>(outputs[i + 4].get()));
    const auto s = values<float>(outputs[0].get());
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      float running = 0;
      for (size_t j = i * 300; j < (i + 1) * 300; ++j) {
        running += a.items[j] * b.items[j] - 1;
        REQUIRE(s[j] == running);
      }
    }
  }
  const std::string flat = "graph g(a: f32[n], b: f32[n]) {\n";
  CHECK(backends.cost(flat + "  return y = custom_cumulative(a, b, expr=\"exp(x0) * x1\", op=sum, axis=0)\n}", {100}).kernels == 1);
  CHECK(
      backends.cost(flat + "  return y = custom_cumulative(a, b, expr=\"x0 - x1\", op=max, axis=0, reverse=true) * a\n}", {100}).kernels ==
      1);
}

TEST_CASE("G13.custom_elementwise,custom_reduce,custom_cumulative/interp,c G19: an expression has the gradient of its operations") {
  const Backends backends;
  const auto outputs = backends.run(
      "graph g(a: f64[5], b: f64[5]) {\n  y = custom_reduce(a, b, expr=\"sin(x0) * x1 * x1\", op=sum)\n  z = sum(sin(a) * b * b)\n"
      "  ya, yb = grad(y, a, b)\n  za, zb = grad(z, a, b)\n"
      "  s = custom_cumulative(a, b, expr=\"sin(x0) * x1 * x1\", op=sum, axis=0)\n  t = cumsum(sin(a) * b * b, axis=0)\n"
      "  sa, sb = grad(s, a, b, grad_output=b)\n  ta, tb = grad(t, a, b, grad_output=b)\n"
      "  return ya, yb, sa, sb, za, zb, ta, tb\n}",
      whole<double>({5}, 1), whole<double>({5}, 2));
  for (size_t i = 0; i < 4; ++i) CHECK(values<double>(outputs[i].get()) == values<double>(outputs[i + 4].get()));
}

TEST_CASE("G13.custom_elementwise,custom_reduce,custom_cumulative/c C2: the functions of harp.h") {
  const Context context = make_context();
  const Graph graph = make_graph(context.get());
  harp_node* const x[] = {input(graph.get(), "a", {4}), input(graph.get(), "b", {4})};
  const int32_t axes[] = {0};
  harp_node* y = harp_custom_elementwise(2, x, "x0 * 2 + x1");
  harp_node* s = harp_custom_reduce(2, x, "x0 * x1", "sum", 1, axes, 1);
  REQUIRE(y != nullptr);
  harp_node* c = harp_custom_cumulative(2, x, "x0 * x1", "sum", HARP_AXIS_NONE, HARP_SCAN_EXCLUSIVE | HARP_SCAN_REVERSE);
  REQUIRE(s != nullptr);
  REQUIRE(c != nullptr);
  harp_output(graph.get(), "y", y);
  harp_output(graph.get(), "s", s);
  harp_output(graph.get(), "c", c);
  std::vector<float> first = {1, 2, 3, 4}, second = {5, 6, 7, 8};
  const Buffer a = wrap(context.get(), first, {4}), b = wrap(context.get(), second, {4});
  const auto outputs = run(compile(graph.get(), "c").get(), {a.get(), b.get()});
  CHECK(values<float>(outputs[0].get()) == std::vector<float>{7, 10, 13, 16});
  CHECK(values<float>(outputs[1].get()) == std::vector<float>{70});
  CHECK(values<float>(outputs[2].get()) == std::vector<float>{65, 53, 32, 0});
}

TEST_CASE("G13.custom_elementwise,custom_reduce,custom_cumulative X1: a mistake in an expression says where and what") {
  const std::string inputs = "a: f32[n, 4], b: f32[n, 4], i: i32[n, 4]";
  const auto check = [&](const std::string& call, const std::string& code, const std::string& words) {
    check_misuse(inputs, call, code, words);
  };
  check("custom_elementwise(a, b, expr=\"x0 + \")", "PARSE", "\"x0 + \" of x0 to x1: line 1, column 6: expected an expression");
  check("custom_elementwise(a, b, expr=\"x0 + x2\")", "PARSE", "column 6: unknown name \"x2\"");
  check("custom_elementwise(a, b, expr=\"a + b\")", "PARSE", "unknown name \"a\"");
  check("custom_elementwise(a, b, expr=\"x0 x1\")", "PARSE", "column 4: expected the end of the expression, found \"x1\"");
  check("custom_elementwise(a, expr=\"sine(x0)\")", "PARSE", "unknown operation \"sine\"");
  check("custom_elementwise(a, expr=\"3\")", "PARSE", "has no dtype here");
  check("custom_elementwise(a, expr=\"\")", "PARSE", "expected an expression");
  check("custom_elementwise(a, i, expr=\"x0 + x1\")", "DTYPE", "f32 and i32");
  check("custom_elementwise(a, expr=\"x0 & x0\")", "DTYPE", "f32");
  check("custom_elementwise(a, expr=\"sum(x0)\")", "INVALID_ARGUMENT", "sum is not elementwise");
  check("custom_elementwise(a, expr=\"flip(x0)\")", "INVALID_ARGUMENT", "slice is not elementwise");
  check("custom_elementwise(a, expr=\"transpose(x0)\")", "INVALID_ARGUMENT", "permute is not elementwise");
  check("custom_elementwise(a, expr=\"x0 @ x0\")", "SHAPE", "");
  check("custom_elementwise(a, expr=\"unsqueeze(x0, axes=[0])\")", "SHAPE", "has shape [1, n, 4], but its inputs have [n, 4]");
  check("custom_elementwise(expr=\"x0\")", "PARSE", "needs arrays");
  check("custom_reduce(a, expr=\"x0\", op=mean)", "INVALID_ARGUMENT", "op is \"mean\"; it must be sum, prod, max or min");
  check("custom_cumulative(a, expr=\"x0\", op=mean)", "INVALID_ARGUMENT",
        "custom_cumulative: op is \"mean\"; it must be sum, prod, max or min");
  check("custom_cumulative(a, expr=\"x0 +\", op=sum)", "PARSE",
        "custom_cumulative: \"x0 +\" of x0: line 1, column 5: expected an expression");
  check("custom_cumulative(a, expr=\"x0\", op=sum, axis=2)", "SHAPE", "axis 2");
  check("custom_cumulative(a, expr=\"x0 < 1\", op=sum, axis=0)", "DTYPE", "bool");
  check("custom_cumulative(a, expr=\"cumsum(x0)\", op=sum, axis=0)", "INVALID_ARGUMENT", "cumsum is not elementwise");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "(";
  check("custom_elementwise(a, expr=\"" + deep + "\")", "PARSE", "nest deeper than 100 levels");
  check("custom_elementwise(a, expr=\"" + std::string(3000000, '-') + "x0\")", "INVALID_ARGUMENT", "at most 1048576");

  const Context context = make_context();
  const Graph graph = make_graph(context.get());
  harp_node* const x[] = {input(graph.get(), "a", {4})};
  CHECK(harp_custom_elementwise(1, x, nullptr) == nullptr);
  CHECK(std::string(harp_error_message(harp_graph_error(graph.get()))).find("the expression is NULL") != std::string::npos);
  const Graph other = make_graph(context.get());
  harp_node* const z[] = {input(other.get(), "a", {4})};
  CHECK(harp_custom_cumulative(1, z, "x0", "sum", 0, 8) == nullptr);
  CHECK(std::string(harp_error_message(harp_graph_error(other.get()))).find("custom_cumulative: flags is 8") != std::string::npos);
}
