// Tests long reductions, whose blocks are computed by several threads (schedule/split_reductions.cpp). docs/semantics.md defines the blocks
// and how their results are combined, so the result does not depend on which thread computes which block, nor on the order, and is
// bit-identical to the interpreter's. A reduction that may be short is one kernel.
#include <algorithm>
#include <limits>

#include "support/backends_run.h"
#include "support/machine.h"

using namespace capi_test;

namespace {

/// A parallel_for that runs the iterations one by one in reverse order, each with another worker number.
struct Backwards {
  static constexpr size_t kWidth = 3;
  size_t most = 0;  // the largest number of iterations of one parallel loop so far

  static void run(void* self, size_t n, size_t, harp_range_body body, void* arg) {
    size_t& most = static_cast<Backwards*>(self)->most;
    most = std::max(most, n);
    for (size_t i = n; i-- > 0;) body(arg, i, i + 1, i % kWidth);
  }
};

/// Checks that the outputs equal the interpreter's when the iterations of parallel loops run in reverse order. Returns the largest number
/// of iterations of one parallel loop. If this CPU cannot run the program, no loop runs; returns a number that no check finds too small.
size_t shared_iterations(const std::string& text, std::vector<Values<float>> inputs) {
  CAPTURE(text);
  Backwards workers;
  const Context context = make_context([&](auto& options) {
    options.parallel_for_user = &workers;
    options.parallel_for = Backwards::run;
    options.width = Backwards::kWidth;
  });
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  std::vector<Buffer> wrapped;
  std::vector<harp_buffer*> handles;
  for (Values<float>& input : inputs) {
    wrapped.push_back(wrap(context.get(), input.items, input.dims));
    handles.push_back(wrapped.back().get());
  }
  run_everywhere(graph.get(), handles, !is_sampled(text));
  return harp::can_run(harp::testing::machine()) ? workers.most : std::numeric_limits<size_t>::max();
}

/// Returns the number of kernels of a graph. If the graph has a shape variable, its value is 100.
int kernels_of(const std::string& text) { return Backends().cost(text, {100}).kernels; }

}  // namespace

TEST_CASE("L5.merge_order/c X2.threads/c G3: blocks of a long reduction are shared, and merged in the order of the law") {
  for (const int64_t n : {65537, 69632, 100003, 200000}) {
    const std::string x = "x: f32[" + std::to_string(n) + "]";
    const Values<float> a = rough({n}, 1), b = rough({n}, 2);
    CHECK(shared_iterations("graph g(" + x + ") {\n  return s = sum(x), m = max(x), l = min(x), p = prod(x * 0.001)\n}", {a}) > 10);
    CHECK(shared_iterations("graph g(" + x + ", y" + x.substr(1) + ") {\n  return d = sum(x * y), e = sum(x * 3) + 1\n}", {a, b}) > 10);
  }
  const Values<float> x = rough({100003}, 3);
  for (const char* dtype : {"f64", "f16", "bf16", "i8", "u16", "i64", "complex64"})
    CHECK(shared_iterations("graph g(x: f32[100003]) {\n  y = cast(x * 0.01, dtype=" + std::string(dtype) +
                                ")\n  return s = sum(y), d = sum(y * y), p = prod(y)\n}",
                            {x}) > 10);
  CHECK(shared_iterations("graph g(x: f32[100003]) {\n  return a = any(x > 2000), b = all(x > -1), i = argmax(x), v = var(x)\n}", {x}) >
        10);
  // Tests reductions of rows, of columns, and of several axes with a kept axis between them.
  CHECK(shared_iterations("graph g(x: f32[3, 70001]) {\n  return s = sum(x, axes=[1]), f = softmax(x), n = norm(x)\n}",
                          {rough({3, 70001}, 4)}) > 10);
  CHECK(shared_iterations("graph g(x: f32[70001, 3]) {\n  return s = sum(x, axes=[0]), m = max(x, axes=[0], keepdims=true)\n}",
                          {rough({70001, 3}, 5)}) > 10);
  CHECK(shared_iterations("graph g(x: f32[300, 7, 290], w: f32[7]) {\n  y = permute(x, axes=[0, 2, 1])\n"
                          "  return s = sum(y, axes=[0, 1]), t = sum(x, axes=[2, 0]), w = sum(flip(x, axes=[0]))\n}",
                          {rough({300, 7, 290}, 6), rough({7}, 7)}) > 10);
  CHECK(shared_iterations("graph g(a: f32[70001], b: f32[70001, 5]) {\n  return y = a @ b\n}", {rough({70001}, 8), rough({70001, 5}, 9)}) >
        10);
}

TEST_CASE("L5.merge_order/c G17: only what is long whatever the sizes is cut into blocks, and little of it is computed twice") {
  CHECK(kernels_of("graph g(x: f32[65536]) {\n  return y = sum(x)\n}") == 1);
  CHECK(kernels_of("graph g(x: f32[69632]) {\n  return y = sum(x)\n}") == 2);  // 17 blocks
  // 17 blocks and one more element: a third kernel is needed for the remainder.
  CHECK(kernels_of("graph g(x: f32[69633]) {\n  return y = sum(x)\n}") == 3);
  CHECK(kernels_of("graph g(x: f32[69633]) {\n  return y = sum(x), z = max(x) * 2\n}") == 4);
  CHECK(kernels_of("graph g(x: f32[n]) {\n  return y = sum(x)\n}") == 1);
  // 64 rows are enough parallel work, so rows are not split into blocks.
  CHECK(kernels_of("graph g(x: f32[64, 70000]) {\n  return y = sum(x, axes=[1])\n}") == 1);
  // exp(x) is recomputed by each kernel instead of stored. A separate kernel for the remainder of 672 elements does not justify storing it.
  CHECK(kernels_of("graph g(x: f32[70304]) {\n  e = exp(x)\n  return y = e / sum(e)\n}") == 4);
  // Reductions that are parts of a concat write their results directly to the joined array.
  CHECK(kernels_of("graph g(x: f32[8, 40], y: f32[8, 30]) {\n  return z = concat(sum(x, axes=[1]), max(y, axes=[1]), axis=0)\n}") == 2);
}
