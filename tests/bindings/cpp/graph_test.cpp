// Tests explicit graphs in C++: handles, operators on nodes, programs that run on spans, and errors. A call that makes a mistake throws the
// error itself.
#include "support.h"

using namespace harp;
using cpp_test::contains;
using cpp_test::error_of;

TEST_CASE("H6.span_in,span_out/cpp: a graph built with operators runs on the host's arrays") {
  const Context context = default_context();
  const Graph graph(context);
  const Dim n = graph.dim("n", 0, 4096);
  const Node a = graph.input("a", f32, {n, 2}), w = graph.input("w", f32, {2});
  const Node y = 2 * tanh(a * w + 0.5) - 1;
  graph.output("y", y);
  CHECK(y.rank() == 2);
  CHECK(y.dtype() == f32);
  const Program program = graph.compile();
  REQUIRE(program);
  CHECK(program.signature() == "graph(a: f32[n, 2], w: f32[2]) -> y: f32[n, 2] (in place of a) where n in 0..4096");

  const std::vector<float> as = {0, 1, 2, 3, 4, 5}, ws = {1, -1};
  std::vector<float> out(6);
  const std::vector<int64_t> rows = {3, 2}, columns = {2};
  CHECK(program.call({ConstArray(as.data(), rows), ConstArray(ws.data(), columns)}, {Array(out.data(), rows)}));
  const std::vector<Buffer> results = program.run({Buffer::wrap(context, as.data(), rows), Buffer::wrap(context, ws.data(), columns)});
  REQUIRE(results.size() == 1);
  const Span<const float> same = results[0].span<const float>();
  for (size_t i = 0; i < 6; ++i) {
    CHECK(out[i] == doctest::Approx(2 * std::tanh(as[i] * ws[i % 2] + 0.5) - 1));
    CHECK(out[i] == same[i]);
  }
}

