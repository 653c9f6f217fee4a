// Tests gradients of arrays that are used several times: which nodes are built (docs/semantics.md, "Gradients"), what they compute, and how
// much memory the gradient of an unrolled recurrent network takes.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "grad/operation.h"
#include "grad/outer_products.h"
#include "graph/text.h"
#include "opt/passes.h"
#include "support/capi_support.h"
#include "support/interp_run.h"
#include "support/scheduled.h"

using namespace harp;
using namespace harp::testing;

namespace {

std::unique_ptr<Graph> parse(const std::string& text) { return parse_graph(text, grad::text_operations()); }

/// Returns the number of outer products in the graph that have a consumer other than a sum of products. Such outer products would be added
/// to each other element by element.
int added_outer_products(const Graph& graph) {
  std::set<const Node*> added;
  for (const Node* node : graph.live_nodes())
    for (const Node* source : node->sources)
      if (grad::is_outer_product(source) && !(node->op == Op::kSum && node->as<ReduceAttributes>().product)) added.insert(source);
  return static_cast<int>(added.size());
}

/// Returns a text for each concat of the graph: the number of its sources and the shape of each source.
std::vector<std::string> joins(const Graph& graph) {
  std::vector<std::string> found;
  for (const Node* node : graph.live_nodes())
    if (node->op == Op::kConcat) found.push_back(cat(node->sources.size(), " to ", to_string(node->shape)));
  std::ranges::sort(found);
  return found;
}

std::vector<double> numbers(size_t count, double step) {
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) values.push_back(std::sin(1 + step * static_cast<double>(i)));
  return values;
}

/// Returns the text of an unrolled recurrent network, in which one cell is used `steps` times.
std::string rnn(int steps, const std::string& batch) {
  std::string text =
      cat("graph rnn(x: f32[", steps, ", ", batch, ", 24], w: f32[24, 32], u: f32[32, 32], b: f32[32]) flags=[broadcast] {\n",
          "  h0 = full(shape=[", batch, ", 32], value=0, dtype=f32)\n");
  for (int t = 0; t < steps; ++t) text += cat("  h", t + 1, " = tanh(x[", t, "] @ w + h", t, " @ u + b)\n");
  return text + cat("  dw, du, db = grad(sum(h", steps, "), [w, u, b])\n  return dw, du, db\n}");
}
std::string lstm(int steps, int batch, int hidden) {
  std::string text = cat("graph lstm(x: f32[", steps, ", ", batch, ", ", hidden, "], w: f32[", 4 * hidden, ", ", hidden, "], u: f32[",
                         4 * hidden, ", ", hidden, "]) {\n  h0 = full(shape=[", batch, ", ", hidden, "], value=0, dtype=f32)\n  c0 = h0\n",
                         "  wt = transpose(w)\n  ut = transpose(u)\n");
  for (int t = 0; t < steps; ++t)
    text += cat("  i", t, ", f", t, ", g", t, ", o", t, " = split(x[", t, "] @ wt + h", t, " @ ut, sections=4, axis=1)\n  c", t + 1,
                " = sigmoid(f", t, ") * c", t, " + sigmoid(i", t, ") * tanh(g", t, ")\n  h", t + 1, " = sigmoid(o", t, ") * tanh(c", t + 1,
                ")\n");
  return text + cat("  dw, du = grad(sum(h", steps, "), [w, u])\n  return dw, du\n}");
}

}  // namespace

