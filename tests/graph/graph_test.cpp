// Tests the structure of graphs: equal nodes are created only once; the functions that build nodes, and what they infer; the order of
// reductions; the primitives of composite operations; copies; views. (The interpreter's tests check values.)
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/body.h"
#include "graph/composites.h"
#include "graph/dot.h"
#include "graph/requirements.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "graph/view.h"

using namespace harp;
using build::NodeRef;

namespace {

/// Returns the statements of a graph's text, without header and return line.
std::string body_of(const Graph& graph) {
  const std::string text = print_graph(graph);
  const size_t first = text.find("{\n") + 2;
  return text.substr(first, text.rfind("  return") - first);
}

/// Returns the primitives of which `expression` consists, as text. The operands of the expression are x, y: f32[2, 3], c: f32[], b: bool[2,
/// 3], i: i32[2, 3].
std::string primitives(const std::string& expression) {
  return body_of(
      *parse_graph("graph g(x: f32[2, 3], y: f32[2, 3], c: f32[], b: bool[2, 3], i: i32[2, 3]) {\n  return out = " + expression + "\n}"));
}

const ReduceAttributes& reduction(NodeRef node) {
  while (!is_reduce(node->op)) node = node->sources[0];
  return node->as<ReduceAttributes>();
}

struct Fixture {
  Graph graph;
  Dim n = graph.dims().variable("n", 0, 4096), m = graph.dims().variable("m", 1, 100);
  NodeRef x = graph.add_input("x", DType::kF32, {n, 64});
  NodeRef y = graph.add_input("y", DType::kF32, {n, 64});
  NodeRef s = graph.add_input("s", DType::kF32, {});
  NodeRef t = graph.add_input("t", DType::kF32, {2, 3, 4});
};

}  // namespace

TEST_CASE("G1.dag: equal nodes are one node, sources come first, only live nodes count") {
  Fixture f;
  const NodeRef a = build::elementwise(Op::kAdd, {f.x, f.y});
  CHECK(a == build::elementwise(Op::kAdd, {f.x, f.y}));
  CHECK(a != build::elementwise(Op::kAdd, {f.y, f.x}));
  CHECK(a != build::elementwise(Op::kMul, {f.x, f.y}));
  const NodeRef dead = build::elementwise(Op::kExp, {a});
  const NodeRef z = build::elementwise(Op::kNeg, {a});
  f.graph.add_output("z", z);
  const std::vector<const Node*> live = f.graph.live_nodes();
  CHECK(live == std::vector<const Node*>{f.x, f.y, a, z});
  CHECK(dead->id < z->id);
  CHECK(build::constant(f.graph, scalar_from_double(DType::kF32, 0.0)) != build::constant(f.graph, scalar_from_double(DType::kF32, -0.0)));
  CHECK(build::constant(f.graph, scalar_from_double(DType::kF32, 2)) == build::constant(f.graph, scalar_from_int(DType::kF32, 2)));
  const std::byte bytes[8] = {std::byte{1}};
  CHECK(build::constant_array(f.graph, DType::kI32, {2}, bytes) == build::constant_array(f.graph, DType::kI32, {2}, bytes));
  CHECK(build::constant_array(f.graph, DType::kI32, {2}, bytes) != build::constant_array(f.graph, DType::kI32, {1, 2}, bytes));
}

TEST_CASE("G1.dag: after nodes are taken back, each remaining node is found and each removed one is made anew") {
  Graph graph;
  const NodeRef x = graph.add_input("x", DType::kF32, {8});
  const auto number = [&](int i) {
    return graph.intern(Op::kConstant, DType::kF32, {}, {}, ConstantAttributes{scalar_from_double(DType::kF32, i)});
  };
  for (const int kept : {1, 30, 500, 2000}) {
    std::vector<NodeRef> numbers;
    for (int i = 0; i < kept; ++i) numbers.push_back(number(i));
    const size_t count = graph.nodes().size();
    for (int i = kept; i < 2 * kept; ++i) graph.set_node_name(number(i), "taken back");
    CHECK(graph.nodes().size() == count + static_cast<size_t>(kept));
    graph.roll_back(count);
    for (int i = 0; i < kept; ++i) CHECK(number(i) == numbers[static_cast<size_t>(i)]);
    CHECK(graph.nodes().size() == count);
    CHECK(graph.node_name(number(kept)).empty());
    CHECK(graph.nodes().size() == count + 1);
    graph.roll_back(1);
    CHECK(graph.add_input(cat("y", kept), DType::kF32, {8})->id == 1);
    graph.roll_back(1);
    CHECK(graph.node_name(x) == "x");
  }
}

TEST_CASE("G1 graph: names, descriptions, inputs and outputs") {
  Fixture f;
  const NodeRef h = build::elementwise(Op::kAdd, {f.x, f.y});
  CHECK(f.graph.node_name(h) == "");
  f.graph.set_node_name(h, "h");
  f.graph.set_node_name(h, "other");
  CHECK(f.graph.node_name(h) == "h");
  CHECK(f.graph.describe(h) == "\"h\" (add f32[n, 64])");
  CHECK(f.graph.inputs().size() == 4);
  CHECK(f.graph.inputs()[1] == f.y);
  f.graph.add_output("o", h);
  f.graph.add_output("same", h);
  CHECK(f.graph.outputs().size() == 2);
}

