// Compares gradients with values derived by hand, where a derivative does not exist or the usual formula fails. Also tests the formulas of
// docs/semantics.md, gradients as ordinary nodes, and the errors for nodes without a gradient.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/error.h"
#include "grad/gradient.h"
#include "grad/operation.h"
#include "graph/composites.h"
#include "graph/text.h"
#include "opt/passes.h"
#include "support/capi_support.h"
#include "support/interp_run.h"

using namespace harp;
using namespace harp::testing;

namespace {

using Values = std::vector<double>;

std::unique_ptr<Graph> parse(const std::string& text) { return parse_graph(text, grad::text_operations()); }

/// Returns the gradient of sum(expression) with respect to x: f64[n]. For an elementwise expression y of x this is dy/dx.
Values slope(const std::string& expression, const Values& x, const std::string& more = "") {
  const auto graph = parse(cat("graph g(x: f64[n]) {\n", more, "  y = ", expression, "\n  return d = grad(y, x, grad_output=1)\n}"));
  return testing::values_of<double>(run(*graph, {bytes_of(x)}, {static_cast<int64_t>(x.size())})[0]);
}
Values curvature(const std::string& expression, const Values& x) {
  const auto graph = parse(
      cat("graph g(x: f64[n]) {\n  y = ", expression, "\n  d = grad(y, x, grad_output=1)\n  return h = grad(d, x, grad_output=1)\n}"));
  return testing::values_of<double>(run(*graph, {bytes_of(x)}, {static_cast<int64_t>(x.size())})[0]);
}

std::string message_of(const std::string& body, const std::string& inputs = "x: f32[n], w: f32[n], i: i32[n], s: f32[]") {
  try {
    parse(cat("graph g(", inputs, ") {\n", body, "\n  return d\n}"));
  } catch (const Error& e) {
    return e.message;
  }
  return "";
}

constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();
constexpr double inf_ = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("G19.every_op/interp: the elementwise formulas of docs/semantics.md are the nodes that are built") {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "docs" / "semantics.md");
  REQUIRE(file.good());
  std::string line;
  while (line != "## Gradients" && std::getline(file, line)) {
  }
  /// Returns the text between backquotes in cell i of a table row.
  const auto quoted = [](const std::string& row, int cell) {
    size_t begin = 0;
    for (int bars = 0; bars <= cell; ++bars) begin = row.find('|', begin) + 1;
    const std::string text = row.substr(begin, row.find('|', begin) - begin);
    std::vector<std::string> found;
    for (size_t open = text.find('`'); open != text.npos;) {
      const size_t close = text.find('`', open + 1);
      found.push_back(text.substr(open + 1, close - open - 1));
      open = text.find('`', close + 1);
    }
    return found;
  };
  std::set<std::string> described;
  while (std::getline(file, line) && line != "The others:") {
    if (!line.starts_with("| `")) continue;
    for (const std::string& call : quoted(line, 0)) {
      described.insert(call.substr(0, call.find('(')));
      for (int i = 0; i < 3; ++i) {
        std::string source(1, "abc"[i]);
        const bool is_source = call.find("(" + source) != call.npos || call.find(" " + source) != call.npos;
        REQUIRE(quoted(line, i + 1).size() == (is_source ? 1 : 0));
        if (!is_source) continue;
        std::string formula = quoted(line, i + 1)[0];
        if (formula == "0") formula = "full(shape=[n], value=0, dtype=f32)";
        CAPTURE(call);
        CAPTURE(formula);
        const auto graph = parse(cat("graph t(a: f32[n], b: f32[n], c: f32[n], g: f32[n], p: bool[n]) {\n  y = ", call,
                                     "\n  return d = grad(y, ", source, ", grad_output=g), e = ", formula, "\n}"));
        CHECK(graph->outputs()[0].node == graph->outputs()[1].node);
      }
    }
  }
  for (int i = 0; i < kOpCount; ++i)
    if (kOps[i].family == Family::kElementwise && kOps[i].result == Result::kSame && accepts(static_cast<Op>(i), DType::kF32))
      CHECK_MESSAGE(described.contains(std::string(kOps[i].name)), std::string(kOps[i].name));
}

TEST_CASE("G19.every_op/interp: casts between floats") {
  const auto graph = parse(
      "graph g(x: f64[n]) {\n  h = cast(x, f32)\n  y = h * h * f32(3)\n  return d = grad(y, x, grad_output=1), e = grad(cast(h, f64), x, "
      "grad_output=0.1)\n}");
  CHECK(graph->outputs()[0].node->dtype == DType::kF64);
  const std::vector<Bytes> results = run(*graph, {bytes_of(Values{2, -0.5})}, {2});
  CHECK(testing::values_of<double>(results[0]) == Values{12, -3});
  CHECK(testing::values_of<double>(results[1]) == Values{double(0.1f), double(0.1f)});
}

