// Tests the gradient of windows that is one contraction: when it is built (docs/semantics.md, "Gradients"), and what it computes.
#include "grad/window_contraction.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "grad/operation.h"
#include "graph/text.h"
#include "support/backends_run.h"
#include "support/interp_run.h"
#include "support/scheduled.h"

using namespace harp;
using namespace harp::testing;

namespace {

std::unique_ptr<Graph> parse(const std::string& text) { return parse_graph(text, grad::text_operations()); }

/// A function y of the inputs x and w. x and w have the shapes x: f64[...] and w: f64[...], and y is their convolution or another
/// expression.
struct Function {
  std::string inputs, y;
};

/// The sums of the graph that reads dx. `products` are sums of products, `plain` the other ones, with which windows are added.
struct Sums {
  int products = 0, plain = 0;
  bool operator==(const Sums&) const = default;
};
Sums sums_of_gradient(const Function& f) {
  const auto graph =
      parse(cat("graph g(", f.inputs, ") flags=[broadcast] {\n  y = ", f.y, "\n  return dx = grad(y, x, grad_output=sin(y))\n}"));
  const auto values = parse(cat("graph g(", f.inputs, ") flags=[broadcast] {\n  y = ", f.y, "\n  return s = sin(y)\n}"));
  Sums sums;
  const auto count = [&](const Graph& of, int each) {
    for (const Node* node : of.live_nodes())
      if (node->op == Op::kSum) (node->as<ReduceAttributes>().product ? sums.products : sums.plain) += each;
  };
  count(*graph, 1);
  count(*values, -1);
  return sums;
}
constexpr Sums kOneContraction{1, 0};

std::vector<double> rough(int64_t count, double step) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(std::sin(1 + step * static_cast<double>(i)));
  return values;
}

int64_t count_of(const std::vector<int64_t>& shape) {
  int64_t product = 1;
  for (const int64_t size : shape) product *= size;
  return product;
}

/// Checks the gradient of sum(y * g) with respect to x, where g = sin(y) is treated as a constant and y is linear in x: element i of the
/// gradient is the sum of g times the y of the i-th unit vector.
void check_linear(const Function& f, const std::vector<int64_t>& x_shape, const std::vector<int64_t>& w_shape,
                  const std::vector<int64_t>& shape_values = {}) {
  CAPTURE(f.y);
  const auto y = parse(cat("graph g(", f.inputs, ") flags=[broadcast] {\n  return y = ", f.y, "\n}"));
  const auto dx =
      parse(cat("graph g(", f.inputs, ") flags=[broadcast] {\n  y = ", f.y, "\n  return dx = grad(y, x, grad_output=sin(y))\n}"));
  const Bytes x = bytes_of(rough(count_of(x_shape), 0.9)), w = bytes_of(rough(count_of(w_shape), 1.3));
  const auto found = values_of<double>(run(*dx, {x, w}, shape_values)[0]), at_x = values_of<double>(run(*y, {x, w}, shape_values)[0]);
  REQUIRE(static_cast<int64_t>(found.size()) == count_of(x_shape));
  for (size_t i = 0; i < found.size(); ++i) {
    std::vector<double> unit(found.size());
    unit[i] = 1;
    const auto column = values_of<double>(run(*y, {bytes_of(unit), w}, shape_values)[0]);
    double expected = 0;
    for (size_t j = 0; j < column.size(); ++j) expected += column[j] * std::sin(at_x[j]);
    CHECK(found[i] == doctest::Approx(expected).epsilon(1e-11));
  }
}

Function conv1d(std::string_view arguments, std::string_view n = "9") {
  return {cat("x: f64[2, 3, ", n, "], w: f64[4, 3, 3]"), cat("conv1d(x, w", arguments, ")")};
}
Function conv_transpose1d(std::string_view arguments) {
  return {"x: f64[2, 3, 6], w: f64[3, 4, 3]", cat("conv_transpose1d(x, w", arguments, ")")};
}

}  // namespace