TEST_CASE("G1 graph: movements that move nothing and casts that change nothing are their source") {
  Fixture f;
  const int identity[] = {0, 1}, minus[] = {-2, -1};
  CHECK(build::permute(f.x, identity) == f.x);
  CHECK(build::permute(f.x, minus) == f.x);
  CHECK(build::expand(f.x, {f.n, 64}) == f.x);
  CHECK(build::expand(f.x, {-1, -1}) == f.x);
  CHECK(build::reshape(f.x, {f.n, 64}) == f.x);
  CHECK(build::reshape(f.x, {-1, 64}) == f.x);
  const build::SliceSpec all[] = {{}, {}}, ends[] = {{Dim(0), f.n, 1}, {Dim(-64), Dim(1000), 1}};
  CHECK(build::slice(f.x, all) == f.x);
  CHECK(build::slice(f.x, ends) == f.x);
  const Dim zeros[] = {0, 0};
  CHECK(build::pad(f.x, zeros, zeros, scalar_from_int(DType::kF32, 1)) == f.x);
  CHECK(build::cast(f.x, DType::kF32) == f.x);
  CHECK(build::bitcast(f.x, DType::kF32) == f.x);
  CHECK(build::concat(std::span(&f.x, 1), 0) == f.x);
  CHECK(build::reduce(Op::kSum, f.x, {}, true) == f.x);
  CHECK(build::contiguous(build::contiguous(f.x)) == build::contiguous(f.x));
}

TEST_CASE("G7: sources of an elementwise node have its shape or rank 0") {
  Fixture f;
  const NodeRef scaled = build::elementwise(Op::kMul, {f.x, f.s});
  CHECK(scaled->shape == f.x->shape);
  CHECK(scaled->sources[1] == f.s);
  CHECK(build::elementwise(Op::kLt, {f.x, f.s})->dtype == DType::kBool);
  const NodeRef chosen = build::elementwise(Op::kWhere, {build::elementwise(Op::kLt, {f.s, f.s}), f.x, f.s});
  CHECK(chosen->shape == f.x->shape);
  CHECK(chosen->dtype == DType::kF32);
}

TEST_CASE("G8.broadcast_shapes: NumPy's rule, only a statically-1 axis stretches") {
  Fixture f;
  CHECK(build::broadcast_shapes({2, 1, 4}, {3, 1}) == Shape{2, 3, 4});
  CHECK(build::broadcast_shapes({}, {5}) == Shape{5});
  CHECK(build::broadcast_shapes({f.n, 1}, {1, f.m}) == Shape{f.n, f.m});
  CHECK(build::broadcast_shapes({0}, {1}) == Shape{0});
  CHECK_THROWS_WITH(build::broadcast_shapes({2, 3}, {4}), "Cannot broadcast shapes [2, 3] and [4]: axis 1 of the result would be 3 and 4");
  CHECK_THROWS_AS(build::broadcast_shapes({f.n}, {f.m}), Error);
  Graph g({.broadcast = true});
  const NodeRef a = g.add_input("a", DType::kF32, {5, 1}), b = g.add_input("b", DType::kF32, {7});
  const NodeRef sum = build::elementwise(Op::kAdd, {a, b});
  CHECK(sum->shape == Shape{5, 7});
  for (NodeRef source : sum->sources) CHECK(source->shape == sum->shape);
  CHECK(sum->sources[1]->op == Op::kExpand);
  CHECK(sum->sources[1]->sources[0]->op == Op::kReshape);
}

TEST_CASE("G3 order: the constructor's rule of sums") {
  Fixture f;
  const int first[] = {0}, last[] = {2}, middle[] = {1}, both[] = {2, 0};
  CHECK(reduction(build::reduce(Op::kSum, f.t, last, false)).order == ReduceOrder::kLanes);
  CHECK(reduction(build::reduce(Op::kSum, f.t, first, false)).order == ReduceOrder::kChain);
  CHECK(reduction(build::reduce(Op::kSum, f.t, middle, false)).order == ReduceOrder::kChain);
  CHECK(reduction(build::reduce(Op::kReduceMax, f.t, first, false)).order == ReduceOrder::kChain);
  const NodeRef outer = build::reduce(Op::kSum, f.t, both, false);
  CHECK(reduction(outer).order == ReduceOrder::kLanes);
  CHECK(reduction(outer).axes == std::vector<int>{0, 2});
  CHECK(outer->shape == Shape{3});
  CHECK(build::reduce(Op::kSum, f.t, both, true)->shape == Shape{1, 3, 1});
  CHECK(build::reduce_exactly(Op::kSum, f.t, {{2, 0}, ReduceOrder::kChain, false})->as<ReduceAttributes>().axes == std::vector<int>{2, 0});
}