TEST_CASE("G19.every_op/interp: ties and kinks are PyTorch's") {
  CHECK(slope("abs(x)", {-2, 0, 3}) == Values{-1, 0, 1});
  CHECK(slope("maximum(x, 1)", {0, 1, 2}) == Values{0, 0.5, 1});
  CHECK(slope("minimum(1, x)", {0, 1, 2}) == Values{1, 0.5, 0});
  CHECK(slope("maximum(x, x)", {0, 1}) == Values{1, 1});
  CHECK(same(slope("maximum(x, 1)", {nan_}), Values{1}));
  CHECK(slope("max(x)", {3, 1, 3}) == Values{0.5, 0, 0.5});
  CHECK(slope("min(x)", {3, 3, 3, 3}) == Values{0.25, 0.25, 0.25, 0.25});
  CHECK(same(slope("max(x)", {1, nan_}), Values{nan_, nan_}));
  CHECK(slope("clip(x, -1, 1)", {-2, -1, 0, 1, 2}) == Values{0, 1, 1, 1, 0});
  CHECK(slope("clip(0, x, 1)", {-1, 0, 0.5}) == Values{0, 0, 1});
  CHECK(slope("relu(x)", {-1, -0.0, 0, 1}) == Values{0, 0, 0, 1});
  CHECK(slope("floor(x)", {0.5, 2}) == Values{0, 0});
  CHECK(slope("sign(x) + ceil(x) + trunc(x) + round(x) + x // 2", {0.5, 2}) == Values{0, 0});
  CHECK(slope("copysign(x, -1)", {-2, 0, 3}) == Values{1, 0, -1});
  CHECK(slope("copysign(1, x)", {-2, 3}) == Values{0, 0});
  CHECK(slope("where(x < 1, x * 2, x * 3)", {0, 1}) == Values{2, 3});
  CHECK(slope("elu(x, alpha=0.5)", {-1e-300, 0}) == Values{0.5, 0.5});
  CHECK(slope("softplus(x)", {0}) == Values{0.5});
  CHECK(slope("norm(x)", {0, 0}) == Values{0, 0});
  CHECK(slope("norm(x, ord=3)", {0, 0}) == Values{0, 0});
  CHECK(same(slope("norm(x, ord=0.5)", {0, 1}), Values{nan_, 1}));
  CHECK(slope("std(x)", {7, 7, 7}) == Values{0, 0, 0});
}

TEST_CASE("G19.stop_gradient/interp: it is a constant to gradients, and nothing else is built") {
  CHECK(slope("stop_gradient(x) * x", {3, -2}) == Values{3, -2});
  CHECK(curvature("stop_gradient(x) * x", {3, -2}) == Values{0, 0});
  CHECK(slope("stop_gradient(sin(x) * x)", {3, -2}) == Values{0, 0});
  const auto graph = parse(
      "graph g(x: f32[n, 4], z: complex64[n], i: i32[n], w: f32[4, n]) {\n  y = stop_gradient(exp(x)) + x\n"
      "  return d = grad(sum(y), x), z = stop_gradient(z), i = stop_gradient(stop_gradient(i)),\n"
      "    p = sum(stop_gradient(x * x), axes=[1]), q = sum(stop_gradient(permute(w, axes=[1, 0])), axes=[1]), s = sum(x * x, "
      "axes=[1])\n}");
  // the gradient does not use the exp(x) inside stop_gradient, so no exp remains
  for (const Node* node : graph->live_nodes()) CHECK(node->op != Op::kExp);
  const auto* product = graph->outputs()[3].node;
  REQUIRE(product->op == Op::kSum);
  CHECK_FALSE(product->as<ReduceAttributes>().product);  // because of stop_gradient this sum is not treated as a sum of products
  CHECK(graph->outputs()[4].node->op == Op::kSum);       // a sum of a permuted array is normally reordered, but stop_gradient prevents that
  CHECK(graph->outputs()[4].node->as<ReduceAttributes>().order == ReduceOrder::kLanes);
  CHECK(graph->outputs()[5].node->as<ReduceAttributes>().product);
  CHECK(print_graph(*parse_graph(print_graph(*graph))) == print_graph(*graph));
  const auto optimised = opt::optimise(graph->clone(), {});
  for (const Node* node : optimised->live_nodes()) CHECK(node->op != Op::kStopGradient);
  CHECK(optimised->outputs()[2].node->op == Op::kInput);
}

TEST_CASE("G19.every_op/interp: a user's own double where") {
  CHECK(slope("where(x > 0, sqrt(where(x > 0, x, 1)), 0)", {-1, 0, 4}) == Values{0, 0, 0.25});
  CHECK(same(slope("where(x > 0, sqrt(x), 0)", {0, 4}), Values{nan_, 0.25}));
}