TEST_CASE("G19.shared_weights/interp: at an expand, along the first axis that it stretches") {
  const auto graph = parse(
      "graph g(x: f64[n, 3], y: f64[n, 3], w: f64[3, 4], a: f64[n, 4]) {\n  v = exp(w)\n"
      "  return d = grad(sum((x @ v + y @ v) * a), w)\n}");
  CHECK(added_outer_products(*graph) == 0);
  CHECK(joins(*graph) == std::vector<std::string>{"2 to [2*n, 1, 4]", "2 to [2*n, 3, 1]"});

  // The operands are batches of matrices. Two axes are expanded; the products are joined along the first one.
  const auto batches = parse(
      "graph g(x: f64[2, n, 3], y: f64[2, n, 3], w: f64[3, 4], a: f64[2, n, 4]) {\n"
      "  return d = grad(sum((x @ exp(w) + y @ exp(w)) * a), w)\n}");
  CHECK(added_outer_products(*batches) == 0);
  CHECK(joins(*batches) == std::vector<std::string>{"2 to [4, n, 1, 4]", "2 to [4, n, 3, 1]"});
  for (const Node* node : batches->live_nodes())
    if (node->op == Op::kSum && node->sources[0]->op == Op::kMul && node->sources[0]->sources[0]->op == Op::kExpand &&
        node->sources[0]->sources[0]->sources[0]->op == Op::kConcat) {
      CHECK(node->as<ReduceAttributes>().axes == std::vector<int>{0, 1});
      CHECK(node->as<ReduceAttributes>().order == ReduceOrder::kChain);
      CHECK(node->as<ReduceAttributes>().product);
    }
}

TEST_CASE("G19.shared_weights/interp: at any other node along a new axis; an x and a single use are left alone") {
  // A product of a matrix and a vector expands only the vector.
  const std::string inputs = "graph g(m: f64[n, 3], x: f64[3], y: f64[3], a: f64[n]) {\n";
  const auto other = parse(inputs + "  e = exp(m)\n  return d = grad(sum((e @ x + e @ y) * a), m)\n}");
  CHECK(added_outer_products(*other) == 0);
  CHECK(joins(*other) == std::vector<std::string>{"2 to [2, 1, 3]", "2 to [2, n, 1]"});

  const auto x_itself = parse(inputs + "  return d = grad(sum((m @ x + m @ y) * a), m)\n}");
  CHECK(joins(*x_itself).empty());
  const auto once = parse(inputs + "  e = exp(m)\n  return d = grad(sum((e @ x + sum(e, axes=[1])) * a), m)\n}");
  CHECK(joins(*once).empty());

  const auto expand_itself = parse(
      "graph g(x: f64[n, 3], y: f64[n, 3], w: f64[3, 4], a: f64[n, 4]) {\n  e = expand(reshape(w, shape=[1, 3, 4]), shape=[n, 3, 4])\n"
      "  return d = grad(sum((x @ w + y @ w) * a), e)\n}");
  CHECK(joins(*expand_itself).empty());
  CHECK(added_outer_products(*expand_itself) == 2);

  // An array of the highest rank (16) cannot get another axis.
  const std::string ones = "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ";
  const auto high = [&](int rank) {  // expand() repeats the single row of x, and that of y, along the axis before the last
    const std::string skipped = ones.substr(0, 3 * static_cast<size_t>(rank - 2));
    return parse(cat("graph g(m: f64[", skipped, "5, 3], x: f64[", skipped, "1, 3], y: f64[", skipped, "1, 3]) {\n  e = exp(m)\n",
                     "  p = sum(e * expand(x, shape=[", skipped, "5, 3]), axes=[", rank - 1, "])\n", "  q = sum(e * expand(y, shape=[",
                     skipped, "5, 3]), axes=[", rank - 1, "])\n", "  return d = grad(p + q, m, grad_output=2)\n}"));
  };
  CHECK(joins(*high(15)).size() == 2);
  CHECK(added_outer_products(*high(15)) == 0);
  CHECK(joins(*high(16)).empty());
}

