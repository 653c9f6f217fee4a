// Tests the optimiser pass fold_unit_axes: which operations disappear along an axis of one element, that no bit of a result changes (-0,
// NaN and infinities, every dtype), and which operations stay.
#include "opt/fold_unit_axes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "graph/composites.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "opt/passes.h"
#include "support/backends_run.h"
#include "support/interp_run.h"

using namespace harp;
using namespace harp::testing;

namespace {

/// -0, +0, infinities, NaN, a subnormal number and a usual one, as elements of this dtype. A bool is 0 or 1.
Bytes special(DType dtype) {
  Bytes bytes;
  for (const double value : {-0.0, 0.0, kInf<double>, -kInf<double>, kNan<double>, 1e-40, -3.0}) {
    const Scalar scalar = is_bool(dtype) ? scalar_from_int(dtype, value < 0 ? 1 : 0) : scalar_from_double(dtype, value);
    const auto* first = reinterpret_cast<const std::byte*>(scalar.bits);
    bytes.insert(bytes.end(), first, first + size_of(dtype));
  }
  return bytes;
}

bool is_folded(Op op) { return is_scan(op) || is_arg_extreme(op) || op == Op::kArgSort || op == Op::kSort || op == Op::kGather; }

/// Applies the pass, checks that the results for special values are unchanged, and returns the names of the operations that it should have
/// removed but did not.
std::string left_over(const Graph& graph, DType dtype) {
  const std::unique_ptr<Graph> result = opt::fold_unit_axes(graph);
  verify(*result);
  const std::vector<Bytes> expected = run(graph, {special(dtype)}), found = run(*result, {special(dtype)});
  REQUIRE(expected.size() == found.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const DType of = graph.outputs()[i].node->dtype;
    CHECK(canonical(expected[i], of) == canonical(found[i], of));
  }
  std::string left;
  for (const Node* node : result->live_nodes())
    if (is_folded(node->op)) append(left, cat(name(node->op), " "));
  return left;
}

std::string left_over(const std::string& body) {
  const auto graph = parse_graph(cat("graph g(x: f32[7, 1]) flags=[broadcast] {\n", body, "\n}"));
  return left_over(*graph, DType::kF32);
}

}  // namespace

TEST_CASE("H2: optimiser: scans along an axis of one element, of every dtype") {
  int scans = 0;
  for (const Op op : {Op::kCumSum, Op::kCumProd, Op::kCumMax, Op::kCumMin, Op::kLogCumSumExp}) {
    for (int i = 0; i < kDTypeCount; ++i) {
      const auto dtype = static_cast<DType>(i);
      if (!kDTypes[i].in_graph || !accepts(op, dtype) || is_complex(dtype)) continue;
      for (const int axis : {0, 1}) {
        for (const ScanOrder order : {ScanOrder::kTree, ScanOrder::kChain}) {
          Graph graph;
          const Node* x = graph.add_input("x", dtype, axis == 0 ? Shape{1, 7} : Shape{7, 1});
          for (const bool reverse : {false, true}) {
            graph.add_output(cat("inclusive", reverse), build::cumulative(op, x, axis, false, reverse, order));
            graph.add_output(cat("exclusive", reverse), build::cumulative(op, x, axis, true, reverse, order));
          }
          CAPTURE(name(op));
          CAPTURE(name(dtype));
          CHECK(left_over(graph, dtype) == "");
          ++scans;
        }
      }
    }
  }
  CHECK(scans > 4 * 40);
}

TEST_CASE("H2: optimiser: an exclusive scan of one element does not read it") {
  const auto graph = parse_graph("graph g(x: f32[7, 1]) {\n  return y = cumsum(x, axis=1, exclusive=true)\n}");
  for (const Node* node : opt::fold_unit_axes(*graph)->live_nodes()) CHECK(node->op != Op::kInput);
}

TEST_CASE("H2: optimiser: sorts and selections along an axis of one element, of every dtype") {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!kDTypes[i].in_graph || !accepts(Operands::kOrdered, dtype)) continue;
    CAPTURE(name(dtype));
    for (const int axis : {0, 1}) {
      Graph graph;
      const Node* x = graph.add_input("x", dtype, axis == 0 ? Shape{1, 7} : Shape{7, 1});
      for (const bool descending : {false, true}) {
        graph.add_output(cat("sort", descending), build::sort(x, axis, descending));
        graph.add_output(cat("argsort", descending), build::argsort(x, axis, descending));
        const std::vector<const Node*> first = build::topk(x, 1, axis, descending);
        graph.add_output(cat("values", descending), first[0]);
        graph.add_output(cat("indices", descending), first[1]);
      }
      graph.add_output("argmax", build::argmax(x, axis, false));
      graph.add_output("argmin", build::argmin(x, axis, true));
      CHECK(left_over(graph, dtype) == "");
    }
  }
}

TEST_CASE("H2: optimiser: running extremes with indices, and what is not along an axis of one element") {
  CHECK(left_over("  v, i = cummax_with_indices(x, axis=1)\n  return v, i") == "");
  CHECK(left_over("  return y = cumsum(x, axis=0)") == "cumsum ");
  CHECK(left_over("  return y = argsort(x, axis=0)") == "argsort ");
  CHECK(left_over("  return y = argmax(x, axis=0)") == "argmax ");
  CHECK(left_over("  return y = take(x, i64(0), axis=1)") == "");
  CHECK(left_over("  return y = take(x, i64(0), axis=0)") == "take_along_axis ");
  // One element of a pad: of the array, and of the padding after and before it.
  CHECK(left_over("  return y = pad(x, before=[0, 2], after=[0, 2], value=3.0)[:, 2:3]") == "");
  CHECK(left_over("  return y = pad(x, before=[0, 2], after=[0, 2], value=3.0)[:, 3:4]") == "");
  CHECK(left_over("  return y = pad(x, before=[0, 2], after=[0, 2], value=3.0)[:, 1:2]") == "");
}

TEST_CASE("H2: optimiser: an axis of one element that only the run determines is not folded") {
  const auto graph = parse_graph("graph g(x: f32[7, n]) {\n  return y = cumsum(x, axis=1), z = argsort(x, axis=1)\n}");
  const std::unique_ptr<Graph> result = opt::fold_unit_axes(*graph);
  const auto kept = [&](Op op) { return std::ranges::any_of(result->live_nodes(), [=](const Node* node) { return node->op == op; }); };
  CHECK(kept(Op::kCumSum));
  CHECK(kept(Op::kArgSort));
}

TEST_CASE("H2: optimiser X2: axes of one element on every backend") {
  const capi_test::Backends backends;
  backends.run(
      "graph g(x: f32[40, 1]) {\n  v, i = topk(x, 1, axis=1)\n  return a = cumsum(x, axis=1), b = logcumsumexp(x, axis=1), c = sort(x, "
      "axis=1), d = cummax(x, axis=1), v, i\n}",
      capi_test::rough({40, 1}, 1));
}
