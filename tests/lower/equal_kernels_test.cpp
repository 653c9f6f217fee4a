// Kernels that differ only in their arrays are lowered only once (lower/equal_kernels.h). The tests count the kernels that remain, and
// check which differences make kernels unequal. (The fuzzer (fuzz/layer_patterns.h) and the examples of networks check that each launch
// gets its own arrays.)
#include <doctest/doctest.h>

#include "base/text.h"
#include "graph/text.h"
#include "lower/lower.h"
#include "pipeline.h"
#include "schedule/schedule_program.h"
#include "support/machine.h"

using namespace harp;

namespace {

struct Counted {
  size_t kernels, launches;
  bool operator==(const Counted&) const = default;
};

Counted lowered(std::string_view inputs, std::string_view body) {
  const auto graph = parse_graph(cat("graph g(", inputs, ") {\n", body, "\n}"));
  PipelineOptions options;
  options.target = testing::row("x86-64-v4");
  const Program program = schedule_graph(optimised(*graph, options), {options.target, 0, {}});
  const std::shared_ptr<ir::Module> module = lower::lower_program(program);
  CHECK_NOTHROW(ir::verify(*module));
  Counted counted{module->kernels.size(), 0};
  for (const ir::Generation& generation : module->generations) counted.launches += generation.launches.size();
  return counted;
}

constexpr std::string_view kSquares = "a: f32[40, 40], b: f32[40, 40], c: f32[40, 40], d: f32[40, 40]";

}  // namespace

TEST_CASE("L2.kernel_function/c: layers that are equal but for their arrays are one kernel") {
  CHECK(lowered("x: f32[n, m in 17..4096], y: f32[n, m]", "  return p = sum(exp(x), axes=[1]), q = sum(exp(y), axes=[1])") ==
        Counted{1, 2});
  CHECK(lowered("x: f32[30, 8], y: f32[30, 8]", "  return p = cumsum(x, axis=0), q = cumsum(y, axis=0)") == Counted{1, 2});
  // In the product of the first convolution, the operands are in the other order. Its C code would equal that of the other two
  // convolutions, but kernels are compared before C code is generated, so two kernels remain.
  const Counted network =
      lowered("x: f32[1, 8, 16, 16], u: f32[8, 8, 3, 3], v: f32[8, 8, 3, 3], w: f32[8, 8, 3, 3]",
              "  p = conv2d(x, u, padding=[1, 1])\n  q = conv2d(p, v, padding=[1, 1])\n  return r = conv2d(q, w, padding=[1, 1])");
  CHECK(network == Counted{2, 3});
}

TEST_CASE("L2.kernel_function/c: kernels that differ in more than their arrays are different ones") {
  const auto two = [](std::string_view p, std::string_view q, std::string_view inputs = kSquares) {
    CAPTURE(p);
    CAPTURE(q);
    const Counted counted = lowered(inputs, cat("  return p = ", p, ", q = ", q));
    CHECK(counted.launches == 2);
    return counted.kernels == 2;
  };
  CHECK_FALSE(two("sum(a * b, axes=[1])", "sum(c * d, axes=[1])"));
  CHECK(two("sum(a * b, axes=[1])", "sum(c * c, axes=[1])"));          // the operands are two arrays, then the same array twice
  CHECK(two("sum(c * c, axes=[1])", "sum(a * b, axes=[1])"));          // the operands are the same array twice, then two arrays
  CHECK(two("sum(a * 2.0, axes=[1])", "sum(b * 3.0, axes=[1])"));      // different constants
  CHECK(two("sum(exp(a), axes=[1])", "sum(tanh(b), axes=[1])"));       // different operations
  CHECK(two("sum(a, axes=[1])", "max(b, axes=[1])"));                  // different reductions
  CHECK(two("sum(a, axes=[1])", "sum(b, axes=[0])"));                  // different axes
  CHECK(two("cumsum(a, axis=1)", "cumsum(b, axis=1, reverse=true)"));  // different directions
  CHECK(two("sum(slice(a, start=[0, 0], stop=[20, 20]), axes=[1])", "sum(slice(b, start=[0, 1], stop=[20, 21]), axes=[1])"));  // offsets
  CHECK(two("sum(x, axes=[1])", "sum(y, axes=[1])", "x: f32[20, 30], y: f32[20, 31]"));                                        // sizes
  CHECK(two("sum(x, axes=[1])", "sum(y, axes=[1])", "x: f32[n, 30], y: f32[m, 30]"));
  CHECK(two("sum(x, axes=[1])", "sum(y, axes=[1])", "x: f32[20, 30], y: f64[20, 30]"));  // different dtypes
}

TEST_CASE("L2.kernel_function/c: a kernel that may work in place is not one that may not") {
  // Another kernel reads x later, but none reads y. So only the softmax of y may overwrite its input.
  const std::string_view softmaxes = "  p = softmax(x, axis=1)\n  q = softmax(y, axis=1)\n";
  CHECK(lowered("x: f32[50, 60], y: f32[50, 60]", cat(softmaxes, "  return p = p, q = q, r = max(x, axes=[0])")).kernels == 3);
  CHECK(lowered("x: f32[50, 60], y: f32[50, 60]", cat(softmaxes, "  return p = p, q = q, r = max(p, axes=[0])")).kernels == 2);
}

TEST_CASE("L2.kernel_function/c: what has a place of its own in the program is never one for two") {
  CHECK(lowered("x: f32[20, 30], y: f32[20, 30]", "  return p = sort(x), q = sort(y)") == Counted{2, 2});
}
