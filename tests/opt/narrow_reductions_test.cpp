// Tests the optimiser pass narrow_reductions: which reductions compute only what a slice takes; that no bit of a result changes, for known
// and symbolic sizes, on every backend; and that a product of which a part is taken reads that part of its factors.
#include "opt/narrow_reductions.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "graph/composites.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "opt/compose_views.h"
#include "support/backends_run.h"
#include "support/interp_run.h"

using namespace harp;
using namespace harp::testing;

namespace {

constexpr std::string_view kInputs = "graph g(x: f32[6, 5, 4], y: f32[6, 8], z: f32[8, 7]) flags=[broadcast] {\n";
const std::vector<size_t> kCounts = {120, 48, 56};

std::vector<float> rough(size_t count, float first) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = std::sin(first + 1.7f * static_cast<float>(i)) * 10.0f;
  return values;
}

std::unique_ptr<Graph> narrowed(const Graph& graph) {
  std::unique_ptr<Graph> result = opt::compose_views(*opt::narrow_reductions(graph));
  verify(*result);
  return result;
}

/// Applies the pass to a graph and checks that the results are unchanged. Returns the number of elements that its reductions compute.
int64_t reduced_elements(const std::string& body) {
  const std::unique_ptr<Graph> graph = parse_graph(cat(kInputs, body, "\n}"));
  const std::unique_ptr<Graph> result = narrowed(*graph);
  std::vector<Bytes> inputs;
  for (const size_t count : kCounts) inputs.push_back(bytes_of(rough(count, static_cast<float>(inputs.size()))));
  CHECK(run(*graph, inputs) == run(*result, inputs));
  int64_t elements = 0;
  for (const Node* node : result->live_nodes())
    if (is_reduce(node->op)) elements += element_count(node->shape).constant();
  return elements;
}

}  // namespace

TEST_CASE("H2.narrow_reductions: a reduction computes the elements that a slice takes") {
  CHECK(reduced_elements("  return r = sum(x, axes=[1])[:2]") == 2 * 4);
  CHECK(reduced_elements("  return r = max(x, axes=[2])[1:5:2, 3:]") == 2 * 2);
  CHECK(reduced_elements("  return r = argmax(x, axis=0)[4]") == 4);
  CHECK(reduced_elements("  return r = prod(x, axes=[0, 2])[2:4]") == 2);
  CHECK(reduced_elements("  return r = transpose(sum(x, axes=[2]))[1:, :3]") == 3 * 4);
  CHECK(reduced_elements("  return r = reshape(sum(x, axes=[1]), shape=[6, 2, 2])[5:]") == 1 * 4);
  CHECK(reduced_elements("  return r = sum(exp(x) + 1, axes=[1])[:, 1:3]") == 6 * 2);
  CHECK(reduced_elements("  return r = sum(x, axes=[1])[2:2]") == 0);
  // A sum of a sum: both compute less.
  CHECK(reduced_elements("  return r = sum(sum(x, axes=[2], order=chain), axes=[0], order=chain)[1:3]") == 2 + 6 * 2);
}

TEST_CASE("H2.narrow_reductions: products stay products, of parts of their factors") {
  const auto factors = [](const std::string& expression) {
    const std::unique_ptr<Graph> graph = parse_graph(cat(kInputs, "  return r = ", expression, "\n}"));
    const std::unique_ptr<Graph> result = narrowed(*graph);
    const Node* sum = result->outputs()[0].node;
    REQUIRE(sum->op == Op::kSum);
    REQUIRE(sum->as<ReduceAttributes>().product);
    REQUIRE(sum->sources[0]->op == Op::kMul);
    std::string text;
    for (const Node* factor : sum->sources[0]->sources) {
      for (; factor->op != Op::kInput; factor = factor->sources[0]) append(text, cat(name(factor->op), " ", to_string(factor->shape), " "));
      append(text, cat(factor->as<InputAttributes>().name, "; "));
    }
    return text;
  };
  CHECK(reduced_elements("  return r = (y @ z)[1:3, 2:5]") == 2 * 3);
  CHECK(factors("(y @ z)[1:3, 2:5]") ==
        "expand [2, 8, 3] reshape [2, 8, 1] slice [2, 8] y; expand [2, 8, 3] reshape [1, 8, 3] slice [8, 3] z; ");
  CHECK(factors("(y @ z)[:, 2:5]") == "expand [6, 8, 3] reshape [6, 8, 1] y; expand [6, 8, 3] reshape [1, 8, 3] slice [8, 3] z; ");
}

TEST_CASE("H2.narrow_reductions: windows and their padding") {
  CHECK(reduced_elements("  return r = sum(unfold(y, axes=[1], size=[3], stride=[2]), axes=[2])[:, 1:]") == 6 * 2);
  CHECK(reduced_elements("  return r = max(unfold(pad(y, before=[0, 2], after=[0, 2]), axes=[1], size=[3]), axes=[2])[2:4, 1:9]") == 2 * 8);
  CHECK(reduced_elements("  return r = max(unfold(pad(y, before=[0, 2], after=[0, 2]), axes=[1], size=[3]), axes=[2])[:, 4:6]") == 6 * 2);
  CHECK(reduced_elements("  return r = conv1d(x, full(shape=[3, 5, 2], value=2, dtype=f32), padding=1)[:, 1:, 1:4]") == 6 * 2 * 3);
}

