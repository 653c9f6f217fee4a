// Tests the optimiser pass join_products: which products of slices are joined, and that no bit of a result changes, for known and symbolic
// sizes, on every backend.
#include "opt/join_products.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "graph/text.h"
#include "graph/verify.h"
#include "opt/compose_views.h"
#include "support/backends_run.h"
#include "support/interp_run.h"

using namespace harp;
using namespace harp::testing;
using capi_test::rough;

namespace {

constexpr std::string_view kInputs =
    "graph g(x: f32[5, 3, 7], w: f32[7, 9], v: f32[9, 7], p: f32[3, 5, 7], u: f32[3, 7, 9], many: f32[5, 16, 7], s: f32[3, 3])"
    " flags=[broadcast] {\n";

/// Applies the pass to a graph with these statements, and checks on every backend that the results are unchanged. Returns the number of
/// sums after the pass.
size_t sums_after(std::string_view statements) {
  const std::string text = cat(kInputs, statements, "\n}");
  capi_test::Backends().run(text, rough({5, 3, 7}, 1), rough({7, 9}, 2), rough({9, 7}, 3), rough({3, 5, 7}, 4), rough({3, 7, 9}, 5),
                            rough({5, 16, 7}, 6), rough({3, 3}, 7));
  const std::unique_ptr<Graph> graph = parse_graph(text);
  const std::unique_ptr<Graph> result = opt::compose_views(*opt::join_products(*graph));
  verify(*result);
  std::vector<Bytes> inputs;
  for (const Node* input : graph->inputs()) {
    std::vector<int64_t> shape;
    for (const Dim& size : input->shape) shape.push_back(size.constant());
    inputs.push_back(bytes_of(rough(shape, static_cast<uint32_t>(inputs.size()) + 1).items));
  }
  CHECK(run(*graph, inputs) == run(*result, inputs));
  size_t sums = 0;
  for (const Node* node : result->live_nodes()) sums += node->op == Op::kSum;
  return sums;
}

}  // namespace

TEST_CASE("H2.join_products: products of slices that follow each other are one product") {
  CHECK(sums_after("return a = x[0] @ w, b = x[1] @ w") == 1);
  CHECK(sums_after("return a = x[4] @ w, b = x[2] @ w, c = exp(x[3] @ w)") == 1);
  CHECK(sums_after("return a = x[0] @ w + x[1] @ w, b = x[2] @ w, c = x[3] @ w, d = x[4] @ w") == 1);
  CHECK(sums_after("t = transpose(v)\n  return a = x[0] @ t, b = x[1] @ t") == 1);
  // the slice is the right factor
  CHECK(sums_after("return a = v @ transpose(x[0]), b = v @ transpose(x[1])") == 1);
  // slices along another axis than the first one
  CHECK(sums_after("return a = p[:, 0] @ w, c = p[:, 1] @ w, d = p[:, 2] @ w") == 1);
  CHECK(sums_after("return a = x[:, :, 0] @ s, d = x[:, :, 1] @ s") == 1);
  // batches
  CHECK(sums_after("return a = x[0:1] @ u, d = x[1:2] @ u, e = x[2:3] @ u") == 1);
  // an axis with one element is kept
  CHECK(sums_after("return a = x[0:1] @ w, d = x[1:2] @ w") == 1);
}

TEST_CASE("H2.join_products: others stay") {
  CHECK(sums_after("return a = x[0] @ w, b = x[2] @ w") == 2);
  CHECK(sums_after("return a = x[0] @ w, b = x[1] @ transpose(v)") == 2);
  CHECK(sums_after("return a = x[0, :2] @ w, b = x[1, 1:] @ w") == 2);
  CHECK(sums_after("return a = x[0, :, ::2] @ w[:4], b = x[1, :, :4] @ w[:4]") == 2);
  CHECK(sums_after("return a = x[0] @ w, b = p[1] @ w") == 2);
  CHECK(sums_after("return a = x[0] @ w, b = x[1] @ (w * 2)") == 2);
  CHECK(sums_after("return a = x[0, 0] @ w, b = x[1, 1] @ w") == 2);
  // a view between slice and product has as many axes as an array may have
  const auto product = [](std::string_view slice) {
    return cat("sum(reshape(permute(reshape(", slice, ", [1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 7]), ",
               "[1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]), [3, 7, 1]) * w, axes=[1], order=chain, product=true)");
  };
  CHECK(sums_after(cat("return a = ", product("x[0:1]"), ", b = ", product("x[1:2]"))) == 2);
  // one step takes longer than reading the other factor
  CHECK(sums_after("return a = many[0] @ w, b = many[1] @ w") == 2);
}

TEST_CASE("H2.join_products: steps of a recurrent network with symbolic sizes") {
  const capi_test::Backends backends;
  std::string text = "graph g(x: f32[t, n, 7], w: f32[7, 9], h: f32[n, 9], u: f32[9, 9]) flags=[broadcast] {\n  h0 = h\n";
  for (int i = 0; i < 4; ++i) text += cat("  h", i + 1, " = tanh(x[", i, "] @ w + h", i, " @ u)\n");
  text += "  return y = h4, d = grad(sum(h4), w)\n}";
  for (const int64_t n : {1, 2, 17})
    for (const int64_t t : {4, 6}) backends.run(text, rough({t, n, 7}, 1), rough({7, 9}, 2), rough({n, 9}, 3), rough({9, 9}, 4));
}