TEST_CASE("G19.windows/interp: the gradient of the input of a convolution is one contraction") {
  for (const char* arguments :
       {"", ", padding=1", ", padding=[[2, 0]]", ", stride=2", ", stride=2, padding=1", ", dilation=2", ", dilation=3, padding=2"}) {
    CHECK(sums_of_gradient(conv1d(arguments)) == kOneContraction);
    check_linear(conv1d(arguments), {2, 3, 9}, {4, 3, 3});
  }
  for (const char* arguments :
       {"", ", padding=1", ", stride=2", ", stride=2, padding=1, output_padding=1", ", dilation=2", ", stride=2, dilation=3"}) {
    CHECK(sums_of_gradient(conv_transpose1d(arguments)) == kOneContraction);
    check_linear(conv_transpose1d(arguments), {2, 3, 6}, {3, 4, 3});
  }
  const Function planes = {"x: f64[2, 3, 5, 7], w: f64[4, 3, 3, 2]", "conv2d(x, w, stride=[2, 1], padding=[1, 0], dilation=[1, 2])"};
  CHECK(sums_of_gradient(planes) == kOneContraction);
  check_linear(planes, {2, 3, 5, 7}, {4, 3, 3, 2});
  const Function back = {"x: f64[2, 3, 4, 3], w: f64[3, 2, 3, 3]", "conv_transpose2d(x, w, stride=[2, 1], padding=1)"};
  CHECK(sums_of_gradient(back) == kOneContraction);
  check_linear(back, {2, 3, 4, 3}, {3, 2, 3, 3});
  const Function cubes = {"x: f64[1, 2, 4, 3, 5], w: f64[2, 2, 2, 3, 3]", "conv3d(x, w, stride=[1, 2, 2], padding=[0, 1, 1])"};
  CHECK(sums_of_gradient(cubes) == kOneContraction);
  check_linear(cubes, {1, 2, 4, 3, 5}, {2, 2, 2, 3, 3});
}

TEST_CASE("G19.windows/interp: with groups, and one channel in each group") {
  const Function groups = {"x: f64[2, 4, 4, 5], w: f64[6, 2, 3, 3]", "conv2d(x, w, padding=1, groups=2)"};
  CHECK(sums_of_gradient(groups) == kOneContraction);
  check_linear(groups, {2, 4, 4, 5}, {6, 2, 3, 3});
  const Function depthwise = {"x: f64[2, 4, 5, 6], w: f64[4, 1, 3, 3]", "conv2d(x, w, stride=2, padding=1, groups=4)"};
  CHECK(sums_of_gradient(depthwise) == kOneContraction);
  check_linear(depthwise, {2, 4, 5, 6}, {4, 1, 3, 3});
  const Function transposed = {"x: f64[2, 4, 3, 4], w: f64[4, 2, 3, 3]", "conv_transpose2d(x, w, stride=2, groups=2)"};
  CHECK(sums_of_gradient(transposed) == kOneContraction);
  check_linear(transposed, {2, 4, 3, 4}, {4, 2, 3, 3});
}

TEST_CASE("G19.windows/interp: sizes that are known only at run time") {
  const Function symbolic = {"x: f64[n, 3, l in 3..99], w: f64[o, 3, 3]", "conv1d(x, w, stride=2, padding=1)"};
  CHECK(sums_of_gradient(symbolic) == kOneContraction);
  check_linear(symbolic, {2, 3, 3}, {4, 3, 3}, {2, 3, 4});
  check_linear(symbolic, {2, 3, 8}, {1, 3, 3}, {2, 8, 1});
  check_linear(symbolic, {1, 3, 11}, {5, 3, 3}, {1, 11, 5});
  check_linear(symbolic, {1, 3, 4}, {0, 3, 3}, {1, 4, 0});
}

TEST_CASE("G19.windows/interp: one window, a constant gradient, and windows of a product") {
  check_linear(conv1d("", "3"), {2, 3, 3}, {4, 3, 3});
  const auto constant = parse("graph g(x: f64[1, 1, 5], w: f64[1, 1, 3]) {\n  return dx = grad(sum(conv1d(x, w)), x)\n}");
  CHECK(values_of<double>(run(*constant, {bytes_of(rough(5, 1)), bytes_of<double>({1, 2, 4})})[0]) == std::vector<double>{1, 3, 7, 6, 4});
  const Function product = {"x: f64[6], w: f64[2]",
                            "sum(unfold(x * 2, axes=[0], size=[2]) * expand(reshape(w, shape=[1, 2]), shape=[5, 2]), axes=[1])"};
  check_linear(product, {6}, {2});
}