TEST_CASE("G3 product: a sum over a float mul is paired, contractions are chains") {
  Fixture f;
  const int last[] = {1};
  const NodeRef mul = build::elementwise(Op::kMul, {f.x, f.y});
  CHECK(reduction(build::reduce(Op::kSum, mul, last, false)).product);
  CHECK(reduction(build::reduce(Op::kSum, mul, last, false)).order == ReduceOrder::kLanes);
  CHECK_FALSE(reduction(build::reduce(Op::kProd, mul, last, false)).product);
  CHECK_FALSE(reduction(build::reduce(Op::kSum, build::contiguous(mul), last, false)).product);
  CHECK_FALSE(reduction(build::reduce(Op::kSum, f.x, last, false)).product);
  const NodeRef whole = build::cast(mul, DType::kI32), ints = build::elementwise(Op::kMul, {whole, whole});
  CHECK_FALSE(reduction(build::reduce(Op::kSum, ints, last, false)).product);
  // A matrix product a[i, ·, k] · b[·, j, k], whose summed axis is the last one.
  Graph g;
  const NodeRef a = g.add_input("a", DType::kF32, {5, 1, 7}), b = g.add_input("b", DType::kF32, {1, 6, 7});
  const NodeRef product = build::elementwise(Op::kMul, {build::expand(a, {5, 6, 7}), build::expand(b, {5, 6, 7})});
  const int k[] = {2};
  CHECK(reduction(build::reduce(Op::kSum, product, k, false)).order == ReduceOrder::kChain);
  CHECK(reduction(build::reduce(Op::kSum, product, k, false)).product);
  const NodeRef half = build::elementwise(Op::kMul, {build::expand(a, {5, 6, 7}), g.add_input("c", DType::kF32, {5, 6, 7})});
  CHECK(reduction(build::reduce(Op::kSum, half, k, false)).order == ReduceOrder::kLanes);
}

TEST_CASE("G3 permute: sum(permute(x)) is permute(sum(x))") {
  Fixture f;
  const int order[] = {2, 0, 1}, axis[] = {1};
  const NodeRef turned = build::permute(f.t, order);  // f.t, permuted to the shape [4, 2, 3]
  const NodeRef sum = build::reduce(Op::kSum, turned, axis, false);
  CHECK(sum->shape == Shape{4, 3});
  CHECK(sum->op == Op::kPermute);
  CHECK(sum->sources[0]->op == Op::kSum);
  CHECK(sum->sources[0]->sources[0] == f.t);
  CHECK(reduction(sum).axes == std::vector<int>{0});
  CHECK(reduction(sum).order == ReduceOrder::kChain);
  const int back[] = {1, 2, 0};
  CHECK(build::permute(turned, back)->shape == f.t->shape);
  // The order depends on the last axis of the array in memory, not on the last axis of the view.
  const int first[] = {0};
  CHECK(reduction(build::reduce(Op::kSum, turned, first, false)).order == ReduceOrder::kLanes);
  CHECK(build::reduce(Op::kSum, turned, first, true)->shape == Shape{1, 2, 3});
}

TEST_CASE("G5.reshape: one -1 is inferred, symbolic sizes divide as expressions") {
  Fixture f;
  CHECK(build::reshape(f.t, {-1})->shape == Shape{24});
  CHECK(build::reshape(f.t, {4, -1, 2})->shape == Shape{4, 3, 2});
  CHECK(build::reshape(f.x, {64, -1})->shape == Shape{64, f.n});
  CHECK(build::reshape(f.x, {-1, 16})->shape == Shape{4 * f.n, 16});
  CHECK(build::reshape(f.x, {f.n, -1, 8})->shape == Shape{f.n, 8, 8});
  CHECK(build::exact_quotient(f.n * f.m + f.n, f.m + 1) == f.n);
  CHECK(build::exact_quotient(2 * f.n * f.n - 2 * f.m * f.m, f.n + f.m) == 2 * f.n - 2 * f.m);
  CHECK_FALSE(build::exact_quotient(f.n, 4).has_value());
  CHECK_FALSE(build::exact_quotient(f.n + 1, f.n).has_value());
  CHECK(build::exact_quotient(floor_div(f.n, 2) * f.m * 6, 3 * floor_div(f.n, 2)) == 2 * f.m);
  CHECK_THROWS_AS(build::reshape(f.x, {-1, 7}), Error);
  CHECK(build::reshape(build::reshape(f.t, {1, 24}), {24, 1, 1})->shape == Shape{24, 1, 1});
}