TEST_CASE("G19.every_op/interp: complex functions on their axes and where the formula that is not used breaks down") {
  CHECK(slope("real(sqrt(complex_from_parts(x, 2)))", {0, -0.0}) == Values{0.25, 0.25});
  CHECK(slope("imag(sqrt(complex_from_parts(x, 2)))", {0}) == Values{-0.25});
  CHECK(slope("imag(sqrt(complex_from_parts(x, -2)))", {0}) == Values{0.25});
  CHECK(slope("real(sqrt(complex_from_parts(-4, x)))", {0, -0.0}) == Values{0.25, -0.25});
  CHECK(slope("imag(sqrt(complex_from_parts(x, 0)))", {-4}) == Values{-0.25});
  CHECK(slope("real(sqrt(complex_from_parts(x, 0)))", {4}) == Values{0.25});
  CHECK(slope("real(rsqrt(complex_from_parts(-4, x)))", {0})[0] == doctest::Approx(0.0625));
  CHECK(curvature("real(sqrt(complex_from_parts(x, 2)))", {0})[0] == doctest::Approx(0.0625));
  CHECK(curvature("imag(sqrt(complex_from_parts(x, 0)))", {-4})[0] == doctest::Approx(-1.0 / 32));

  // For |z| below 1e-8, (p - 1)(p + 1) + q² rounds to -1.
  CHECK(slope("real(log(complex_from_parts(x, 0)))", {0x1p-40, -0x1p-1000, 0x1p600}) == Values{0x1p40, -0x1p1000, 0x1p-600});
  CHECK(slope("imag(log(complex_from_parts(9.094947017729282e-13, x)))", {0}) == Values{0x1p40});
  CHECK(curvature("real(log(complex_from_parts(x, 0)))", {0x1p-40}) == Values{-0x1p80});

  for (const std::string part : {"real", "imag"}) {
    CHECK(slope(part + "(tanh(complex_from_parts(x, 1)))", {360, 500, -800, 1e300}) == Values{0, 0, 0, 0});
    CHECK(slope(part + "(tanh(complex_from_parts(500, x)))", {0, 1, -2}) == Values{0, 0, 0});
    CHECK(slope(part + "(tan(complex_from_parts(x, -800)))", {0, 1, -2}) == Values{0, 0, 0});
    CHECK(curvature(part + "(tanh(complex_from_parts(x, 1)))", {360, 800}) == Values{0, 0});
  }
}

TEST_CASE("G19.every_op/interp: powers, roots and angles where formulas break down") {
  CHECK(slope("pow(x, 0)", {0, -1, 3, inf_}) == Values{0, 0, 0, 0});
  CHECK(slope("pow(x, 1)", {0, -1, inf_}) == Values{1, 1, 1});
  CHECK(slope("pow(x, 2)", {0, -3, 4}) == Values{0, -6, 8});
  CHECK(slope("pow(x, 3)", {-2}) == Values{12});
  CHECK(slope("pow(x, 0.5)", {0, 4}) == Values{inf_, 0.25});
  CHECK(same(slope("pow(x, 0.5)", {-1}), Values{nan_}));
  CHECK(slope("pow(0, x)", {0, 0.5, 2, inf_}) == Values{0, 0, 0, 0});
  CHECK(slope("pow(0, x)", {-1}) == Values{-inf_});
  CHECK(slope("pow(1, x)", {-1, 0, 5}) == Values{0, 0, 0});
  CHECK(same(slope("pow(-2, x)", {2}), Values{nan_}));
  CHECK(curvature("pow(x, 2)", {0, -3}) == Values{2, 2});
  CHECK(curvature("pow(x, 1)", {0, 2}) == Values{0, 0});
  CHECK(curvature("pow(x, 0)", {0, 2}) == Values{0, 0});
  CHECK(curvature("pow(x, 3)", {0, -1}) == Values{0, -6});
  CHECK(slope("sqrt(x)", {0, 4}) == Values{inf_, 0.25});
  CHECK(slope("cbrt(x)", {0, 8, -8}) == Values{inf_, 1.0 / 12, 1.0 / 12});
  CHECK(slope("hypot(x, 4e200)", {3e200})[0] == doctest::Approx(0.6).epsilon(1e-15));
  CHECK(slope("hypot(x, 0)", {0, 3, -3}) == Values{0, 1, -1});
  CHECK(slope("hypot(0, x)", {0, 3}) == Values{0, 1});
  CHECK(curvature("hypot(x, 0)", {0, 3}) == Values{0, 0});
  CHECK(curvature("hypot(0, x)", {0, -3}) == Values{0, 0});
  CHECK(curvature("hypot(x, 3)", {4})[0] == doctest::Approx(9.0 / 125));
  CHECK(curvature("abs(complex_from_parts(x, 0))", {0, -2}) == Values{0, 0});
  CHECK(slope("abs(complex_from_parts(x, 0))", {0, -2}) == Values{0, -1});
  CHECK(slope("norm(complex_from_parts(x, x * 0), axes=[-1])", {0, 2}) == Values{0, 1});
  CHECK(slope("atan2(x, 1e200)", {1e200})[0] == doctest::Approx(0.5e-200));
  CHECK(same(slope("atan2(x, 0)", {0}), Values{nan_}));
  CHECK(slope("asinh(x)", {1e200, -1e200, 0}) == Values{1e-200, 1e-200, 1});
  CHECK(slope("acosh(x)", {1, 1e200}) == Values{inf_, 1e-200});
  CHECK(slope("asin(x)", {1, -1, 0}) == Values{inf_, inf_, 1});
  CHECK(slope("tanh(x)", {0, 400}) == Values{1, 0});
  CHECK(slope("log(x)", {0, inf_}) == Values{inf_, 0});
  CHECK(slope("x / 0", {1}) == Values{inf_});
  CHECK(slope("recip(x)", {inf_, 2}) == Values{0, -0.25});
}