TEST_CASE("G19.windows/interp: other gradients of windows are added") {
  const auto of = [](std::string_view y) { return sums_of_gradient({"x: f64[8], w: f64[8, 4]", std::string(y)}); };
  // Windows that do not overlap have nothing to add.
  CHECK(of("sum(unfold(x, axes=[0], size=[2], stride=[2]) * expand(reshape(w[0, :2], shape=[1, 2]), shape=[4, 2]), axes=[1])") ==
        Sums{0, 0});
  // Each window has weights of its own, so that the weights vary along both axes.
  CHECK(of("sum(unfold(x, axes=[0], size=[4]) * w[:5], axes=[1])").products == 0);
  check_linear({"x: f64[8], w: f64[8, 4]", "sum(unfold(x, axes=[0], size=[4]) * w[:5], axes=[1])"}, {8}, {8, 4});
  // The weights are known for each window, but not for each tap.
  const std::string by_window = "sum(unfold(x, axes=[0], size=[4]) * expand(w[:5, :1], shape=[5, 4]), axes=[1])";
  CHECK(of(by_window).products == 0);
  check_linear({"x: f64[8], w: f64[8, 4]", by_window}, {8}, {8, 4});
  CHECK(of("sum(unfold(x, axes=[0], size=[4]), axes=[1])").products == 0);
  check_linear({"x: f64[8], w: f64[1]", "sum(unfold(x, axes=[0], size=[4], stride=[3]), axes=[1]) * sum(w)"}, {8}, {1});
  // Most taps of a contraction would be zeros: those between the taps of a dilation, or those that are missing in most phases.
  CHECK(sums_of_gradient(conv1d(", stride=2, dilation=3")).products == 1);
  CHECK(sums_of_gradient(conv1d(", stride=2, dilation=3")).plain > 0);
  check_linear(conv1d(", stride=2, dilation=3"), {2, 3, 9}, {4, 3, 3});
  const Function long_steps = {"x: f64[1, 2, 23], w: f64[3, 2, 9]", "conv1d(x, w, stride=7)"};
  CHECK(sums_of_gradient(long_steps).plain > 0);
  check_linear(long_steps, {1, 2, 23}, {3, 2, 9});
  // A window of one element has no distance between its elements.
  CHECK(of("sum(unfold(x, axes=[0], size=[1], stride=[2], dilation=[3]) * w[:4, :1], axes=[1])") == Sums{0, 0});
  check_linear({"x: f64[8], w: f64[8, 4]", "sum(unfold(x, axes=[0], size=[1], stride=[2], dilation=[3]) * w[:4, :1], axes=[1])"}, {8},
               {8, 4});
}

TEST_CASE("G19.windows/c: the whole gradient of a convolution is a single kernel, whose windows are not stored") {
  const auto graph = parse(
      "graph g(x: f32[8, 32, 14, 14], w: f32[32, 32, 3, 3], g: f32[8, 32, 14, 14]) {\n"
      "  return dx = grad(conv2d(x, w, padding=1), x, grad_output=g)\n}");
  const Program program = schedule_test::scheduled(*graph);
  CHECK(program.kernels.size() == 1);
}

TEST_CASE("G19.windows/c X2: every backend") {
  const capi_test::Backends backends;
  backends.run(
      "graph g(x: f32[2, 3, 6, 7], w: f32[5, 3, 3, 3], g: f32[2, 5, 6, 7]) {\n"
      "  return dx = grad(conv2d(x, w, padding=1), x, grad_output=g)\n}",
      capi_test::rough({2, 3, 6, 7}, 1), capi_test::rough({5, 3, 3, 3}, 2), capi_test::rough({2, 5, 6, 7}, 3));
  backends.run(
      "graph g(x: f32[n, 4, l in 3..99], w: f32[6, 2, 3]) {\n"
      "  y = conv1d(x, w, stride=2, groups=2)\n  return dx = grad(y, x, grad_output=sin(y))\n}",
      capi_test::rough({3, 4, 17}, 4), capi_test::rough({6, 2, 3}, 5));
  backends.run(
      "graph g(x: f32[2, 6, 5, 4], w: f32[6, 3, 3, 3]) {\n"
      "  y = conv_transpose2d(x, w, stride=2, padding=1)\n  dx, dw = grad(y, [x, w], grad_output=sin(y))\n  return dx, dw\n}",
      capi_test::rough({2, 6, 5, 4}, 6), capi_test::rough({6, 3, 3, 3}, 7));
}