TEST_CASE("G5.slice: start, stop and step as in Python, for every length and bound") {
  for (int64_t length : {0, 1, 2, 5, 7})
    for (int64_t step : {-3, -2, -1, 1, 2, 3})
      for (int64_t start = -9; start <= 9; ++start)
        for (int64_t stop = -9; stop <= 9; ++stop) {
          Graph g;
          const NodeRef x = g.add_input("x", DType::kF32, {length});
          const build::SliceSpec spec{start == 9 ? std::optional<Dim>() : Dim(start), stop == 9 ? std::optional<Dim>() : Dim(stop), step};
          const NodeRef y = build::slice(x, {&spec, 1});
          // An independent implementation, which steps through the slice element by element.
          auto bound = [&](int64_t b, int64_t open, int64_t lowest, int64_t highest) {
            if (b == 9) return open;
            if (b < 0) b += length;
            return std::min(std::max(b, lowest), highest);
          };
          std::vector<int64_t> wanted, got;
          const int64_t from = step > 0 ? bound(start, 0, 0, length) : bound(start, length - 1, -1, length - 1);
          const int64_t to = step > 0 ? bound(stop, length, 0, length) : bound(stop, -1, -1, length - 1);
          for (int64_t i = from; step > 0 ? i < to : i > to; i += step) wanted.push_back(i);
          for (int64_t i = 0; i < y->shape[0].constant(); ++i)
            got.push_back(y == x ? i : y->as<SliceAttributes>().start[0].constant() + i * y->as<SliceAttributes>().step[0]);
          REQUIRE(got == wanted);
          if (y != x) REQUIRE(build::as_slice_specs(y).has_value());
        }
}

TEST_CASE("G16.dims: symbolic slices clamp, and say at run time what they need") {
  Fixture f;
  const build::SliceSpec head[] = {{{}, Dim(64), 1}, {}}, tail[] = {{Dim(-3), {}, 1}, {}}, flip[] = {{{}, {}, -1}, {}};
  CHECK(build::slice(f.x, head)->shape[0] == min(f.n, 64));
  CHECK(build::slice(f.x, tail)->shape[0] == min(f.n, 3));
  CHECK(build::slice(f.x, flip)->shape[0] == f.n);
  f.graph.add_output("head", build::slice(f.x, head));
  f.graph.add_output("flip", build::slice(f.x, flip));
  CHECK(requirements(f.graph).empty());
  const Dim start[] = {f.m, 0}, size[] = {4, 64};
  const int64_t step[] = {1, 1};
  f.graph.add_output("part", build::slice_exactly(f.x, start, size, step));
  f.graph.add_output("shorter", build::full(f.graph, {f.n - 4}, scalar_from_int(DType::kI32, 0)));
  const std::vector<Requirement> needed = requirements(f.graph);
  REQUIRE(needed.size() >= 2);
  auto holds = [&](int64_t n, int64_t m) {
    for (const Requirement& r : needed)
      if (evaluate(r.nonnegative, [&](const SymAtom& v) { return v.name == "n" ? n : m; }) < 0) return false;
    return true;
  };
  CHECK(holds(8, 4));
  CHECK_FALSE(holds(8, 5));  // the slice would be the rows 5 to 8, but the last row is 7
  CHECK_FALSE(holds(3, 1));
}