TEST_CASE("G19.every_op/interp: a product with zeros") {
  CHECK(slope("prod(x)", {2, 3, 4}) == Values{12, 8, 6});
  CHECK(slope("prod(x)", {2, 0, 4}) == Values{0, 8, 0});
  CHECK(slope("prod(x)", {0, 3, 0}) == Values{0, 0, 0});
  CHECK(slope("prod(x)", {-0.0}) == Values{1});
  CHECK(slope("prod(x)", {5}) == Values{1});
  CHECK(slope("prod(x)", {}) == Values{});
  // Row i of the Hessian is the gradient of element i of the gradient. Its elements are products of the other elements of x.
  const auto graph = parse("graph g(x: f64[3], u: f64[3]) {\n  d = grad(prod(x), x)\n  return h = grad(d, x, grad_output=u)\n}");
  const Values points[] = {{2, 3, 4}, {0, 3, 4}, {0, 0, 4}, {0, 0, 0}, {0, 3, -0.0}};
  for (const Values& x : points)
    for (int row = 0; row < 3; ++row) {
      Values unit(3, 0.0), expected(3, 0.0);
      unit[row] = 1;
      for (int column = 0; column < 3; ++column)
        if (column != row) expected[column] = x[3 - row - column] + 0.0;
      CAPTURE(x);
      CAPTURE(row);
      const Values got = testing::values_of<double>(run(*graph, {bytes_of(x), bytes_of(unit)})[0]);
      for (int column = 0; column < 3; ++column) CHECK(got[column] == expected[column]);
    }
}

TEST_CASE("G19.every_op/interp: running products with zeros") {
  CHECK(slope("cumprod(x, axis=0)", {2, 3, 4}) == Values{1 + 3 + 12, 2 + 8, 6});
  CHECK(slope("cumprod(x, axis=0)", {2, 0, 4}) == Values{1, 2 + 8, 0});
  CHECK(slope("cumprod(x, axis=0, reverse=true)", {4, 0, 2}) == Values{0, 2 + 8, 1});
  CHECK(slope("cumprod(x, axis=0)", {0, 0}) == Values{1, 0});
  CHECK(slope("cumprod(x, axis=0)", {-0.0}) == Values{1});
  CHECK(slope("cumprod(x, axis=0)", {}) == Values{});
  // Compares the gradient of sum(w * cumprod(x)), and each row i of its Hessian, with sums of products of the other elements.
  const auto graph = parse(
      "graph g(x: f64[4], w: f64[4], u: f64[4]) {\n  d = grad(cumprod(x, axis=0), x, grad_output=w)\n"
      "  return first = d, second = grad(d, x, grad_output=u)\n}");
  const Values w = {1, 10, 100, 1000};
  for (const Values& x :
       {Values{2, 3, 4, 5}, {2, 0, 4, 5}, {0, 3, 4, 5}, {0, 3, 0, 5}, {2, 0, 0, 5}, {2, 0, 4, 0}, {0, 0, 0, 5}, {0, 0, 0, 0}})
    for (size_t row = 0; row < 4; ++row) {
      // The sum of all terms that contain both factors a and b, each divided by these two factors.
      const auto without = [&](size_t a, size_t b) {
        double total = 0;
        for (size_t k = std::max(a, b); k < 4; ++k) {
          double product = w[k];
          for (size_t j = 0; j <= k; ++j)
            if (j != a && j != b) product *= x[j];
          total += product;
        }
        return total;
      };
      Values unit(4, 0.0);
      unit[row] = 1;
      CAPTURE(x);
      CAPTURE(row);
      const std::vector<Bytes> results = run(*graph, {bytes_of(x), bytes_of(w), bytes_of(unit)});
      const Values first = testing::values_of<double>(results[0]), second = testing::values_of<double>(results[1]);
      CHECK(first[row] == without(row, row));
      for (size_t column = 0; column < 4; ++column) CHECK(second[column] == (column == row ? 0 : without(row, column)));
    }
}

TEST_CASE("G19.every_op/interp: running extremes give everything to the latest of equals, as PyTorch does") {
  CHECK(slope("cummax(x, axis=0)", {1, 3, 2, 3, 0}) == Values{1, 2, 0, 2, 0});
  CHECK(slope("cummin(x, axis=0)", {2, 1, 1, 5}) == Values{1, 1, 2, 0});
  CHECK(slope("cummax(x, axis=0, reverse=true)", {0, 3, 2, 3, 1}) == Values{0, 2, 0, 2, 1});
  CHECK(slope("cummin(x, axis=0, reverse=true)", {5, 1, 1, 2}) == Values{0, 2, 1, 1});
  CHECK(slope("cummax(x, axis=0)", {0, -0.0, 0}) == Values{1, 1, 1});
  CHECK(slope("cummax(x, axis=0)", {-inf_, -inf_}) == Values{1, 1});
  CHECK(slope("cummax(x, axis=0)", {1, nan_, 5, nan_, inf_}) == Values{1, 2, 0, 2, 0});
  CHECK(slope("cummax(x, axis=0, exclusive=true)", {3, 1, 4, 5}) == Values{2, 0, 1, 0});
  CHECK(slope("cummin(x, axis=0)", {}) == Values{});
}

