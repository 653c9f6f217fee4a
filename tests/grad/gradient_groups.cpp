#include "grad/gradient_groups.h"

#include <set>

#include "base/text.h"
#include "grad/gradient.h"
#include "grad/operation.h"
#include "graph/text.h"
#include "graph/verify.h"

namespace harp::gradient_test {

Maker maker_of(const Group& group) {
  return [group] {
    std::string text = cat("graph g(", group.inputs, ") ", group.flags, "{\n");
    for (size_t i = 0; i < group.expressions.size(); ++i) append(text, cat("  r", i, " = ", group.expressions[i], "\n"));
    append(text, "  return ");
    for (size_t i = 0; i < group.expressions.size(); ++i) append(text, cat(i == 0 ? "" : ", ", "out", i, " = r", i));
    Model model{parse_graph(cat(text, "\n}"), grad::text_operations()), {}};
    for (const GraphOutput& output : model.graph->outputs()) model.results.push_back(output.node);
    return model;
  };
}

std::vector<const Node*> variables_of(const Graph& graph) {
  std::vector<const Node*> found;
  for (const Node* input : graph.inputs())
    if (input->dtype == DType::kF64) found.push_back(input);
  return found;
}

namespace {

/// Returns whether y depends on x by a path on which all nodes are floats.
bool depends_on(const Node* y, const Node* x) {
  std::set<const Node*> seen;
  std::vector<const Node*> open = {y};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (node == x) return true;
    if ((is_float(node->dtype) || is_complex(node->dtype)) && seen.insert(node).second)
      open.insert(open.end(), node->sources.begin(), node->sources.end());
  }
  return false;
}

}  // namespace

Model gradient_model(const Maker& maker, std::string_view seed_name, std::vector<Pair>* pairs) {
  Model model = maker();
  const std::vector<const Node*> variables = variables_of(*model.graph);
  std::vector<const Node*> gradients;
  for (size_t i = 0; i < model.results.size(); ++i) {
    const Node* result = model.results[i];
    const Node* seed = model.graph->add_input(cat(seed_name, i), DType::kF64, result->shape);
    std::vector<const Node*> xs;
    for (size_t j = 0; j < variables.size(); ++j) {
      if (!depends_on(result, variables[j])) continue;
      xs.push_back(variables[j]);
      if (pairs != nullptr) pairs->push_back({i, j});
    }
    if (xs.empty()) continue;
    for (const Node* gradient : grad::gradients(result, xs, seed)) gradients.push_back(gradient);
  }
  model.results = std::move(gradients);
  return model;
}