TEST_CASE("G1.composites: the primitives they are made of") {
  CHECK(primitives("sub(x, y)") == "  v0 = neg(y)\n  v1 = add(x, v0)\n");
  CHECK(primitives("x > y") == "  v0 = lt(y, x)\n");
  CHECK(primitives("x >= y") == "  v0 = le(y, x)\n");
  CHECK(primitives("square(x)") == "  v0 = mul(x, x)\n");
  CHECK(primitives("rsqrt(x)") == "  v0 = sqrt(x)\n  v1 = recip(v0)\n");
  CHECK(primitives("relu(i)") == "  v0 = le(i, i32(0))\n  v1 = where(v0, i32(0), i)\n");
  CHECK(primitives("sigmoid(x)") ==
        "  v0 = lt(x, f32(0))\n  v1 = neg(x)\n  v2 = where(v0, x, v1)\n  v3 = exp(v2)\n  v4 = where(v0, v3, f32(1))\n"
        "  v5 = add(f32(1), v3)\n  v6 = div(v4, v5)\n");
  CHECK(primitives("softplus(x)") ==
        "  v0 = lt(x, f32(0))\n  v1 = neg(x)\n  v2 = where(v0, x, v1)\n  v3 = exp(v2)\n  v4 = log1p(v3)\n"
        "  v5 = where(v0, f32(0), x)\n  v6 = add(v4, v5)\n");
  CHECK(primitives("clip(x, 0, 1)") ==
        "  v0 = lt(x, f32(0))\n  v1 = isnan(f32(0))\n  v2 = bitwise_or(v0, v1)\n  v3 = where(v2, f32(0), x)\n"
        "  v4 = lt(f32(1), v3)\n  v5 = isnan(f32(1))\n  v6 = bitwise_or(v4, v5)\n  v7 = where(v6, f32(1), v3)\n");
  CHECK(primitives("clip(i, 0, 1)") ==
        "  v0 = lt(i, i32(0))\n  v1 = where(v0, i32(0), i)\n  v2 = lt(i32(1), v1)\n  v3 = where(v2, i32(1), v1)\n");
  CHECK(primitives("lerp(x, y, c)") == "  v0 = neg(x)\n  v1 = add(y, v0)\n  v2 = fma(c, v1, x)\n");
  CHECK(primitives("powi(x, 5)") == "  v0 = mul(x, x)\n  v1 = mul(v0, v0)\n  v2 = mul(x, v1)\n");
  CHECK(primitives("powi(x, -2)") == "  v0 = recip(x)\n  v1 = mul(v0, v0)\n");
  CHECK(primitives("powi(x, -1)") == "  v0 = recip(x)\n");
  CHECK(primitives("powi(x, 0)") == "  v0 = reshape(f32(1), shape=[1, 1])\n  v1 = expand(v0, shape=[2, 3])\n");
  CHECK(primitives("isinf(x)") == "  v0 = abs(x)\n  v1 = eq(v0, f32(inf))\n");
  CHECK(primitives("logical_not(i)") == "  v0 = ne(i, i32(0))\n  v1 = bitwise_not(v0)\n");
  CHECK(primitives("logical_and(b, i)") == "  v0 = ne(i, i32(0))\n  v1 = bitwise_and(b, v0)\n");
  CHECK(primitives("mean(x, axes=[1])") == "  v0 = sum(x, axes=[1], order=lanes)\n  v1 = div(v0, f32(3))\n");
  CHECK(primitives("any(i)") == "  v0 = ne(i, i32(0))\n  v1 = max(v0, axes=[0, 1], order=lanes)\n");
  CHECK(primitives("all(b, axes=[0])") == "  v0 = min(b, axes=[0], order=chain)\n");
  CHECK(primitives("transpose(x)") == "  v0 = permute(x, axes=[1, 0])\n");
  CHECK(primitives("flip(x, axes=[-1])") == "  v0 = slice(x, step=[1, -1])\n");
  CHECK(primitives("unsqueeze(x, axes=[0, -1])") == "  v0 = reshape(x, shape=[1, 2, 3, 1])\n");
  CHECK(primitives("stack(x, y, axis=-1)") ==
        "  v0 = reshape(x, shape=[2, 3, 1])\n  v1 = reshape(y, shape=[2, 3, 1])\n  v2 = concat(v0, v1, axis=2)\n");
  CHECK(primitives("roll(x, shift=1, axis=1)") ==
        "  v0 = slice(x, start=[none, 2])\n  v1 = slice(x, stop=[none, 2])\n  v2 = concat(v0, v1, axis=1)\n");
  CHECK(primitives("roll(x, shift=-4, axis=1)") == primitives("roll(x, shift=2, axis=1)"));
  CHECK(primitives("repeat(x, 2, axis=0)") ==
        "  v0 = reshape(x, shape=[2, 1, 3])\n  v1 = expand(v0, shape=[2, 2, 3])\n  v2 = reshape(v1, shape=[4, 3])\n");
}

TEST_CASE("G16.dims: composites of symbolic arrays") {
  Fixture f;
  const NodeRef mean = build::mean(f.x, std::vector<int>{0}, false);
  CHECK(mean->op == Op::kDiv);
  CHECK(mean->sources[1]->op == Op::kCast);
  CHECK(mean->sources[1]->sources[0]->as<SizeAttributes>().value == f.n);
  const Dim one[] = {1};
  CHECK(build::roll(f.x, one, std::vector<int>{0})->shape == f.x->shape);
  CHECK(build::repeat(f.x, f.m, 0)->shape == Shape{f.n * f.m, 64});
  CHECK(build::tile(f.x, one)->shape == f.x->shape);
  const Dim reps[] = {f.m, 2};
  CHECK(build::tile(f.x, reps)->shape == Shape{f.n * f.m, 128});
  const std::vector<NodeRef> halves = build::split(f.x, {4, {}}, 1);
  CHECK(halves.size() == 4);
  CHECK(halves[3]->shape == Shape{f.n, 16});
  CHECK(build::split(f.x, {std::nullopt, {Dim(2), f.m}}, 0).size() == 3);
  const Dim three[] = {3};
  const int64_t stride[] = {1};
  const build::Padding same[] = {{1, 1}};
  CHECK(build::unfold_spatial(f.x, 2, three, stride, stride, same)->shape == Shape{f.n, 64, 3, 3});
  CHECK(build::full(f.graph, {f.n, f.m}, scalar_from_int(DType::kBool, 1))->shape == Shape{f.n, f.m});
  CHECK(build::eye(f.graph, f.n, {}, DType::kI32)->shape == Shape{f.n, f.n});
  CHECK(build::arange_from(f.graph, {}, 2, f.m + 10, 3, DType::kI64)->shape == Shape{floor_div(f.m + 10, 3)});
}

TEST_CASE("G1 graph: a copy shares nothing, keeps inputs, names and the order of shape variables") {
  Fixture f;
  const NodeRef unused = build::elementwise(Op::kExp, {f.y});
  const NodeRef h = build::elementwise(Op::kMul, {f.x, f.s});
  f.graph.set_node_name(h, "h");
  f.graph.add_output("out", build::reduce(Op::kSum, h, std::vector<int>{1}, true));
  const auto copy = f.graph.clone();
  CHECK(copy->inputs().size() == 4);
  CHECK(copy->inputs()[0]->graph == copy.get());
  CHECK(&copy->dims() != &f.graph.dims());
  CHECK(copy->inputs()[0]->shape[0].node()->table == &copy->dims());
  CHECK(to_string(copy->dims().variables()[0]) == "n");
  CHECK(to_string(copy->dims().variables()[1]) == "m");
  CHECK(copy->nodes().size() < f.graph.nodes().size());
  CHECK(print_graph(*copy) == print_graph(f.graph));
  CHECK(unused->graph == &f.graph);
}