TEST_CASE("G19.every_op/interp G22.logcumsumexp/interp: logarithms of running sums, far apart, of nothing, and by gradients that are 0") {
  const auto near = [](const Values& got, const Values& expected) {
    REQUIRE(got.size() == expected.size());
    for (size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(expected[i]).epsilon(1e-12));
  };
  near(slope("logcumsumexp(x, axis=0)", {0, 0, 0}), {1 + 1.0 / 2 + 1.0 / 3, 1.0 / 2 + 1.0 / 3, 1.0 / 3});
  near(slope("logcumsumexp(x, axis=0, reverse=true)", {700, 700}), {0.5, 1.5});
  near(slope("logcumsumexp(x, axis=0)", {2000, -2000, 2000}), {2.5, 0, 0.5});
  near(slope("logcumsumexp(x, axis=0)", {-3e307, 1e307, -1e308}), {1, 2, 0});
  near(slope("logcumsumexp(x, axis=0)", {-inf_, -inf_, 3, -inf_, 3}), {0, 0, 2.5, 0, 0.5});
  near(slope("logcumsumexp(x, axis=0)", {-inf_, -inf_}), {0, 0});
  near(slope("where(x < 0, 0, logcumsumexp(x, axis=0, exclusive=true))", {1, 1, 1}), {1.5, 0.5, 0});
  CHECK(slope("logcumsumexp(x, axis=0)", {}) == Values{});
  for (const size_t n : {64, 65, 200}) {  // several lengths, so that the gradient crosses the borders of blocks
    Values expected(n), zeros(n, 0.0), steep(n);
    double total = 0;
    for (size_t k = n; k-- > 0; expected[k] = total) total += 1.0 / static_cast<double>(k + 1);
    near(slope("logcumsumexp(x, axis=0)", zeros), expected);
    std::reverse(expected.begin(), expected.end());
    near(slope("logcumsumexp(x, axis=0, reverse=true)", zeros), expected);
    // the greatest element so far is at position 0, then 1, then 2
    for (size_t k = 0; k < n; ++k) steep[k] = 1000.0 * static_cast<double>(k % 3);
    const Values got = slope("logcumsumexp(x, axis=0)", steep);
    CHECK(got[0] == 1);
    CHECK(got[1] == 1);
    CHECK(got[3] == 0);
    near({got[2] - got[5]}, {3});
  }
  CHECK(std::isnan(slope("logcumsumexp(x, axis=0)", {1, nan_})[0]));
  // Tests second derivatives of logcumsumexp, also with respect to w and for w = 0. Element 0 of the gradient is the derivative with
  // respect to x[0]; its derivative with respect to w[k] is exp(x[0] - y[k]).
  const auto graph = parse(
      "graph g(x: f64[3], w: f64[3], u: f64[3]) {\n  d = grad(logcumsumexp(x, axis=0), x, grad_output=w)\n"
      "  return first = d, second = grad(d, w, grad_output=u), third = grad(d, x, grad_output=u)\n}");
  for (const Values& w : {Values{2, -3, 5}, {0, -3, 0}, {0, 0, 0}}) {
    CAPTURE(w);
    const std::vector<Bytes> results = run(*graph, {bytes_of(Values{0, 0, 0}), bytes_of(w), bytes_of(Values{1, 0, 0})});
    near(testing::values_of<double>(results[0]), {w[0] + w[1] / 2 + w[2] / 3, w[1] / 2 + w[2] / 3, w[2] / 3});
    near(testing::values_of<double>(results[1]), {1, 1.0 / 2, 1.0 / 3});
    near(testing::values_of<double>(results[2]), {w[1] / 4 + w[2] * 2 / 9, -w[1] / 4 - w[2] / 9, -w[2] / 9});
  }
}

