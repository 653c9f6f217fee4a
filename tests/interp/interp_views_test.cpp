// Tests movement ops, concats, inputs and constants, and the interpreter's interface: views of views are compared with index arithmetic;
// symbolic sizes; empty arrays; and the caller's floating-point modes.
#include <doctest/doctest.h>

#include <functional>
#include <numeric>
#include <thread>

#include "base/error.h"
#include "base/text.h"
#include "graph/text.h"
#include "support/interp_run.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace harp;
using namespace harp::testing;

namespace {

using I = std::vector<int32_t>;

I iota(int32_t count) {
  I values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

/// Returns the result of `build` for an i32 input of this shape with the elements 0, 1, 2 ...
I view(Shape shape, const std::function<const Node*(const Node*)>& build, const std::vector<int64_t>& sizes = {}) {
  Graph graph;
  int32_t count = 1;
  for (const Dim dim : shape) count *= static_cast<int32_t>(dim.constant());
  const Node* x = graph.add_input("x", DType::kI32, std::move(shape));
  graph.add_output("y", build(x));
  return values_of<int32_t>(run(graph, {bytes_of(iota(count))}, sizes)[0]);
}

const Node* slice(const Node* x, std::vector<build::SliceSpec> specs) { return build::slice(x, specs); }
const Node* permute(const Node* x, std::vector<int> axes) { return build::permute(x, axes); }
const Node* pad(const Node* x, std::vector<Dim> before, std::vector<Dim> after, int64_t value) {
  return build::pad(x, before, after, scalar_from_int(x->dtype, value));
}

}  // namespace

TEST_CASE("G5.permute,expand,reshape,slice,flip/interp: permute, expand, reshape, slice, flip") {
  CHECK(view({2, 3}, [](auto x) { return permute(x, {1, 0}); }) == I{0, 3, 1, 4, 2, 5});
  CHECK(view({2, 1}, [](auto x) { return build::expand(x, {2, 3}); }) == I{0, 0, 0, 1, 1, 1});
  CHECK(view({2, 3}, [](auto x) { return build::reshape(x, {3, 2}); }) == iota(6));
  CHECK(view({6}, [](auto x) { return slice(x, {{Dim(1), Dim(6), 2}}); }) == I{1, 3, 5});
  CHECK(view({6}, [](auto x) { return slice(x, {{std::nullopt, std::nullopt, -1}}); }) == I{5, 4, 3, 2, 1, 0});
  CHECK(view({6}, [](auto x) { return slice(x, {{Dim(-2), Dim(0), -2}}); }) == I{4, 2});
  CHECK(view({6}, [](auto x) { return slice(x, {{Dim(4), Dim(2), 1}}); }).empty());
  CHECK(view({2, 2, 3}, [](auto x) { return permute(x, {2, 0, 1}); }) == I{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11});
  CHECK(view({}, [](auto x) { return build::expand(build::reshape(x, {1, 1}), {2, 2}); }) == I{0, 0, 0, 0});
}

TEST_CASE("G5: reshapes of views keep row-major order, with and without a copy") {
  // The first reshape splits the axis of a flipped view, which strides can express. The next reshapes merge two permuted axes, which
  // strides cannot express.
  CHECK(view({6}, [](auto x) { return build::reshape(slice(x, {{std::nullopt, std::nullopt, -1}}), {2, 3}); }) == I{5, 4, 3, 2, 1, 0});
  CHECK(view({2, 3}, [](auto x) { return build::reshape(permute(x, {1, 0}), {6}); }) == I{0, 3, 1, 4, 2, 5});
  CHECK(view({2, 3}, [](auto x) { return build::reshape(permute(x, {1, 0}), {2, 3}); }) == I{0, 3, 1, 4, 2, 5});
  CHECK(view({2, 1, 3}, [](auto x) {
          return build::reshape(build::expand(x, {2, 2, 3}), {4, 3});
        }) == I{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  CHECK(view({4, 3}, [](auto x) {
          return build::reshape(slice(x, {{std::nullopt, std::nullopt, 2}, {}}), {1, 2, 1, 3, 1});
        }) == I{0, 1, 2, 6, 7, 8});
  CHECK(view({0, 3}, [](auto x) { return build::reshape(x, {7, 0}); }).empty());
}

TEST_CASE("G5: unfold shows windows") {
  CHECK(view({5}, [](auto x) { return build::unfold(x, 0, 3, 1, 1); }) == I{0, 1, 2, 1, 2, 3, 2, 3, 4});
  CHECK(view({7}, [](auto x) { return build::unfold(x, 0, 2, 3, 2); }) == I{0, 2, 3, 5});
  CHECK(view({4, 2}, [](auto x) { return build::unfold(x, 0, 2, 2, 1); }) == I{0, 2, 1, 3, 4, 6, 5, 7});
  const auto shape_of = [](const char* dims, const char* arguments) {  // returns the shape of the result of unfold
    const auto graph = parse_graph(cat("graph g(x: f32[", dims, "]) { return y = unfold(x, ", arguments, ") }"));
    return to_string(graph->outputs()[0].node->shape);
  };
  CHECK(shape_of("5", "axes=[0], size=0") == "[6, 0]");
  CHECK(shape_of("5", "axes=[0], size=0, stride=2") == "[3, 0]");
  CHECK(shape_of("0, 3", "axes=[0], size=0") == "[1, 3, 0]");
  CHECK(shape_of("n", "axes=[0], size=0, stride=2") == "[n // 2 + 1, 0]");
  CHECK(view({5}, [](auto x) { return build::unfold(x, 0, 0, 1, 1); }).empty());
}

TEST_CASE("G14.pad,concat/interp: pad and concat") {
  CHECK(view({2}, [](auto x) { return pad(x, {Dim(1)}, {Dim(2)}, 9); }) == I{9, 0, 1, 9, 9});
  CHECK(view({2, 2}, [](auto x) {
          return pad(permute(x, {1, 0}), {Dim(0), Dim(1)}, {Dim(1), Dim(0)}, -1);
        }) == I{-1, 0, 2, -1, 1, 3, -1, -1, -1});
  CHECK(view({0, 2}, [](auto x) { return pad(x, {Dim(1), Dim(0)}, {Dim(0), Dim(0)}, 5); }) == I{5, 5});
  CHECK(view({2, 2}, [](auto x) {
          const Node* const parts[] = {x, slice(x, {{}, {Dim(1), Dim(2), 1}}), slice(x, {{}, {Dim(0), Dim(0), 1}}), x};
          return build::concat(parts, 1);
        }) == I{0, 1, 1, 0, 1, 2, 3, 3, 2, 3});
  CHECK(view({2}, [](auto x) {
          const Node* const parts[] = {x, x};
          return build::concat(parts, 0);
        }) == I{0, 1, 0, 1});
}

TEST_CASE("G6.contiguous/interp: contiguous has the values of its source") {
  CHECK(view({2, 3}, [](auto x) { return build::contiguous(permute(x, {1, 0})); }) == I{0, 3, 1, 4, 2, 5});
}

TEST_CASE("G5: movement keeps NaN payloads and element sizes") {
  for (const DType dtype : {DType::kBool, DType::kI32, DType::kI64, DType::kF32, DType::kF64}) {
    Graph graph;
    const Node* x = graph.add_input("x", dtype, {2, 2});
    graph.add_output("y", pad(permute(x, {1, 0}), {Dim(0), Dim(0)}, {Dim(1), Dim(0)}, 1));
    const size_t size = size_of(dtype);
    Bytes data(4 * size);
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = is_bool(dtype) ? std::byte(i & 1) : std::byte(0xff - i);  // as floats, these bytes are NaNs with payloads
    const Bytes result = run(graph, {data})[0];
    REQUIRE(result.size() == 6 * size);
    const size_t order[] = {0, 2, 1, 3};
    for (size_t i = 0; i < 4; ++i) CHECK(std::memcmp(result.data() + i * size, data.data() + order[i] * size, size) == 0);
  }
}

TEST_CASE("G16.one_kernel/interp G12.arange,arange_symbolic/interp: shape variables size inputs, arange, size, slices and pads") {
  Graph graph;
  const Dim n = graph.dims().variable("n", 0, 1000), m = graph.dims().variable("m", 1, 1000);
  const Node* x = graph.add_input("x", DType::kI32, {n, m});
  graph.add_output("twice", build::elementwise(Op::kAdd, {x, x}));
  graph.add_output("count", build::size(graph, n * m + 1));
  graph.add_output("range", build::arange(graph, n * 2));
  graph.add_output("last", slice(x, {{}, {m - 1, m, 1}}));
  graph.add_output("padded", pad(x, {Dim(0), m - 1}, {n, Dim(0)}, 7));
  graph.add_output("flat", build::reshape(x, {n * m}));
  const std::vector<Bytes> outputs = run(graph, {bytes_of(iota(6))}, {3, 2});
  CHECK(values_of<int32_t>(outputs[0]) == I{0, 2, 4, 6, 8, 10});
  CHECK(values_of<int64_t>(outputs[1]) == std::vector<int64_t>{7});
  CHECK(values_of<int32_t>(outputs[2]) == iota(6));
  CHECK(values_of<int32_t>(outputs[3]) == I{1, 3, 5});
  CHECK(values_of<int32_t>(outputs[4]) == I{7, 0, 1, 7, 2, 3, 7, 4, 5, 7, 7, 7, 7, 7, 7, 7, 7, 7});
  CHECK(values_of<int32_t>(outputs[5]) == iota(6));
  const std::vector<Bytes> empty = run(graph, {{}}, {0, 5});
  CHECK(values_of<int64_t>(empty[1]) == std::vector<int64_t>{1});
  for (const size_t i : {0, 2, 3, 4, 5}) CHECK(empty[i].empty());
}

TEST_CASE("G1.dag: constant arrays, shared nodes, inputs given straight out") {
  Graph graph;
  const Node* x = graph.add_input("x", DType::kBool, {3});
  const Node* unused = graph.add_input("unused", DType::kF64, {2});
  const I table = {10, 20, 30};
  const Node* array = build::constant_array(graph, DType::kI32, {3}, std::as_bytes(std::span(table)));
  graph.add_output("same", x);
  graph.add_output("again", x);
  graph.add_output("picked", build::elementwise(Op::kWhere, {x, array, build::elementwise(Op::kNeg, {array})}));
  const std::vector<Bytes> outputs = run(graph, {bytes_of<uint8_t>({3, 0, 1}), Bytes()});  // an unused input is not read
  CHECK(unused->rank() == 1);
  CHECK(values_of<uint8_t>(outputs[0]) == std::vector<uint8_t>{1, 0, 1});  // a bool output is 0 or 1
  CHECK(outputs[1] == outputs[0]);
  CHECK(values_of<int32_t>(outputs[2]) == I{10, -20, 30});
}

TEST_CASE("G1.dag: a chain of 100,000 nodes, and many users of one node") {
  Graph graph;
  const Node* x = graph.add_input("x", DType::kI32, {2});
  const Node* one = build::constant(graph, scalar_from_int(DType::kI32, 1));
  const Node* y = x;
  for (int i = 0; i < 100000; ++i) y = build::elementwise(i % 2 ? Op::kAdd : Op::kBitXor, {y, one});
  graph.add_output("y", y);
  int32_t expected = 5;
  for (int i = 0; i < 100000; ++i) expected = i % 2 ? expected + 1 : expected ^ 1;
  CHECK(values_of<int32_t>(run(graph, {bytes_of<int32_t>({5, 5})})[0]) == I{expected, expected});
}

TEST_CASE("H4: wrong counts and missing values are errors, and outputs stay untouched") {
  Graph graph;
  const Dim n = graph.dims().variable("n", -5, 5);
  graph.add_output("y", build::arange(graph, n));
  int32_t result[5] = {42, 42, 42, 42, 42};
  void* outputs[] = {result};
  const int64_t negative[] = {-1};
  CHECK_THROWS_WITH_AS(interpret(graph, {}, {}, negative), doctest::Contains("0 inputs and 1 outputs"), Error);
  CHECK_THROWS_WITH_AS(interpret(graph, {}, outputs, {}), doctest::Contains("1 shape variables, got 0 values"), Error);
  CHECK_THROWS_WITH_AS(interpret(graph, {}, outputs, negative), doctest::Contains("size n is -1"), Error);
  CHECK(result[0] == 42);
}

TEST_CASE("X2: results do not depend on the host's floating-point modes, which are left as they were") {
  Graph graph;
  const Node* x = graph.add_input("x", DType::kF32, {3});
  graph.add_output("half", build::elementwise(Op::kMul, {x, build::constant(graph, scalar_from_double(DType::kF32, 0.5))}));
  graph.add_output("third", build::elementwise(Op::kDiv, {x, build::constant(graph, scalar_from_double(DType::kF32, 3.0))}));
  const std::vector<Bytes> inputs = {bytes_of<float>({1e-40f, 1.0f, -7.0f})};
  const std::vector<Bytes> expected = run(graph, inputs);
  CHECK(values_of<float>(expected[0])[0] == 5e-41f);
#if defined(__x86_64__)
  const unsigned host = _mm_getcsr();
  const unsigned engine = (host | 0x8040) | 0x6000;  // the mode bits: flush to zero, denormals are zero, round towards zero
  _mm_setcsr(engine);
  const std::vector<Bytes> in_engine = run(graph, inputs);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(host);
  CHECK(in_engine == expected);
  CHECK((after & ~0x3fu) == (engine & ~0x3fu));  // the status flags may differ, because operations only ever set them
#endif
}

TEST_CASE("H4: one graph runs on several threads at once") {
  Graph graph;
  const Dim n = graph.dims().variable("n", 0, 10000);
  const Node* x = graph.add_input("x", DType::kF32, {n});
  const int axes[] = {0};
  graph.add_output("sum", build::reduce(Op::kSum, build::elementwise(Op::kExp, {x}), axes, false));
  const std::vector<float> data(5000, 0.25f);
  const Bytes expected = run(graph, {bytes_of(data)}, {5000})[0];
  std::vector<Bytes> results(4);
  std::vector<std::thread> threads;
  for (Bytes& result : results) threads.emplace_back([&] { result = run(graph, {bytes_of(data)}, {5000})[0]; });
  for (std::thread& thread : threads) thread.join();
  for (const Bytes& result : results) CHECK(result == expected);
}