TEST_CASE("G1 graph: a chain of 100,000 nodes builds, copies, prints, parses, draws and dies") {
  Graph g;
  const NodeRef x = g.add_input("x", DType::kF32, {16});
  NodeRef node = x;
  for (int i = 0; i < 50000; ++i) node = build::elementwise(Op::kAdd, {build::elementwise(Op::kSin, {node}), x});
  g.add_output("y", node);
  CHECK(g.live_nodes().size() == 100001);
  const auto copy = g.clone();
  CHECK(copy->live_nodes().size() == 100001);
  const std::string text = print_graph(g);
  const auto parsed = parse_graph(text);
  CHECK(parsed->live_nodes().size() == 100001);
  CHECK(print_graph(*parsed) == text);
  CHECK(to_dot(g).size() > text.size());
  CHECK(requirements(g).empty());
}

TEST_CASE("G1 verifier: accepts what constructors make, finds what a pass could get wrong") {
  const auto good = parse_graph(
      "graph g(x: f32[n, 8], b: bool[n, 8], i: i32[4]) flags=[broadcast] {\n"
      "  w = unfold2d(x, size=[2, 3], stride=2, padding=[[1, 0], 2])\n"
      "  r = roll(x, shift=[n, -1], axis=[0, 1])\n"
      "  return a = sum(w, axes=[-1, -2]), b = softmax(where(b, r, 0)), c = one_hot(i, 9), d = tile(flip(x), [2, 1]), e = var(x)\n}");
  CHECK_NOTHROW(verify(*good));
  auto finds = [](auto make, std::string_view message) {
    Fixture f;
    f.graph.add_output("bad", make(f));
    try {
      verify(f.graph);
    } catch (const Error& e) {
      return e.code == Code::kInternal && e.message.find(message) != std::string::npos;
    }
    return false;
  };
  using Sources = std::vector<NodeRef>;
  CHECK(finds([](Fixture& f) { return f.graph.intern(Op::kAdd, DType::kF32, {f.n, 64}, {f.x, f.t}); }, "a source has shape [2, 3, 4]"));
  CHECK(finds([](Fixture& f) { return f.graph.intern(Op::kAdd, DType::kF32, {f.n, 64}, {f.s, f.s}); }, "no source has its shape"));
  CHECK(finds([](Fixture& f) { return f.graph.intern(Op::kAdd, DType::kI32, {f.n, 64}, {f.x, f.y}); }, "another dtype"));
  CHECK(finds([](Fixture& f) { return f.graph.intern(Op::kLt, DType::kF32, {f.n, 64}, {f.x, f.y}); }, "the result is not bool"));
  CHECK(finds([](Fixture& f) { return f.graph.intern(Op::kExp, DType::kF32, {f.n, 64}, Sources{}); }, "has 0 sources"));
  CHECK(finds([](Fixture& f) { return f.graph.intern(Op::kReshape, DType::kF32, {f.n, 63}, {f.x}); }, "the number of elements changed"));
  CHECK(finds([](Fixture& f) { return f.graph.intern(Op::kExpand, DType::kF32, {f.n, 65}, {f.x}); }, "axis 1 cannot be broadcast"));
  CHECK(finds(
      [](Fixture& f) {
        return f.graph.intern(Op::kPermute, DType::kF32, {f.n, 64}, {f.x}, PermuteAttributes{{0, 0}});
      },
      "axes are not a permutation"));
  CHECK(finds(
      [](Fixture& f) {
        return f.graph.intern(Op::kPermute, DType::kF32, {f.n, 64}, {f.x}, PadAttributes{});
      },
      "has the attributes of another op"));
  CHECK(finds(
      [](Fixture& f) {
        return f.graph.intern(Op::kSum, DType::kF32, {f.n}, {f.x}, ReduceAttributes{{0}, ReduceOrder::kChain, false});
      },
      "should have shape [64]"));
  CHECK(finds(
      [](Fixture& f) {
        return f.graph.intern(Op::kSum, DType::kF32, {f.n}, {f.x}, ReduceAttributes{{1}, ReduceOrder::kLanes, true});
      },
      "is not a sum of a mul of floats or integers"));
  CHECK(finds(
      [](Fixture& f) {
        return f.graph.intern(Op::kSlice, DType::kF32, {2, 3, 3}, {f.t}, SliceAttributes{{0, 0, 2}, {1, 1, 1}});
      },
      "axis 2 leaves the source"));
  CHECK(finds(
      [](Fixture& f) {
        return f.graph.intern(Op::kConcat, DType::kF32, {f.n, 127}, {f.x, f.y}, ConcatAttributes{1});
      },
      "the sizes do not add up"));

  // Makes a node of a custom function with two results, an f32 and an i64, whose attributes are modified by `change`.
  const auto custom = [&](auto change) {
    return [=](Fixture& f) {
      const DType dtypes[] = {DType::kF32, DType::kI64};
      const NodeRef first = build::custom_function(f.graph, Sources{f.x}, "output0 = input0[0, 0]\noutput1 = ridx0", dtypes, {f.n})[0];
      CustomAttributes attributes = first->as<CustomAttributes>();
      change(attributes);
      return f.graph.intern(Op::kCustom, DType::kF32, {f.n}, {f.x}, std::move(attributes));
    };
  };
  CHECK(finds(custom([](CustomAttributes& a) { a.result = 1; }), "the body gives another dtype"));
  CHECK(finds(custom([](CustomAttributes& a) { a.result = 2; }), "the body does not give this result"));
  CHECK(finds(custom([](CustomAttributes& a) { a.dtypes[1] = DType::kI32; }), "the body gives results of other dtypes"));
  CHECK(finds(custom([](CustomAttributes& a) { a.dtypes.pop_back(); }), "the body gives another number of results"));
}