TEST_CASE("G19.every_op/interp: what windows share adds up, what slices leave out is 0") {
  CHECK(slope("unfold(x, axes=[0], size=3)", {1, 2, 3, 4, 5}) == Values{1, 2, 3, 2, 1});
  CHECK(slope("unfold(x, axes=[0], size=2, stride=3)", {1, 2, 3, 4, 5, 6, 7}) == Values{1, 1, 0, 1, 1, 0, 0});
  CHECK(slope("unfold(x, axes=[0], size=2, stride=1, dilation=2)", {1, 2, 3, 4}) == Values{1, 1, 1, 1});
  CHECK(slope("unfold(x, axes=[0], size=0, stride=2)", {1, 2, 3, 4}) == Values{0, 0, 0, 0});
  CHECK(slope("unfold(x, axes=[0], size=0, dilation=3)", {}) == Values{});
  CHECK(slope("slice(x, start=[-1], step=[-2])", {1, 2, 3, 4, 5, 6}) == Values{0, 1, 0, 1, 0, 1});
  CHECK(slope("slice(x, start=[1], step=[3])", {1, 2, 3, 4, 5, 6}) == Values{0, 1, 0, 0, 1, 0});
  CHECK(slope("slice(x, start=[4], stop=[2])", {1, 2, 3, 4, 5, 6}) == Values{0, 0, 0, 0, 0, 0});
  // With some sizes a slice or the windows are empty.
  const auto graph = parse(
      "shape k in 0..9\ngraph g(x: f64[n]) {\n  a = slice(x, start=[k], stop=[none], step=[2])\n  b = slice(x, start=[none], stop=[k], "
      "step=[-2])\n"
      "  c = slice(x, start=[k], stop=[5])\n  return da = grad(a, x, grad_output=1), db = grad(b, x, grad_output=1), dc = grad(c, x, "
      "grad_output=1)\n}");
  for (int64_t n = 0; n < 8; ++n)
    for (int64_t k = 0; k < 9; ++k) {
      CAPTURE(n);
      CAPTURE(k);
      Values a(n, 0.0), b(n, 0.0), c(n, 0.0);
      for (int64_t i = k; i < n; i += 2) a[i] = 1;
      for (int64_t i = n - 1; i > std::min(k, n - 1); i -= 2) b[i] = 1;
      for (int64_t i = k; i < std::min<int64_t>(5, n); ++i) c[i] = 1;
      const std::vector<int64_t> sizes = variable_of(graph->dims().variables()[0])->name == "k" ? std::vector{k, n} : std::vector{n, k};
      const std::vector<Bytes> results = run(*graph, {bytes_of(Values(n, 1.5))}, sizes);
      CHECK(testing::values_of<double>(results[0]) == a);
      CHECK(testing::values_of<double>(results[1]) == b);
      CHECK(testing::values_of<double>(results[2]) == c);
    }
}

TEST_CASE("G19.every_op/interp: the greatest rank") {
  const std::string ones = "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1";
  const auto graph =
      parse(cat("graph g(x: f64[2, 7]) {\n  a = reshape(x, shape=[2, ", ones, ", 7])\n  u = unfold(a, axes=[-1], size=3, stride=2)\n",
                "  b = reshape(x, shape=[2, ", ones, ", 7, 1])\n  s = slice(b, step=[1, ", ones, ", -3, 1])\n",
                "  return d = grad(u, x, grad_output=1), e = grad(s, x, grad_output=1)\n}"));
  const std::vector<Bytes> results = run(*graph, {bytes_of(Values(14, 1.0))});
  CHECK(testing::values_of<double>(results[0]) == Values{1, 1, 2, 1, 2, 1, 1, 1, 1, 2, 1, 2, 1, 1});
  CHECK(testing::values_of<double>(results[1]) == Values{1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1});
}

TEST_CASE("G19.graph_nodes: gradients are nodes like others: named, given out, differentiated again") {
  const auto graph = parse(
      "graph g(x: f64[n], w: f64[n]) {\n  loss = sum(sin(x) * w)\n  dx, dw = grad(loss, x, w)\n  hx = grad(dx, [x], grad_output=w)\n"
      "  return dx, dw, hx, twice = grad(2 * loss, w) + 1\n}");
  const Values x = {0.5, -1}, w = {2, 3};
  const std::vector<Bytes> results = run(*graph, {bytes_of(x), bytes_of(w)}, {2});
  for (int i = 0; i < 2; ++i) {
    CHECK(testing::values_of<double>(results[0])[i] == doctest::Approx(w[i] * std::cos(x[i])).epsilon(1e-14));
    CHECK(testing::values_of<double>(results[1])[i] == doctest::Approx(std::sin(x[i])).epsilon(1e-14));
    CHECK(testing::values_of<double>(results[2])[i] == doctest::Approx(-w[i] * w[i] * std::sin(x[i])).epsilon(1e-14));
    CHECK(testing::values_of<double>(results[3])[i] == doctest::Approx(2 * std::sin(x[i]) + 1).epsilon(1e-14));
  }
  // The printed text has primitives instead of grad(), and can be parsed.
  CHECK(print_graph(*parse_graph(print_graph(*graph))) == print_graph(*graph));
}

TEST_CASE("G19.graph_nodes: xs in the middle, xs that depend on each other, y itself") {
  const auto graph = parse(
      "graph g(x: f64[n]) {\n  h = x * x\n  y = sum(h * x)\n  dx, dh, dy = grad(y, x, h, y)\n  same = grad(h, h, grad_output=x)\n"
      "  return dx, dh, dy, same\n}");
  const std::vector<Bytes> results = run(*graph, {bytes_of(Values{3, -2})}, {2});
  CHECK(testing::values_of<double>(results[0]) == Values{27, 12});
  CHECK(testing::values_of<double>(results[1]) == Values{3, -2});
  CHECK(testing::values_of<double>(results[2]) == Values{1});
  CHECK(testing::values_of<double>(results[3]) == Values{3, -2});
}

