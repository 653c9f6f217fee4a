// Tests the optimiser pass join_slices: which sources of a concat become one slice; that no bit of a result changes, for known and symbolic
// sizes, on every backend; and that the gradient of an unrolled recurrent network reads its inputs without a copy.
#include "opt/join_slices.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "grad/operation.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "opt/compose_views.h"
#include "opt/passes.h"
#include "support/backends_run.h"
#include "support/interp_run.h"

using namespace harp;
using namespace harp::testing;

namespace {

constexpr std::string_view kInputs = "graph g(x: f32[12, 4], y: f32[2, 4], z: f32[12, 4], k: f32[3, 5, 4], v: f32[7]) {\n  return r = ";
const std::vector<std::vector<int64_t>> kShapes = {{12, 4}, {2, 4}, {12, 4}, {3, 5, 4}, {7}};

std::vector<float> counted(int64_t count, float first) {
  std::vector<float> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// Returns the graph after join_slices. Applies compose_views first, as in the pipeline, so that consecutive views are already merged.
std::unique_ptr<Graph> joined(const Graph& graph) {
  std::unique_ptr<Graph> result = opt::join_slices(*opt::compose_views(graph));
  verify(*result);
  return result;
}

/// Applies the pass to an expression and checks that the results are unchanged. Returns the names of the operations from the output down to
/// an input or a concat, for example "reshape slice x", or "concat 3" with the number of the concat's sources.
std::string after(std::string_view expression) {
  const std::unique_ptr<Graph> graph = parse_graph(cat(kInputs, expression, "\n}"));
  const std::unique_ptr<Graph> result = joined(*graph);
  std::vector<Bytes> inputs;
  for (const std::vector<int64_t>& shape : kShapes) {
    const int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
    inputs.push_back(bytes_of(counted(count, 1000.0f * static_cast<float>(inputs.size()))));
  }
  CHECK(run(*graph, inputs) == run(*result, inputs));
  std::string text;
  const Node* node = result->outputs()[0].node;
  for (; node->op != Op::kInput && node->op != Op::kConcat; node = node->sources[0]) append(text, cat(name(node->op), " "));
  return text + (node->op == Op::kInput ? node->as<InputAttributes>().name : cat("concat ", node->sources.size()));
}

/// Returns the number of concats after the pass, after a check that the results are unchanged for each list of sizes.
size_t concats_after(const std::string& text, const std::vector<std::vector<int64_t>>& sizes) {
  const std::unique_ptr<Graph> graph = parse_graph(text);
  const std::unique_ptr<Graph> result = joined(*graph);
  for (const std::vector<int64_t>& values : sizes) {
    const std::vector<Sym> variables = graph->dims().variables();
    std::vector<Bytes> inputs;
    for (const Node* input : graph->inputs()) {
      int64_t count = 1;
      for (const Dim& size : input->shape)
        count *= evaluate(size, [&](const SymAtom& atom) {
          const auto at = std::ranges::find(variables, &atom, [](const Sym& variable) { return variable_of(variable); });
          return values[static_cast<size_t>(at - variables.begin())];
        });
      inputs.push_back(bytes_of(counted(count, 1000.0f * static_cast<float>(inputs.size()))));
    }
    CHECK(run(*graph, inputs, values) == run(*result, inputs, values));
  }
  size_t concats = 0;
  for (const Node* node : result->live_nodes()) concats += node->op == Op::kConcat;
  return concats;
}

}  // namespace

TEST_CASE("H2.joined_slices: slices that follow each other are one slice; of the whole array it is the array") {
  CHECK(after("concat(x[0:3], x[3:5], axis=0)") == "slice x");
  CHECK(after("concat(x[:3], x[3:], axis=0)") == "x");
  CHECK(after("concat(x[:3], x[3:4], x[4:9], x[9:], axis=0)") == "x");
  CHECK(after("concat(x[1:5, 1:3], x[5:7, 1:3], axis=0)") == "slice x");
  CHECK(after("concat(x[:, 0:1], x[:, 1:3], axis=1)") == "slice x");
  CHECK(after("concat(x[2:6, ::2], x[6:9, ::2], axis=0)") == "slice x");
  CHECK(after("concat(x[0:4:2], x[4:8:2], axis=0)") == "slice x");
  CHECK(after("concat(x[9:5:-1], x[5:1:-1], axis=0)") == "slice x");
  // Single elements at any distance can be joined to one slice, also with a slice whose step equals that distance.
  CHECK(after("concat(v[2:3], v[1:2], v[0:1], axis=0)") == "slice v");
  CHECK(after("concat(x[0:1], x[3:4], x[6:10:3], axis=0)") == "slice x");
  CHECK(after("concat(x[7:4:-1], x[4:5], axis=0)") == "slice x");
  // Consecutive slices are joined even if the concat has other sources, which stay as they are.
  CHECK(after("concat(y, x[:3], x[3:5], y, x[5:6], x[6:], axis=0)") == "concat 4");
  CHECK(after("concat(x[:3], x[3:5], y, axis=0)") == "concat 2");
  CHECK(after("concat(x[:3], x[3:6], z[6:9], z[9:], axis=0)") == "concat 2");
  // The inner concat becomes a slice, which is then joined with the other source of the outer concat.
  CHECK(after("concat(concat(x[:3], x[3:5], axis=0), x[5:], axis=0)") == "x");
}

TEST_CASE("H2.joined_slices: what does not follow stays") {
  CHECK(after("concat(x[0:3], x[4:6], axis=0)") == "concat 2");
  CHECK(after("concat(x[3:5], x[0:3], axis=0)") == "concat 2");
  CHECK(after("concat(x[0:3], x[2:5], axis=0)") == "concat 2");
  CHECK(after("concat(x[0:3], x[0:3], axis=0)") == "concat 2");
  CHECK(after("concat(x[0:3], z[3:6], axis=0)") == "concat 2");
  CHECK(after("concat(x[0:3, 0:2], x[3:6, 2:4], axis=0)") == "concat 2");
  CHECK(after("concat(x[0:3, 0:2], x[3:6, ::2], axis=0)") == "concat 2");
  CHECK(after("concat(x[0:2], x[2:4], axis=1)") == "concat 2");
  CHECK(after("concat(x[0:4:2], x[4:6], axis=0)") == "concat 2");
  CHECK(after("concat(v[1:2], v[0:1], v[1:2], axis=0)") == "concat 2");
  CHECK(after("concat(v[1:2], v[0:1], v[3:4], axis=0)") == "concat 2");
  CHECK(after("concat(x[0:3], x[3:6] + 1, axis=0)") == "concat 2");
}

TEST_CASE("H2.joined_slices: elements of an axis whose multiples do not fit 64 bits") {
  const std::unique_ptr<Graph> graph = parse_graph(
      "graph g(b: bool[1]) {\n  x = expand(b, shape=[6917529027641081856])\n"
      "  return r = concat(x[0:1], x[4611686018427387904:4611686018427387905], x[5:6], axis=0)\n}");
  const std::unique_ptr<Graph> result = joined(*graph);
  CHECK(result->outputs()[0].node->sources.size() == 2);
  CHECK(run(*graph, {bytes_of<uint8_t>({1})}) == run(*result, {bytes_of<uint8_t>({1})}));
}

TEST_CASE("H2.joined_slices: through reshapes, where the elements lie in the same order") {
  CHECK(after("stack(v[0], v[1], v[2])") == "slice v");
  CHECK(after("concat(k[0], k[1], axis=0)") == "reshape slice k");
  CHECK(after("concat(k[0], k[1], k[2], axis=0)") == "reshape k");
  CHECK(after("stack(k[0], k[1], k[2])") == "k");
  CHECK(after("concat(k[:, 0], k[:, 1], axis=1)") == "reshape slice k");
  CHECK(after("concat(reshape(k[0], shape=[20]), reshape(k[1], shape=[20]), axis=0)") == "reshape slice k");
  CHECK(after("concat(reshape(k, shape=[15, 4])[:5], reshape(k, shape=[15, 4])[5:], axis=0)") == "reshape k");
  CHECK(after("reshape(concat(reshape(x, shape=[3, 4, 4])[0], reshape(x, shape=[3, 4, 4])[1], axis=0), shape=[32])") ==
        "reshape reshape slice reshape x");
  CHECK(after("concat(reshape(x, shape=[3, 4, 4])[0], reshape(x, shape=[3, 4, 4])[1], reshape(x, shape=[3, 4, 4])[2], axis=0)") == "x");
  // The slices are in reverse order. In k, the rows of 4 elements stay together, so one slice with a negative step gives them. Sources that
  // a reshape has flattened to single elements are not joined, because finding their elements would need a division.
  CHECK(after("concat(k[2], k[1], k[0], axis=0)") == "reshape slice k");
  CHECK(after("concat(reshape(k[1], shape=[20]), reshape(k[0], shape=[20]), axis=0)") == "concat 2");
  CHECK(after("concat(reshape(k[0, :3], shape=[12]), reshape(k[1, :3], shape=[12]), axis=0)") == "concat 2");
  // These sources are not joined, because a slice would give the elements in another order.
  CHECK(after("concat(k[:, 0], k[:, 1], axis=0)") == "concat 2");
  CHECK(after("stack(k[0], k[1], axis=1)") == "concat 2");
}

TEST_CASE("H2.joined_slices: symbolic sizes, where algebra shows that slices follow each other") {
  const std::vector<std::vector<int64_t>> sizes = {{0}, {1}, {2}, {5}};
  const auto of_halves = [&](const std::string& body) { return concats_after("graph g(x: f32[2*n, 3]) {\n" + body + "\n}", sizes); };
  CHECK(of_halves("  return r = concat(x[:n], x[n:], axis=0)") == 0);
  CHECK(of_halves("  a, b = split(x, sections=2)\n  return r = concat(a, b, axis=0)") == 0);
  CHECK(of_halves("  a, b = split(x, sections=2)\n  return r = concat(b, a, axis=0)") == 1);
  CHECK(of_halves("  a, b = split(reshape(x, shape=[2, n, 3]), sections=2)\n"
                  "  return r = concat(reshape(b, shape=[n, 3]), reshape(a, shape=[n, 3]), axis=0)") == 0);
  CHECK(concats_after("graph g(x: f32[n in 1..99]) {\n  return r = concat(x[:1], x[1:], axis=0)\n}", {{1}, {2}, {9}}) == 0);
  // These slices are not joined, because x[:3] may have fewer than 3 elements.
  CHECK(concats_after("graph g(x: f32[n]) {\n  return r = concat(x[:3], x[3:], axis=0)\n}", {{0}, {2}, {3}, {9}}) == 1);
}

TEST_CASE("H2.joined_slices: the product of a sum stays its own, and views of it are joined") {
  const std::unique_ptr<Graph> graph = parse_graph(
      "graph g(x: f32[6, 5], w: f32[6, 5]) {\n  m = x * w\n  s = sum(m, axes=[1], order=chain, product=true)\n"
      "  return s = s, r = concat(m[:2], m[2:], axis=0)\n}");
  const std::unique_ptr<Graph> result = joined(*graph);
  const Node *sum = result->outputs()[0].node, *whole = result->outputs()[1].node;
  CHECK(sum->as<ReduceAttributes>().product);
  CHECK(sum->sources[0]->op == Op::kMul);
  CHECK(whole->op == Op::kMul);
  const std::vector<Bytes> inputs = {bytes_of(counted(30, 0.1f)), bytes_of(counted(30, -7.3f))};
  CHECK(run(*graph, inputs) == run(*result, inputs));
}

TEST_CASE("H2.joined_slices X2: every backend, for sizes that one program has and for known ones") {
  using capi_test::rough;
  const capi_test::Backends backends;
  const auto text = [](const std::string& steps, const std::string& batch) {
    return "graph g(x: f32[" + steps + ", " + batch + ", 6], w: f32[" + batch + ", 6]) {\n" +
           "  back = concat(x[2], x[1], x[0], axis=0)\n  forth = concat(x[0], x[1], x[2], w, axis=0)\n"
           "  return p = back @ transpose(w), q = exp(back), f = sum(forth, axes=[0]), s = stack(x[0], x[1], x[2], axis=0)\n}";
  };
  backends.run(text("3", "5"), rough({3, 5, 6}, 1), rough({5, 6}, 2));
  backends.run(text("3", "n"), rough({3, 7, 6}, 3), rough({7, 6}, 4));
  backends.run(text("4", "n"), rough({4, 1, 6}, 5), rough({1, 6}, 6));
}

TEST_CASE("H2.joined_slices G19.shared_weights/interp: the gradient of an unrolled network reads its inputs where they are") {
  for (const char* batch : {"4", "n"}) {
    std::string text = cat("graph rnn(x: f32[5, ", batch, ", 6], w: f32[6, 7], u: f32[7, 7]) {\n  h0 = full(shape=[", batch,
                           ", 7], value=0, dtype=f32)\n");
    for (int t = 0; t < 5; ++t) text += cat("  h", t + 1, " = tanh(x[", t, "] @ w + h", t, " @ u)\n");
    text += "  dw, du = grad(sum(h5), [w, u])\n  return dw, du\n}";
    const std::shared_ptr<Graph> graph = opt::optimise(parse_graph(text, grad::text_operations()), {});
    size_t concats = 0;
    for (const Node* node : graph->live_nodes()) {
      CHECK_FALSE(opt::may_join_slices(*node));
      concats += node->op == Op::kConcat;
    }
    CHECK(concats == 2);  // one concat joins the states, the other one the gradients with respect to the arguments of tanh
  }
}