TEST_CASE("G13.custom_results: each result is a node, which a graph has once") {
  Fixture f;
  const std::string body = "output0 = input0[0, 0]\noutput1 = ridx0";
  const DType dtypes[] = {DType::kF32, DType::kI64}, others[] = {DType::kF32, DType::kI64, DType::kF32};
  const auto make = [&](NodeRef x, std::span<const DType> of) {
    return build::custom_function(f.graph, std::span(&x, 1), of.size() == 2 ? body : body + "\noutput2 = 1.0", of, {f.n});
  };
  const std::vector<NodeRef> results = make(f.x, dtypes);
  REQUIRE(results.size() == 2);
  CHECK(results[0] != results[1]);
  CHECK(results[0]->dtype == DType::kF32);
  CHECK(results[1]->dtype == DType::kI64);
  CHECK(make(f.x, dtypes) == results);
  CHECK(are_of_one_call(*results[0], *results[1]));
  CHECK_FALSE(are_of_one_call(*results[0], *make(f.y, dtypes)[0]));
  CHECK_FALSE(are_of_one_call(*results[0], *make(f.x, others)[0]));
  CHECK_FALSE(are_of_one_call(*results[0], *f.x));
  CHECK(result_of_call(*results[0], 1) == results[1]);
  CHECK(result_of_call(*results[1], 1) == results[1]);
  // A copy of the graph contains only those results of the call that are used.
  f.graph.add_output("y", results[1]);
  const auto copy = f.graph.clone();
  CHECK(result_of_call(*copy->outputs()[0].node, 0) == nullptr);
  CHECK(result_of_call(*copy->outputs()[0].node, 1) == copy->outputs()[0].node);
  CHECK(to_dot(f.graph).find("result 1 of output0 = ") != std::string::npos);
}

TEST_CASE("G18.dot: nodes, types, constants and outputs") {
  Fixture f;
  const NodeRef h = build::elementwise(Op::kMul, {f.x, build::constant_like(f.x, 0.5)});
  f.graph.set_node_name(h, "half \"x\"");
  f.graph.add_output("y", build::reduce(Op::kSum, h, std::vector<int>{1}, false));
  const std::string dot = to_dot(f.graph);
  CHECK(dot.starts_with("digraph \"graph\" {"));
  CHECK(dot.find("half \\\"x\\\" = mul\\noperand 1: 0.5\\nf32[n, 64]") != dot.npos);
  CHECK(dot.find("axes 1 · lanes · product\\nf32[n]") != dot.npos);
  CHECK(dot.find("label=\"y\"") != dot.npos);
  CHECK(dot.find("n0 -> n") != dot.npos);
}

TEST_CASE("G12 dtypes: what operations give and take") {
  Fixture f;
  CHECK(build::arange(f.graph, f.n)->dtype == DType::kI32);
  CHECK(build::size(f.graph, f.n)->dtype == DType::kI64);
  CHECK(build::size(f.graph, 7)->op == Op::kConstant);
  CHECK(build::bitcast(f.x, DType::kI32)->dtype == DType::kI32);
  CHECK(build::cast(f.x, DType::kBool)->dtype == DType::kBool);
}

namespace {

/// Returns the dtype of a + b in a graph that promotes dtypes, or kUnknown if the addition is an error.
DType sum_of(DType a, DType b) {
  Graph g({.promotion = Promotion::kArrayApi});
  try {
    return build::elementwise(Op::kAdd, {g.add_input("a", a, {3}), g.add_input("b", b, {3})})->dtype;
  } catch (const Error& e) {
    CHECK(e.code == Code::kDType);
    CHECK(e.message.find("do not promote to a common one: cast one") != std::string::npos);
    return DType::kUnknown;
  }
}

}  // namespace