TEST_CASE("H2.narrow_reductions: what stays") {
  // Another user needs all elements, of the reduction or of its source.
  CHECK(reduced_elements("  s = sum(x, axes=[1])\n  return r = s[:2], t = s") == 6 * 4);
  CHECK(reduced_elements("  s = sum(x, axes=[1])\n  return r = s[:2], t = s[2:]") == 6 * 4);
  CHECK(reduced_elements("  e = exp(x)\n  return r = sum(e, axes=[1])[:2], t = e") == 6 * 4);
  // The inner product is used twice, so that only the outer ones compute less.
  CHECK(reduced_elements("  h = y @ z\n  return r = (transpose(y) @ h)[1:3], t = (h @ z[:7])[2:4]") == 6 * 7 + 2 * 7 + 2 * 7);
  CHECK(reduced_elements("  h = y @ z\n  return r = (h @ transpose(h))[1:, :2]") == 6 * 7 + 5 * 2);
  // Elements of the slice are not rows of the reduction.
  CHECK(reduced_elements("  return r = reshape(sum(x, axes=[1]), shape=[24])[:5]") == 6 * 4);
  // All elements, in another order.
  CHECK(reduced_elements("  return r = flip(sum(x, axes=[1]), axes=[0])") == 6 * 4);
}

TEST_CASE("H2.narrow_reductions: a chain of many views is not followed by recursion") {
  Graph graph;
  const Node* node = build::sum(graph.add_input("x", DType::kF32, {2, 3, 4}), std::vector<int>{0}, false);
  for (int i = 0; i < 50'000; ++i) {
    node = build::reshape(build::permute(node, std::vector<int>{1, 0}), Shape{4, 1, 3});
    node = build::reshape(build::permute(node, std::vector<int>{2, 1, 0}), Shape{3, 4});
  }
  const std::vector<Dim> start = {1, 0}, size = {2, node->shape[1]};
  graph.add_output("r", build::slice_exactly(node, start, size, std::vector<int64_t>{1, 1}));
  CHECK(opt::narrow_reductions(graph)->outputs()[0].node->shape == size);
}

TEST_CASE("H2.narrow_reductions: products of products of products, each used twice") {
  std::string text = "graph g(x: f32[4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]) {\n  t0 = x\n";
  for (int i = 0; i < 12; ++i) {
    std::string axis = std::to_string(13 - i), next = std::to_string(i + 1), last = std::to_string(i);
    text.append("  t").append(next).append(" = sum(t").append(last).append(" * t").append(last);
    text.append(", axes=[").append(axis).append("], order=chain, product=true)\n");
  }
  const std::unique_ptr<Graph> graph = parse_graph(text + "  return y = t12[0:1]\n}");
  CHECK(opt::narrow_reductions(*graph)->nodes().size() < 3 * graph->nodes().size());
}

TEST_CASE("H2.narrow_reductions: axes of size 1 of which a slice may take nothing") {
  const auto graph = parse_graph(
      "graph g(x: f32[3, 1], k: f32[k in 0..1], j: f32[j in 0..1]) {\n  r = reshape(sum(x, axes=[0]), shape=[1, 1, 1])\n"
      "  return y = slice(r, start=[0, 0, 0], size=[k, j, 1])\n}");
  const auto result = narrowed(*graph);
  for (const auto& [k, j] : std::vector<std::array<int64_t, 2>>{{0, 1}, {1, 0}, {1, 1}}) {
    const std::vector<Bytes> inputs = {bytes_of(rough(3, 1)), bytes_of(rough(static_cast<size_t>(k), 2)),
                                       bytes_of(rough(static_cast<size_t>(j), 3))};
    CHECK(run(*graph, inputs, {k, j}) == run(*result, inputs, {k, j}));
  }
}

TEST_CASE("H2.narrow_reductions: symbolic sizes") {
  const auto graph = parse_graph(
      "graph g(x: f32[n, m, 4], y: f32[n, m], k: f32[k in 1..9]) {\n  s = sum(x, axes=[1])\n  return r = s[:k, 1:], t = max(sin(y), "
      "axes=[0])[m // 2:]\n}");
  const auto result = narrowed(*graph);
  for (const GraphOutput& output : result->outputs()) CHECK(is_reduce(output.node->op));
  for (const auto& [n, m, k] : std::vector<std::array<int64_t, 3>>{{5, 3, 2}, {2, 4, 9}, {0, 2, 3}, {3, 0, 1}}) {
    const std::vector<Bytes> inputs = {bytes_of(rough(static_cast<size_t>(n * m * 4), 1)), bytes_of(rough(static_cast<size_t>(n * m), 3)),
                                       bytes_of(rough(static_cast<size_t>(k), 2))};
    CHECK(run(*graph, inputs, {n, m, k}) == run(*result, inputs, {n, m, k}));
  }
}

TEST_CASE("H2.narrow_reductions X2: every backend") {
  const capi_test::Backends backends;
  backends.run("graph g(x: f32[40, 30], y: f32[30, 50]) {\n  return r = (x @ y)[3:20, ::2], s = sum(x, axes=[1])[5:]\n}",
               capi_test::rough({40, 30}, 1), capi_test::rough({30, 50}, 2));
  backends.run("graph g(x: f32[n, 30], y: f32[30, 50]) {\n  return r = (x @ y)[3:, 1:], s = max(x, axes=[0])[5:7]\n}",
               capi_test::rough({9, 30}, 1), capi_test::rough({30, 50}, 2));
}
