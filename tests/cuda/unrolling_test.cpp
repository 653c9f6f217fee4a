// Tests the pragmas in CUDA texts that keep compilers from unrolling loops with long bodies (render/cuda/unrolling.h). These tests look at
// the texts; golden_compile_test.py compiles such texts, without spilled registers.
#include <doctest/doctest.h>

#include <iterator>
#include <regex>
#include <string>

#include "base/text.h"
#include "cuda/emulated_programs.h"
#include "grad/operation.h"
#include "graph/text.h"
#include "render/cuda/render.h"
#include "support/group_kernels.h"

namespace {

using namespace harp;
using harp::testing::GroupBuilder;

/// Returns the CUDA text of the graph with these parameters and statements.
std::string source_of(const std::string& body) {
  const auto graph = parse_graph(cat("harp 1\ngraph g(", body, "\n}\n"), grad::text_operations());
  return emit_stage(*graph, cuda_test::options_for_cuda(false), "cuda");
}

/// Returns the number of loops of the text that compilers must not unroll and whose heads begin with the regular expression `head`.
size_t count_marked(const std::string& text, const std::string& head) {
  const std::regex marked(cat("#pragma unroll 1\n *", head));
  return static_cast<size_t>(std::distance(std::sregex_iterator(text.begin(), text.end(), marked), std::sregex_iterator()));
}

constexpr const char* kAnyLoop = R"(for \(i64 )";
constexpr const char* kThreadLoop = R"(for \(i64 ridx0\w* = \(i64\)blockIdx\.x)";

}  // namespace

TEST_CASE("C1: compilers must not unroll a loop over few rows, each of which is long code") {
  const auto softmax_of = [](const std::string& rows) {
    return source_of(cat("x: f32[", rows, ", 1000]) {\n  return y = softmax(x, axis=-1)"));
  };
  const std::string few = softmax_of("64");
  CHECK_MESSAGE(count_marked(few, kThreadLoop) == 1, few);
  // the loop over the elements of a thread is unrolled, so that the elements stay in registers
  CHECK_MESSAGE(few.find("#pragma unroll 15\n") != few.npos, few);
  CHECK(count_marked(softmax_of("n"), kThreadLoop) == 0);
  CHECK(count_marked(softmax_of("1000000"), kThreadLoop) == 0);
  CHECK(count_marked(source_of("x: f32[1024]) {\n  return y = mul(x, x)"), kAnyLoop) == 0);
}

TEST_CASE("C1: compilers must not unroll the main loop of a product of which they know that it has at most 8 steps") {
  const std::string text = source_of("a: f32[m, k], b: f32[k, n]) {\n  return c = matmul(a, b)");
  // Two loops, one with asynchronous copies and one without, must not be unrolled. Each step computes 32 of the 256 terms of a slice.
  CHECK_MESSAGE(count_marked(text, R"(for \(i64 ridx\d+ = 0; ridx\d+ < oidx\d+; )") >= 2, text);
  CHECK(text.find("#pragma unroll 32\n") != text.npos);
}

TEST_CASE("C1: compilers may unroll a loop whose variable selects registers") {
  const auto text_of = [](bool selects) {
    GroupBuilder b(32);
    const int x = b.input(DType::kF32), y = b.output(DType::kF32), sums = b.own(DType::kF32, 8);
    const auto steps = [&](Sym j) {
      return ir::Body{b.each(
          "i", 64,
          [&](Sym i) {
            const auto add = [&](Sym k) { return ir::Body{b.update(sums, selects ? j : Sym(0), b.load(DType::kF32, 0, i * 16 + k, 1))}; };
            return ir::Body{b.each("k", 16, add, ir::LoopKind::kUnroll)};
          },
          ir::LoopKind::kUnroll)};
    };
    const auto block = [&](Sym number) {
      return ir::Body{b.group([&](Sym t) {
        return ir::Body{b.declare(sums), b.each("j", 8, steps), b.store(1, number * 32 + t, b.acc(sums, 0))};
      })};
    };
    b.finish(b.each("block", 1000, block), {x}, {y});
    ir::verify(b.module);
    ir::apply_schedule(b.module);
    return render::render_cuda(b.module, {.target = gpu_machines()[0], .plain_text = true}).source;
  };
  CHECK(count_marked(text_of(false), kAnyLoop) == 1);
  CHECK(count_marked(text_of(true), kAnyLoop) == 0);
}