TEST_CASE("G9.promotion: the Array API's tables, and errors where they leave it open") {
  using enum DType;
  constexpr DType kIntegers[] = {kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64};
  constexpr DType kNone = kUnknown;
  constexpr DType kTable[8][8] = {{kI8, kI16, kI32, kI64, kI16, kI32, kI64, kNone},  {kI16, kI16, kI32, kI64, kI16, kI32, kI64, kNone},
                                  {kI32, kI32, kI32, kI64, kI32, kI32, kI64, kNone}, {kI64, kI64, kI64, kI64, kI64, kI64, kI64, kNone},
                                  {kI16, kI16, kI32, kI64, kU8, kU16, kU32, kU64},   {kI32, kI32, kI32, kI64, kU16, kU16, kU32, kU64},
                                  {kI64, kI64, kI64, kI64, kU32, kU32, kU32, kU64},  {kNone, kNone, kNone, kNone, kU64, kU64, kU64, kU64}};
  constexpr DType kFloats[] = {kF16, kBF16, kF32, kF64};
  constexpr DType kFloatTable[4][4] = {
      {kF16, kF32, kF32, kF64}, {kF32, kBF16, kF32, kF64}, {kF32, kF32, kF32, kF64}, {kF64, kF64, kF64, kF64}};
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) CHECK(sum_of(kIntegers[i], kIntegers[j]) == kTable[i][j]);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) CHECK(sum_of(kFloats[i], kFloats[j]) == kFloatTable[i][j]);
  for (const DType integer : kIntegers)
    for (const DType real : kFloats) CHECK(sum_of(integer, real) == kNone);
  for (const DType number : {kI8, kU64, kF16, kF64}) CHECK(sum_of(kBool, number) == kNone);

  Graph g({.promotion = Promotion::kArrayApi});
  const NodeRef i = g.add_input("i", kI32, {3}), u = g.add_input("u", kU8, {3}), b = g.add_input("b", kBool, {3}),
                x = g.add_input("x", kF32, {3}), h = g.add_input("h", kF16, {3});
  CHECK(build::elementwise(Op::kExp, {i})->dtype == kF64);
  CHECK(build::elementwise(Op::kExp, {u})->dtype == kF32);
  CHECK(build::mean(b, {}, false)->dtype == kF32);
  CHECK(build::sub(u, i)->dtype == kI32);
  CHECK(build::elementwise(Op::kLt, {u, i})->sources[0]->dtype == kI32);
  CHECK(build::elementwise(Op::kWhere, {b, h, x})->dtype == kF32);
  const NodeRef joined[] = {u, i};
  CHECK(build::concat(joined, 0)->dtype == kI32);
}

TEST_CASE("G9.infer_same G9.infer_error: equal dtypes stay, different ones are an error that suggests the cast") {
  Graph g;
  const NodeRef h = g.add_input("h", DType::kF16, {3}), u = g.add_input("u", DType::kU16, {3});
  CHECK(build::elementwise(Op::kMul, {h, h})->dtype == DType::kF16);
  CHECK(build::elementwise(Op::kShr, {u, u})->dtype == DType::kU16);
  try {
    build::elementwise(Op::kAdd, {h, u});
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.code == Code::kDType);
    CHECK(
        e.message.find("operands have dtypes f16 and u16 (nodes \"h\" and \"u\"); they must be the same: cast one, for example cast(\"u\", "
                       "dtype=f16)") != std::string::npos);
  }
}

TEST_CASE("G1 scalars: conversion, identities, text") {
  CHECK(scalar_from_double(DType::kI32, 3e9).as<int32_t>() == INT32_MAX);
  CHECK(scalar_from_double(DType::kI32, -1.9).as<int32_t>() == -1);
  CHECK(scalar_from_double(DType::kI64, -1e30).as<int64_t>() == INT64_MIN);
  CHECK(scalar_from_double(DType::kI64, NAN).as<int64_t>() == 0);
  CHECK(scalar_from_double(DType::kI64, 0x1p62).as<int64_t>() == int64_t{1} << 62);
  CHECK(scalar_from_double(DType::kBool, 0.25).bits[0] == 1);
  CHECK(scalar_from_int(DType::kF32, 16777217).as<float>() == 16777216.0f);
  CHECK(identity_of(Op::kReduceMax, DType::kF32).as<float>() == -INFINITY);
  CHECK(identity_of(Op::kReduceMin, DType::kI32).as<int32_t>() == INT32_MAX);
  CHECK(identity_of(Op::kReduceMax, DType::kBool).bits[0] == 0);
  CHECK(identity_of(Op::kProd, DType::kF64).as<double>() == 1);
  CHECK(to_string(scalar_from_double(DType::kF32, 0.1)) == "0.1");
  CHECK(to_string(scalar_from_double(DType::kF64, -INFINITY)) == "-inf");
  CHECK(to_string(scalar_from_int(DType::kBool, 2)) == "true");
  CHECK_FALSE(int_fits(DType::kI32, int64_t{1} << 31));
  CHECK(int_fits(DType::kI32, -(int64_t{1} << 31)));
}