TEST_CASE("H6: a mistake is thrown where it is written, and the graph goes on") {
  const Graph graph(default_context());
  const Node a = graph.input("a", f32, {2, 3}), b = graph.input("b", f32, {4}), c = graph.input("c", i32, {3});
  const Error shape = error_of([&] { a + b; });
  CHECK(shape.code() == HARP_ERROR_SHAPE);
  CHECK(std::string(shape.code_name()) == "SHAPE");
  CHECK(contains(shape.message(), "[2, 3]"));
  CHECK(error_of([&] { a + c; }).code() == HARP_ERROR_DTYPE);
  CHECK(error_of([&] { c * 2.5; }).code() == HARP_ERROR_DTYPE);
  CHECK(error_of([&] { graph.input("d", u8, {}) + 300; }).code() == HARP_ERROR_RANGE);
  CHECK(error_of([&] { sum(a, 2); }).code() == HARP_ERROR_SHAPE);
  CHECK(error_of([&] { a + Node(); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { pad(a, {1, 1}, {1}); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  CHECK(error_of([&] { Graph::parse(default_context(), "graph ("); }).code() == HARP_ERROR_PARSE);
  const Graph other(default_context());
  CHECK(error_of([&] { a + other.input("x", f32, {3}); }).code() == HARP_ERROR_INVALID_ARGUMENT);
  const Node sum_of_rows = sum(a, 1);  // this node can be built, so neither graph has kept an error
  CHECK(sum_of_rows.rank() == 1);
  CHECK((other.input("y", f32, {3}) * 2).rank() == 1);
}

TEST_CASE("H6: numbers stand on both sides and take the dtype beside them") {
  const Graph graph(default_context());
  const Node f = graph.input("f", f32, {2}), d = graph.input("d", f64, {2}), i = graph.input("i", i64, {2}),
             b = graph.input("b", boolean, {2});
  CHECK((f * 2).dtype() == f32);
  CHECK((2.5 / f).dtype() == f32);
  CHECK((1 - d).dtype() == f64);
  CHECK((i % 3).dtype() == i64);
  CHECK((3 < i).dtype() == boolean);
  CHECK((~b).dtype() == boolean);
  CHECK((b & true).dtype() == boolean);
  CHECK(where(b, 1.0, f).dtype() == f32);
  CHECK(maximum(0, d).dtype() == f64);
  const Graph mixed(default_context(), HARP_GRAPH_PROMOTE_MIXED);
  CHECK((mixed.input("f", f32, {2}) * std::complex<float>(0, 1)).dtype() == complex64);
  CHECK((mixed.input("i", i32, {2}) * 2.5).dtype() == f32);
  CHECK(pad(i, {1}, {1}, "constant", 7).dtype() == i64);
}

TEST_CASE("H6: operations with lists, options and several results") {
  const Graph graph(default_context());
  const Node x = graph.input("x", f32, {2, 3, 8, 8});
  const auto shape = [](const Node& node) {
    std::vector<int64_t> sizes;
    for (const Dim& dim : node.dims()) sizes.push_back(dim.get());
    return sizes;
  };
  using Shape = std::vector<int64_t>;
  CHECK(shape(x.sum({-1, -2})) == Shape{2, 3});
  CHECK(shape(x.sum({}, true)) == Shape{1, 1, 1, 1});
  CHECK(shape(x.reshape({6, -1})) == Shape{6, 64});
  CHECK(shape(x.slice({1}, {2})) == Shape{1, 3, 8, 8});
  CHECK(shape(x.slice({0, 0, 1}, {open_end, open_end, -1}, {1, 1, 2})) == Shape{2, 3, 3, 8});
  CHECK(shape(x.permute({0, 2, 3, 1})) == Shape{2, 8, 8, 3});
  CHECK(shape(conv2d(x, graph.input("k", f32, {5, 3, 3, 3}), none, 2, 1)) == Shape{2, 5, 4, 4});
  CHECK(shape(conv2d(x, graph.input("k2", f32, {5, 3, 3, 3}), graph.input("bias", f32, {5}))) == Shape{2, 5, 6, 6});
  PoolOptions options;
  options.stride = 2;
  CHECK(shape(max_pool(x, {3, 3}, options)) == Shape{2, 3, 3, 3});
  CHECK(shape(x.layer_norm(-1)) == Shape{2, 3, 8, 8});
  CHECK(shape(concat({x, x}, 1)) == Shape{2, 6, 8, 8});
  const auto [values, indices] = topk(x, 2);
  CHECK(shape(values) == Shape{2, 3, 8, 2});
  CHECK(indices.dtype() == i64);
  CHECK(split(x, 4, -1).size() == 4);
  CHECK(x.unstack(1).size() == 3);
  CHECK(shape(einsum("nchw,ncij->hi", {x, x})) == Shape{8, 8});
  CHECK(grad(x.sum(), {x})[0].rank() == 4);
  CHECK(depends(x * 2, x));
  CHECK_FALSE(depends(x, x * 2));
  CHECK(error_of([&] { grad(floor(x.argmax() * 1.0), {x}); }).code() != HARP_OK);
}

TEST_CASE("H6: symbolic sizes have arithmetic") {
  const Graph graph(default_context());
  const Dim n = graph.dim("n", 1, 100), m = graph.dim("m", 1, 100);
  const Node x = graph.input("x", f32, {2 * n, m});
  CHECK(x.reshape({n, 2, m}).dim(0).get() == n.get());
  CHECK((n * 2).get() == (n + n).get());
  CHECK((Dim(6) / 4).get() == 1);
  CHECK((Dim(-7) / 2).get() == -4);
  CHECK((Dim(-7) % 2).get() == 1);
  CHECK(max(n - n + 3, 2).get() == 3);
  CHECK(x.reshape({2 * n * m}).rank() == 1);
  CHECK(error_of([&] { x.dim(2); }).code() == HARP_ERROR_SHAPE);
  CHECK(error_of([&] { x.reshape({n + 1, -1}); }).code() == HARP_ERROR_SHAPE);
}

TEST_CASE("H6: a program of some nodes, whose graph is then built on") {
  const Graph graph(default_context());
  const Node a = graph.input("a", f64, {3}), b = graph.input("b", f64, {3}), unused = graph.input("c", f64, {3});
  const Program first = graph.compile({a * b});
  CHECK(first.input_count() == 2);
  const Program second = graph.compile({a * b + unused, exp(a)});
  CHECK(second.input_count() == 3);
  CHECK(second.output_count() == 2);
  const size_t before = graph.node_count();
  graph.drop_unreachable({a, b});
  CHECK(graph.node_count() < before);
  CHECK((a - b).rank() == 1);
}

TEST_CASE("H6: a compilation ends when the flag of its options is set, and the graph can be compiled again") {
  const Graph graph(default_context());
  graph.output("y", tanh(graph.input("x", f32, {7}) * 3.71));
  CompileOptions options;
  int32_t cancel = 1;
  options.cancel = &cancel;
  CHECK(error_of([&] { static_cast<void>(graph.compile(options)); }).code() == HARP_ERROR_CANCELLED);
  cancel = 0;
  CHECK(graph.compile(options));
}