TEST_CASE("G19.graph_nodes: contributions are added from the last user to the first") {
  // The consumers of x are, in the order in which they were built, a, b and c. Their contributions are added in the opposite order: (c + b)
  // + a.
  const auto graph = parse(
      "graph g(x: f32[], p: f32[], q: f32[], r: f32[]) {\n  a = x * p\n  b = x * q\n  c = x * r\n  y = a + b + c\n  return d = grad(y, "
      "x)\n}");
  const float p = 1e8f, q = -1e8f, r = 1;
  const std::vector<Bytes> result =
      run(*graph, {bytes_of(std::vector<float>{1}), bytes_of(std::vector{p}), bytes_of(std::vector{q}), bytes_of(std::vector{r})});
  CHECK(testing::values_of<float>(result[0])[0] == (r + q) + p);
  CHECK((r + q) + p != (p + q) + r);
}

TEST_CASE("G19.graph_nodes: the gradient of a matrix product is two matrix products") {
  const auto graph = parse(
      "graph g(a: f32[n, 64], b: f32[64, m], g: f32[n, m]) {\n"
      "  y = sum(expand(reshape(a, shape=[n, 64, 1]), shape=[n, 64, m]) * expand(reshape(b, shape=[1, 64, m]), shape=[n, 64, m]), "
      "axes=[1])\n"
      "  da, db = grad(y, a, b, grad_output=g)\n  return da, db\n}");
  int products = 0;
  for (const Node* node : graph->live_nodes())
    if (const auto* reduce = std::get_if<ReduceAttributes>(&node->attributes)) {
      CHECK(reduce->product);
      CHECK(reduce->order == ReduceOrder::kChain);
      ++products;
    }
  CHECK(products == 2);
}