TEST_CASE("G19.shared_weights/interp G19.shared_weights/c: factors in any layout, mixed with other contributions, against each use alone") {
  const std::string inputs = "x: f64[5, 3], y: f64[5, 3], w: f64[3, 4], s: f64[4, 3], a: f64[5, 4]";
  const std::string bodies[] = {
      "sum((x @ V0 + y @ V1 + (x * y) @ V2) * a)",
      "sum((x @ V0 + y @ V1) * a) + sum(V2 * V3)",
      "sum(tanh(transpose(transpose(V0) @ transpose(x))) * tanh(y @ V1))",
      "sum(tanh(x @ V0 @ s @ V1 + y @ V2) * a)",
      "sum(einsum(x, V0, spec=\"ij,jk->ki\") * einsum(y, V1, spec=\"ij,jk->ki\"))",
      "sum((x @ V0) * a) + sum(V1 @ transpose(x @ V2))",
      "sum((reshape(x, shape=[5, 1, 3]) @ V0) * reshape(a, shape=[5, 1, 4])) + sum((reshape(y, shape=[5, 1, 3]) @ V1) ** 2)",
      "sum(exp(V0)) + sum(V1 @ a[0]) + sum(V2 @ a[1])",
  };
  const std::vector<Bytes> values = {bytes_of(numbers(15, 0.7)), bytes_of(numbers(15, 1.3)), bytes_of(numbers(12, 0.3)),
                                     bytes_of(numbers(12, 2.1)), bytes_of(numbers(20, 0.9))};
  for (const std::string& body : bodies) {
    CAPTURE(body);
    std::string shared = body, total, declared;
    for (int i = 0; i < 4; ++i) {
      const std::string name = cat("V", i);
      const bool is_used = body.find(name) != body.npos;
      for (size_t at; (at = shared.find(name)) != shared.npos;) shared.replace(at, 2, "v");
      if (!is_used) continue;
      declared += cat("  V", i, " = w * ", 2 << i, " / ", 2 << i, "\n");  // these are different nodes with the same value
      total += cat(total.empty() ? "" : " + ", "grad(out, V", i, ")");
    }
    const auto one =
        parse(cat("graph g(", inputs, ") flags=[broadcast] {\n  v = w * 2 / 2\n  out = ", shared, "\n  return d = grad(out, w)\n}"));
    const auto each =
        parse(cat("graph g(", inputs, ") flags=[broadcast] {\n", declared, "  out = ", body, "\n  return d = ", total, "\n}"));
    const auto got = values_of<double>(run(*one, values)[0]), expected = values_of<double>(run(*each, values)[0]);
    REQUIRE(got.size() == 12);
    for (size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(expected[i]).epsilon(1e-12));
    CHECK(added_outer_products(*one) == 0);
  }
}

TEST_CASE("G19.shared_weights/c: an unrolled network stores no outer product") {
  const capi_test::Context context = capi_test::make_context();
  const auto workspace = [&](const std::string& text) {
    const capi_test::Graph graph = capi_test::parse(context.get(), text);
    const char* flags[] = {"-O0"};
    const capi_test::Program program =
        capi_test::compile(graph.get(), "c", [&](harp_compile_options& options) { options.n_flags = 1, options.flags = flags; });
    size_t bytes = 0;
    CHECK(harp_program_workspace_size(program.get(), 0, nullptr, 1, &bytes, nullptr) == HARP_OK);
    return bytes;
  };
  // Each further step stores arrays of the shape [batch, hidden], but none of [batch, hidden, hidden] or [inputs, hidden].
  const size_t rnn_step = (workspace(rnn(7, "8")) - workspace(rnn(3, "8"))) / 4;
  CHECK(rnn_step <= 8 * 32 * sizeof(float) * 6);
  const size_t lstm_step = (workspace(lstm(6, 4, 16)) - workspace(lstm(3, 4, 16))) / 3;
  CHECK(lstm_step <= 4 * 16 * sizeof(float) * 24);
}

TEST_CASE("G19.shared_weights/c: 100 steps of an LSTM of 64 x 512 train in 150 MB of workspace") {
  const std::shared_ptr<Graph> graph = opt::optimise(parse(lstm(100, 64, 512)), {});
  const Program program = schedule_graph(graph, {row(schedule_test::kRow), 0, {}});
  REQUIRE(program.workspace_bytes.is_constant());
  CHECK(program.workspace_bytes.constant() <= 150'000'000);
}