void give_out(Model& model) {
  for (size_t i = 0; i < model.results.size(); ++i) model.graph->add_output(cat("y", i), model.results[i]);
  verify(*model.graph);
}

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      // Elementwise operations, in groups by the domain of their operands.
      {"x: f64[n], y: f64[n], s: f64[]",
       {"neg(x)",   "recip(x)", "abs(x)",   "sqrt(x)",      "exp(x)",   "exp2(x)", "expm1(x)", "log(x)",  "log2(x)",
        "log10(x)", "log1p(x)", "sin(x)",   "cos(x)",       "tan(x)",   "asin(x)", "acos(x)",  "atan(x)", "sinh(x)",
        "cosh(x)",  "tanh(x)",  "asinh(x)", "acosh(x + 1)", "atanh(x)", "erf(x)",  "erfc(x)",  "cbrt(x)"},
       0.2,
       0.8,
       {5}},
      {"x: f64[n], y: f64[n], s: f64[]",
       {"x + y",
        "x * y",
        "x / y",
        "x % y",
        "fmod(x, y)",
        "maximum(x, y)",
        "minimum(x, y)",
        "pow(x, y)",
        "atan2(x, y)",
        "hypot(x, y)",
        "logaddexp(x, y)",
        "copysign(x, y - 1)",
        "fma(x, y, x)",
        "x + s",
        "s * x",
        "s / x",
        "x / s",
        "pow(x, s)",
        "pow(s, x)",
        "pow(s, s)",
        "fma(s, s, x)",
        "maximum(x, s)",
        "minimum(s, x)",
        "where(x < y, x * s, y)",
        "where(s < x, s, y * y)",
        "pow(x, 3)",
        "floor(x) + x * ceil(y)",
        "sign(x - y) * x",
        "round(x) * y + trunc(s) * x",
        "(x // y) * y"},
       0.3,
       2.3,
       {4}},
      {"x: f64[4], y: f64[4]",
       {"pow(x, 2)", "x % y", "fmod(x, y)", "abs(x)", "hypot(x, y)", "atan2(y, x)", "sinh(x) * tan(y)"},
       -1.4,
       -0.1},
      // composites
      {"x: f64[n, 3], y: f64[n, 3]",
       {"x - y", "square(x)", "rsqrt(x * x + 1)", "sigmoid(x)", "relu(x)", "silu(x)", "softplus(x)", "elu(x, alpha=0.7)", "gelu(x)",
        "gelu(x, approximate=\"tanh\")", "powi(x, 5)", "powi(y + 9, -3)", "clip(x, -0.5, 0.9)", "clip(x, y, 1)", "lerp(x, y, x * y)",
        "where((x > y) & (x < 1), x, y * x)", "cast(cast(x * y, f64), f64)"},
       -1.9,
       1.9,
       {2}},
      {"x: f64[n, 4], y: f64[n, 4]",
       {"mean(x)", "var(x * y, axes=[0])", "var(x, axes=[1], correction=1, keepdims=true)", "softmax(x)", "softmax(x * y, axis=0)",
        "log_softmax(x)", "logsumexp(x, axes=[1])", "logsumexp(x * y)"},
       -1.5,
       1.5,
       {3}},
      // reductions
      {"x: f64[n, 2, m], y: f64[n, 2, m]",
       {"sum(x)", "sum(x, axes=[1])", "sum(x * y, axes=[0, 2])", "sum(x * y, axes=[2], keepdims=true)", "prod(x)", "prod(x, axes=[0])",
        "prod(x * y, axes=[2, 1])", "max(x)", "max(x * y, axes=[1, 2])", "min(x, axes=[0])", "min(x, axes=[2, 0], keepdims=true)",
        "sum(permute(x, axes=[2, 0, 1]) * permute(y, axes=[2, 0, 1]), axes=[0])", "sum(x, axes=[0, 1], order=chain)",
        "prod(x, axes=[2, 1], order=lanes)"},
       -1.7,
       1.7,
       {2, 3}},
      // Complex numbers. They are made of real and imaginary parts, because only f64 inputs are differentiated.
      {"x: f64[n, 3], y: f64[n, 3]",
       {"real(complex_from_parts(x, y) * complex_from_parts(y, x))", "imag(exp(complex_from_parts(x, y)) / complex_from_parts(y, x))",
        "abs(complex_from_parts(x, y))", "angle(conj(complex_from_parts(x, y)))", "view_as_real(log(complex_from_parts(x, y)))",
        "real(sqrt(complex_from_parts(x, y)))", "imag(pow(complex_from_parts(x, y), complex_from_parts(y, x)))",
        "imag(tanh(complex_from_parts(x, y)))", "real(flip(transpose(complex_from_parts(x, y))))",
        "imag(sum(complex_from_parts(x, y) * complex_from_parts(x, x), axes=[1]))", "real(cumsum(complex_from_parts(x, y), axis=1))",
        "imag(matmul(complex_from_parts(x, y), transpose(complex_from_parts(y, x))))",
        "imag(where(x < y, complex_from_parts(x, y), complex128(1, 2)))"},
       0.3,
       1.4,
       {2}},
      {"x: f64[n, 3], y: f64[n, 3]",
       {"view_as_real(sqrt(complex_from_parts(x, y)))", "view_as_real(tan(complex_from_parts(x, y)))",
        "view_as_real(log(complex_from_parts(x * 1e-9, y * 1e-9)))", "view_as_real(tanh(complex_from_parts(x * 200, y)))",
        "view_as_real(rsqrt(complex_from_parts(x, y)))", "view_as_real(sqrt(complex_from_parts(x, x - x)))"},
       -1.4,
       -0.3,
       {2}},
      {"x: f64[2, 3], y: f64[2, 3]",
       {"real(prod(complex_from_parts(x, y)))", "imag(cumprod(complex_from_parts(x, y), axis=1))",
        "abs(cumprod(complex_from_parts(x, y), axis=0, reverse=true))"},
       0.3,
       1.4},
      // Scans. Their sizes have bounds, because every further level of blocks takes compile time.
      {"x: f64[n in 0..99, 3, m in 0..99], y: f64[n, 3, m]",
       {"cumsum(x, axis=1)", "cumsum(x * y, axis=2, reverse=true)", "cumsum(x, axis=0, exclusive=true)", "cumsum(x * x)",
        "cumsum(permute(x, axes=[2, 0, 1]), axis=0) * permute(y, axes=[2, 0, 1])", "cummax(x * y, axis=2)",
        "cummax(x, axis=0, reverse=true)", "cummin(x * y, axis=1)", "minimum(cummin(x, axis=2, exclusive=true, reverse=true), 9)",
        "logcumsumexp(x, axis=2)", "logcumsumexp(x * y, axis=0, reverse=true)", "maximum(logcumsumexp(x, axis=1, exclusive=true), -9)"},
       -1.7,
       1.7,
       {3, 4}},
      {"x: f64[n in 0..99, 3, m in 0..99], y: f64[n, 3, m]",
       {"cumprod(x, axis=2)", "cumprod(x * y, axis=0, reverse=true)", "cumprod(x, axis=1, exclusive=true)"},
       -1.7,
       1.7,
       {3, 4}},
      // A matrix product and its transposes, written as sums of products of expanded operands.
      {"a: f64[n, k], b: f64[k, m]",
       {"sum(expand(reshape(a, shape=[n, k, 1]), shape=[n, k, m]) * expand(reshape(b, shape=[1, k, m]), shape=[n, k, m]), axes=[1])"},
       -1,
       1,
       {2, 3, 4}},
      // movement
      {"x: f64[n, 3], unused: i32[k]",
       {"permute(x, axes=[1, 0]) + 0",
        "expand(reshape(x, shape=[n, 3, 1]), shape=[n, 3, k])",
        "reshape(x, shape=[3 * n])",
        "flip(x)",
        "slice(x, start=[1, none], stop=[none, -1])",
        "slice(x, start=[none, 2], stop=[none, none], step=[2, -2])",
        "slice(x, step=[-3, 1])",
        "slice(x, start=[n - 2, 0], size=[2, 2])",
        "slice(x, start=[-2, 1], stop=[0, 2], step=[-1, 1])",
        "slice(x, start=[3, 0], stop=[2, 3])",
        "pad(x, before=[1, 0], after=[k, 2], value=3)",
        "concat(x, x * x, axis=0)",
        "concat(x, reshape(x, shape=[n, 3]), sin(x), axis=1)",
        "contiguous(x * x)",
        "roll(x, shift=[1, -1], axis=[0, 1])",
        "tile(x, repeats=[2, 2])",
        "repeat(x, k, axis=1)",
        "stack([x, x * 2], axis=1)",
        "tril(x)",
        "triu(x, k=1)",
        "pad(x, before=[0, 2], after=[0, 1], mode=reflect)",
        "pad(x, before=[0, 1], after=[0, 2], mode=wrap)",
        "pad(x, before=[0, 1], after=[0, 2], mode=edge)",
        "pad(x, before=[0, 2], after=[0, 3], mode=symmetric)",
        "pad(x, before=[0, 7], after=[0, 9], mode=reflect)",
        "pad(x, before=[9, 7], after=[0, -1], mode=wrap)",
        "pad(x, before=[-1, 1], after=[2, -2], value=3)",
        "x[1:, none, ::2]",
        "x[-1] ** 2",
        "broadcast_to(x, shape=[k, n, 3])"},
       -2,
       2,
       {5, 2}},
      {"x: f64[n in 7..100, 9], w: f64[3, 2], unused: i32[k]",
       {"unfold(x, axes=[1], size=3)", "unfold(x, axes=[0], size=2, stride=2)", "unfold(x, axes=[0], size=k)",
        "unfold(x, axes=[1], size=3, stride=2, dilation=3)", "unfold(x, axes=[1], size=4, stride=3)",
        "unfold(x, axes=[0], size=2, stride=5)", "unfold(x, axes=[1], size=1, stride=4)", "unfold(x, axes=[0], size=3, dilation=2)",
        "unfold(x, axes=[0], size=k, stride=2)", "unfold2d(x, size=[3, 2], stride=[1, 2], padding=1) * 2",
        "unfold(x, axes=[1, 0], size=[2, 2], stride=[2, 1])",
        "sum(unfold2d(x, size=[3, 2], stride=[2, 1]) * broadcast_to(reshape(w, shape=[1, 1, 3, 2]), shape=[(n - 3) // 2 + 1, 8, 3, 2]), "
        "axes=[2, 3])",
        "max(unfold(x, axes=[1], size=2, stride=2), axes=[2])", "max_pool(x, [3, 2], stride=2, padding=1, ceil_mode=true)",
        "avg_pool(x, [3, 2], stride=2, dilation=2, ceil_mode=true)",
        "avg_pool(x, [2, 2], padding=[[-1, 1], [1, -2]], count_include_pad=false)",
        "max_unpool(x, reshape(arange(9 * n) % 7 * 3, shape=[n, 9]), [1, 2], output_size=[n, 9])"},
       -2,
       2,
       {7, 3}},
      // Gathers and scatters. The index inputs are 0, 1 or 2, and the expressions make some indices negative or out of range.
      {"x: f64[n, 3], u: f64[n, 4], i: i32[n, 4], j: i32[k]",
       {"take(x, j * 3 - 2, axis=1)",
        "take(x * x, j - 1)",
        "take(x, reshape(i, shape=[2, n, 2]), axis=0) * 2",
        "take_along_axis(x, i * 2 - 1, axis=1) * u",
        "take_along_axis(sin(u), expand(reshape(j, shape=[k, 1]), shape=[k, 4]), axis=0)",
        "scatter_add(x * x, i * 2 - 1, u * u, axis=1)",
        "scatter_add(u, expand(reshape(j, shape=[k, 1]), shape=[k, 4]), "
        "take(u * u, j, axis=0), axis=0)",
        "scatter(x * x, i * 2 - 1, u * u, axis=1)",
        "scatter(u * u, i - 1, sin(u), axis=0) * u",
        "scatter_mul(x, i * 2 - 1, u * u, axis=1)",
        "scatter_mul(where(broadcast_to(arange(3), shape=[n, 3]) == 1, 0, x), i, u * cast(i != 1, f64), axis=1)",
        "scatter_max(x * x, i * 2 - 1, u * sin(u), axis=1)",
        "scatter_min(x, i, sin(u), axis=1) * x",
        "scatter_reduce(x, i, u * u, axis=1, reduction=\"mean\", include_self=false)",
        "scatter_reduce(x, i, u, axis=1, reduction=\"prod\", include_self=false)",
        "scatter_nd(x, i[:, 1:3], u[:, 0] * 2, reduction=\"prod\")",
        "index_add(x * x, j - 4, sin(take(x, j, axis=1)), axis=1)",
        "imag(fft(x * x, n=4)) * u",
        "irfft(fft(u, axis=0), n=7)",
        "square(dft(u, sin(u)))",
        "abs(ifft(complex_from_parts(u, u * u), norm=\"ortho\"))",
        "sort(u * u, axis=0) * u",
        "sort(x, axis=1, descending=true) * x",
        "real(square(complex_from_parts(u, sin(u)))) + imag(complex_from_parts(u, u) * complex_from_parts(u, cos(u)))"},
       -2,
       2,
       {3, 5}},
      // Inputs of integers and bools, and integers and bools that are computed from x and cast back: none of them has a gradient.
      {"x: f64[n, 2], i: i32[n, 2], b: bool[n, 2]",
       {"x * cast(i, f64)", "where(b, x, x * x)", "where(i == 1, x, 0)", "x * cast(cast(x, i32), f64)", "x * cast(isfinite(x), f64)"},
       -3.3,
       3.3,
       {3}},
      {"x: f64[n, 3], y: f64[3], s: f64[n, 1]",
       {"x * y + s", "x / (s + 9) - y", "maximum(x, y)", "where(x < s, y, x)"},
       -2,
       2,
       {2},
       "flags=[broadcast] "},
  };
  return all;
}

}  // namespace harp::gradient_test