TEST_CASE("G19.graph_nodes: a chain of 100,000 nodes") {
  Graph graph;
  const Node* x = graph.add_input("x", DType::kF64, {});
  const Node* y = x;
  for (int i = 0; i < 50'000; ++i) {
    y = build::elementwise(Op::kMul, {y, build::constant_like(x, i % 2 == 0 ? 2.0 : 0.5)});
    y = build::elementwise(Op::kAdd, {y, build::constant_like(x, 1e-3 * i)});
  }
  const Node* const xs[] = {x};
  const Node* gradient = grad::gradients(y, xs, nullptr)[0];
  graph.add_output("d", gradient);
  CHECK(testing::values_of<double>(run(graph, {bytes_of(Values{3})})[0]) == Values{1});
  CHECK(graph.nodes().size() < 300'000);
}

TEST_CASE("G19.graph_nodes: only what is asked for is built") {
  Graph graph;
  const Node* x = graph.add_input("x", DType::kF32, {4});
  const Node* w = graph.add_input("w", DType::kF32, {4});
  const Node* y = build::sum(build::elementwise(Op::kMul, {build::elementwise(Op::kExp, {w}), x}), std::nullopt, false);
  const size_t before = graph.nodes().size();
  const Node* const xs[] = {x};
  grad::gradients(y, xs, nullptr);
  CHECK(graph.nodes().size() <= before + 4);  // the new nodes are the seed, its reshape and expand, and the product; there are none for w
}

TEST_CASE("G19.loud_error: no gradient is silently zero") {
  CHECK(message_of("  d = grad(sum(x), w)").ends_with("\"w\" (input f32[n]); its gradient would be zero everywhere, so leave it out"));
  CHECK(message_of("  d = grad(sum(x), w)").find("does not depend on") != std::string::npos);
  CHECK(
      message_of("  k = cast(x, i32)\n  d = grad(sum(cast(k, f32) * w), x)")
          .ends_with(
              "depends on \"x\" (input f32[n]) only through \"k\" (cast i32[n]), and gradients do not pass through integers; its gradient "
              "would be zero everywhere, so leave it out"));
  CHECK(message_of("  d = grad(sum(where(x < w, w, 0)), x)").find("(lt bool[n]), and gradients do not pass through bools") !=
        std::string::npos);
  CHECK(message_of("  k = bitcast(x, i32)\n  h = cast(k & 255, f32)\n  d = grad(sum(h + x), x)")
            .ends_with("depends on \"k\" (bitcast i32[n]), and bitcast has no derivative"));
  CHECK(message_of("  k = bitcast(x, i32)\n  d = grad(sum(bitcast(k ^ 1, f32) * w), x, w)").find("\"k\" (bitcast i32[n])") !=
        std::string::npos);
  // Rounding, and a comparison after a bitcast, are constant almost everywhere, so their gradient is 0 and no error.
  CHECK(message_of("  k = bitcast(x, i32)\n  d = grad(sum(where(k < 0, x, w)), x)") == "");
  CHECK(message_of("  d = grad(sum(floor(x)), x)") == "");
  CHECK(message_of("  d = grad(sum(where(isnan(x), w, x)), x)") == "");
}

TEST_CASE("G19.loud_error: dtypes and shapes") {
  CHECK(message_of("  d = grad(sum(i), x)").ends_with("(sum i32[]); only floats and complex numbers have gradients"));
  CHECK(message_of("  d = grad(sum(x), i)").ends_with("x is \"i\" (input i32[n]); only floats and complex numbers have gradients"));
  CHECK(message_of("  d = grad(x * w, x)").find("has more than one element: reduce it to one, or give grad_output") != std::string::npos);
  CHECK(message_of("  d = grad(x * w, x, grad_output=i)").find("the dtypes must be the same") != std::string::npos);
  CHECK(message_of("  d = grad(sum(x), x, grad_output=w)").find("the shapes must be the same, or grad_output a scalar") !=
        std::string::npos);
  CHECK(message_of("  d = grad(sum(x))").find("grad needs xs") != std::string::npos);
  CHECK(message_of("  d, e = grad(sum(x), x)").find("gives 1 result for 2 names") != std::string::npos);
  CHECK(message_of("  d = grad(x * w, x, grad_output=1)") == "");
  CHECK(message_of("  d = grad(reshape(s, shape=[1, 1]), s)") == "");
  CHECK(message_of("  d = gradient(sum(x), x)").find("unknown operation") != std::string::npos);
}

TEST_CASE("G19.loud_error G1: the C function") {
  using namespace capi_test;
  const Context context = make_context();
  const capi_test::Graph g = make_graph(context.get());
  const int64_t dims[] = {2};
  harp_node* x = harp_input(g.get(), "x", HARP_F32, 1, dims);
  harp_node* w = harp_input(g.get(), "w", HARP_F32, 1, dims);
  harp_node* y = harp_sum(harp_mul(x, harp_mul(x, w)), 0, nullptr, 0);
  y = harp_sum(harp_mul(x, harp_mul(x, w)), 1, std::array{0}.data(), 0);
  harp_node* const xs[] = {x, w};
  harp_node* gradients[2] = {nullptr, nullptr};
  CHECK(harp_grad(nullptr, 2, xs, nullptr, gradients) == HARP_ERROR_INVALID_ARGUMENT);
  const capi_test::Error stored(harp_graph_take_error(g.get()));
  CHECK(stored != nullptr);
  REQUIRE(harp_grad(y, 2, xs, nullptr, gradients) == HARP_OK);
  CHECK(harp_output(g.get(), "dx", gradients[0]) == HARP_OK);
  CHECK(harp_output(g.get(), "dw", gradients[1]) == HARP_OK);
  harp_node* again[1] = {nullptr};
  REQUIRE(harp_grad(gradients[0], 1, xs, w, again) == HARP_OK);
  CHECK(harp_output(g.get(), "hxx_w", again[0]) == HARP_OK);
  std::vector<float> at = {3, -2}, weight = {0.5, 4};
  const Buffer bx = wrap(context.get(), at, {2}), bw = wrap(context.get(), weight, {2});
  for (const char* backend : {"interp", "c"}) {
    const Program program = compile(g.get(), backend);
    REQUIRE(program != nullptr);
    const std::vector<Buffer> results = capi_test::run(program.get(), {bx.get(), bw.get()});
    REQUIRE(results.size() == 3);
    CHECK(values<float>(results[0].get()) == std::vector<float>{3, -16});
    CHECK(values<float>(results[1].get()) == std::vector<float>{9, 4});
    CHECK(values<float>(results[2].get()) == std::vector<float>{0.5, 32});
  }

  const auto message = [&](const std::function<harp_status(harp_graph*, harp_node*, harp_node*, harp_node**)>& call, harp_status code) {
    const capi_test::Graph own = make_graph(context.get());
    harp_node* a = harp_input(own.get(), "a", HARP_F32, 1, dims);
    harp_node* out[2] = {a, a};
    CHECK(call(own.get(), a, harp_sum(a, 1, std::array{0}.data(), 0), out) == code);
    CHECK(out[0] == a);
    CHECK(harp_neg(a) == nullptr);
    return std::string(harp_error_message(harp_graph_error(own.get())));
  };
  CHECK(message([](auto*, auto*, auto* sum, auto** out) { return harp_grad(sum, -1, nullptr, nullptr, out); }, HARP_ERROR_INVALID_ARGUMENT)
            .find("expected a list of nodes, got a list of length -1") != std::string::npos);
  CHECK(message([](auto*, auto*, auto* sum, auto** out) { return harp_grad(sum, 0, nullptr, nullptr, out); }, HARP_ERROR_INVALID_ARGUMENT)
            .find("expected at least one node to differentiate") != std::string::npos);
  CHECK(message([](auto*, auto* a, auto* sum, auto**) { return harp_grad(sum, 1, &a, nullptr, nullptr); }, HARP_ERROR_INVALID_ARGUMENT)
            .find("the array of gradients is NULL") != std::string::npos);
  CHECK(message(
            [](auto*, auto*, auto* sum, auto** out) {
              harp_node* const missing[] = {nullptr};
              return harp_grad(sum, 1, missing, nullptr, out);
            },
            HARP_ERROR_INVALID_ARGUMENT)
            .find("operand 2 is NULL") != std::string::npos);
  CHECK(message([&](auto*, auto* a, auto* sum, auto** out) { return harp_grad(sum, 1, &a, x, out); }, HARP_ERROR_INVALID_ARGUMENT)
            .find("different graphs") != std::string::npos);
  CHECK(message([](auto*, auto* a, auto*, auto** out) { return harp_grad(a, 1, &a, nullptr, out); }, HARP_ERROR_SHAPE)
            .find("more than one element") != std::string::npos);
}
