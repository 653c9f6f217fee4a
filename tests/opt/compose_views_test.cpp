// Tests how the optimiser pass compose_views treats windows of one element: they become slices, so that a convolution with a 1 x 1 kernel
// is scheduled as a plain matrix product. No bit of a result may change, for any stride, padding and groups, for known and symbolic sizes,
// on every backend.
#include "opt/compose_views.h"

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "graph/text.h"
#include "graph/verify.h"
#include "opt/passes.h"
#include "support/backends_run.h"
#include "support/interp_run.h"

using namespace harp;
using namespace harp::testing;

namespace {

/// Applies the pass to an expression of x: f32[3, 7, 10]. Returns the names of the operations from the output down to the input, after a
/// check that the results are unchanged.
std::string after(std::string_view expression) {
  std::vector<float> values(210);
  std::iota(values.begin(), values.end(), 1.0f);
  const std::unique_ptr<Graph> graph = parse_graph(cat("graph g(x: f32[3, 7, 10]) {\n  return r = ", expression, "\n}"));
  const std::unique_ptr<Graph> result = opt::compose_views(*graph);
  verify(*result);
  CHECK(run(*graph, {bytes_of(values)}) == run(*result, {bytes_of(values)}));
  std::string text;
  for (const Node* node = result->outputs()[0].node; node->op != Op::kInput; node = node->sources[0])
    append(text, cat(text.empty() ? "" : " ", name(node->op)));
  return text;
}

size_t count(const Graph& graph, Op op) {
  size_t found = 0;
  for (const Node* node : graph.live_nodes()) found += node->op == op;
  return found;
}

}  // namespace

TEST_CASE("H2.windows_of_one: they are a slice, whatever the stride and dilation") {
  CHECK(after("unfold(x, axes=[1], size=1)") == "reshape");
  CHECK(after("unfold(x, axes=[1], size=1, dilation=5)") == "reshape");
  CHECK(after("unfold(x, axes=[1], size=1, stride=3)") == "reshape slice");
  CHECK(after("unfold(x, axes=[1], size=1, stride=100)") == "reshape slice");
  CHECK(after("unfold(x, axes=[1, 2], size=1)") == "reshape");
  CHECK(after("unfold(x, axes=[1, 2], size=1, stride=[2, 3])") == "reshape slice");
  CHECK(after("unfold(x[:, 1:], axes=[1], size=1, stride=2)") == "reshape slice");
  CHECK(after("unfold(x, axes=[0, 1, 2], size=1, stride=2)") == "reshape slice");
  // If windows have more than one element, their axes of size 1 are removed, and a reshape of the unfold's result inserts these axes again.
  CHECK(after("unfold(x, axes=[1], size=2)") == "unfold");
  CHECK(after("unfold(x, axes=[1, 2], size=[1, 3])") == "reshape unfold");
  CHECK(after("unfold(x, axes=[0, 1, 2], size=[1, 3, 2], stride=[2, 1, 2])") == "reshape unfold unfold slice");
  CHECK(after("unfold(reshape(x, shape=[3, 1, 7, 1, 10, 1]), axes=[2], size=3, stride=2)") == "reshape unfold");
  CHECK(after("unfold(reshape(x, shape=[3, 70]), axes=[1], size=3, stride=2)") == "unfold reshape");
  CHECK(after("unfold(reshape(x, shape=[7, 3, 10]), axes=[2], size=3, stride=2)") == "unfold reshape");
  CHECK(after("unfold(reshape(x, shape=[3, 1, 7, 10]), axes=[1], size=1)") == "reshape");
  CHECK(after("unfold(x, axes=[1, 2], size=[3, 1])") == "unfold unfold");
}

TEST_CASE("H2.windows_of_one: of symbolic axes, also of those without elements, but not of symbolic size") {
  const std::unique_ptr<Graph> graph = parse_graph(
      "graph g(x: f32[n, m], y: f32[n + 1, 2]) {\n  return a = unfold(x, axes=[0, 1], size=1, stride=[2, 3]), b = unfold(x, axes=[1], "
      "size=1),\n    c = unfold(y[:-1], axes=[0], size=1, stride=4), d = unfold(y, axes=[0], size=[2], stride=2)\n}");
  const std::unique_ptr<Graph> result = opt::compose_views(*graph);
  verify(*result);
  CHECK(count(*result, Op::kUnfold) == 1);
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{5, 7}, {1, 1}, {1, 0}, {8, 3}}) {
    std::vector<float> x(static_cast<size_t>(sizes[0] * sizes[1])), y(static_cast<size_t>(2 * (sizes[0] + 1)));
    std::iota(x.begin(), x.end(), 1.0f);
    std::iota(y.begin(), y.end(), 1000.0f);
    CHECK(run(*graph, {bytes_of(x), bytes_of(y)}, sizes) == run(*result, {bytes_of(x), bytes_of(y)}, sizes));
  }
  const std::unique_ptr<Graph> unknown =
      parse_graph("graph g(x: f32[9], y: f32[k in 1..1]) {\n  return a = unfold(x, axes=[0], size=k)\n}");
  std::vector<float> nine(9);
  std::iota(nine.begin(), nine.end(), 1.0f);
  const std::vector<Bytes> inputs = {bytes_of(nine), bytes_of(std::vector<float>{0})};
  CHECK(run(*unknown, inputs, {1}) == run(*opt::compose_views(*unknown), inputs, {1}));
}

TEST_CASE("H2.windows_of_one L6.packed_matmul/c X2: a convolution with a 1 x 1 kernel is a plain product") {
  using capi_test::rough;
  const capi_test::Backends backends;
  const auto text = [](const std::string& shape, const std::string& weight, const std::string& arguments) {
    return "graph g(x: f32[" + shape + "], w: f32[" + weight + ", 1, 1], b: f32[18]) {\n  return y = relu(conv2d(x, w, b" + arguments +
           "))\n}";
  };
  for (const char* arguments : {"", ", stride=2", ", stride=[1, 3], padding=1"})
    for (const char* shape : {"2, 16, 9, 13", "n, 16, h, l"})
      backends.run(text(shape, "18, 16", arguments), rough({2, 16, 9, 13}, 1), rough({18, 16, 1, 1}, 2), rough({18}, 3));
  backends.run(text("2, 16, 9, 13", "18, 8", ", groups=2"), rough({2, 16, 9, 13}, 4), rough({18, 8, 1, 1}, 5), rough({18}, 6));
  // The windows have one element along one of the two axes.
  for (const char* kernel : {"1, 3", "3, 1"})
    for (const char* stride : {"1", "2"})
      backends.run(std::string("graph g(x: f32[2, 16, h in 3..99, 13], w: f32[18, 16, ") + kernel +
                       "]) {\n  return y = conv2d(x, w, padding=1, stride=" + stride + ")\n}",
                   rough({2, 16, 9, 13}, 7), rough({18, 16, kernel[0] - '0', kernel[3] - '0'}, 8));
  const auto source = [](const std::string& shape, const std::string& call) {
    const capi_test::Context context = capi_test::make_context();
    const capi_test::Graph graph =
        capi_test::parse(context.get(), "harp 1\ngraph g(x: f32[" + shape + "], w: f32[32, 64, 1, 1]) {\n  return y = " + call + "\n}");
    return capi_test::source_for("x86-64-v4", graph.get());
  };
  CHECK(source("1, 64, 12, 14", "conv2d(x, w)").find("contraction over [32, 168]") != std::string::npos);
  CHECK(source("1, 64, 14, 13", "conv2d(x, w, stride=2)").find("contraction over [32, 49]") != std::string::npos);
}
