// Tests reductions of columns, by groups of threads (lower/gpu/group_columns.h) or by one thread per column. Their results must be
// bit-identical to the interpreter's in every order of threads. A kernel with a fault must give other bits.
#include <utility>

#include "cuda/checked_programs.h"

using namespace harp;
using namespace harp::cuda_test;

namespace {

constexpr int kDataSets = 6;  // one data set is not enough: a NaN in it can hide that the order of a sum is wrong

/// Returns the schedules of the graph's kernels on a GPU, as `harp emit --lang schedule` prints them.
std::string schedules_of(const std::string& body) {
  const auto graph = parse_graph(cat("harp 1\ngraph g(", body, "\n}\n"), grad::text_operations());
  return emit_stage(*graph, options_for_cuda(false), "schedule");
}
bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("C1 L5.thread_group/cuda: sums of columns of every length, of few and of many, have the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  constexpr std::pair<int, int> kShapes[] = {{33, 3},  {64, 8},   {100, 1},   {256, 2},  {257, 5},  {300, 16}, {512, 3},
                                             {513, 3}, {1000, 4}, {70000, 2}, {257, 33}, {300, 40}, {700, 130}};
  for (const auto& [rows, columns] : kShapes) {
    programs.add(cat("x: f32[", rows, ", ", columns, "]) {\n  return y = sum(x, axes=[0])"));
    CHECK(programs.has("__shared__"));
  }
  programs.add("x: f32[n, 6]) {\n  return y = sum(x, axes=[0])", {{0}, {1}, {31}, {256}, {700}, {5000}});
  programs.add("x: f32[n, m in 0..9]) {\n  return y = sum(x, axes=[0])", {{0, 3}, {50, 0}, {1, 1}, {300, 9}, {3000, 2}});
  programs.add("x: f32[n, m]) {\n  return y = sum(x, axes=[0])", {{0, 3}, {50, 0}, {1, 1}, {300, 70}, {1500, 33}});
  programs.check();
}

TEST_CASE("C1: reductions of few columns of every dtype have the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  for (const std::string_view dtype : {"f16", "bf16", "f32", "f64"})
    programs.add(cat("x: ", dtype, "[700, 3], y: ", dtype,
                     "[700, 3]) {\n  return a = sum(x, axes=[0]), b = prod(x, axes=[0]), c = max(x, axes=[0]), d = min(x, axes=[0]), e = "
                     "sum(mul(x, x), axes=[0]), f = sum(mul(x, y), axes=[0])"));
  for (const std::string_view dtype : {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"})
    programs.add(cat("x: ", dtype, "[700, 2]) {\n  return a = sum(x, axes=[0]), b = max(x, axes=[0]), c = sum(mul(x, x), axes=[0])"));
  programs.add("x: bool[700, 3]) {\n  return a = any(x, axes=[0]), b = all(x, axes=[0])");
  for (const std::string_view dtype : {"complex64", "complex128"})
    programs.add(cat("x: ", dtype, "[700, 3]) {\n  return a = sum(x, axes=[0]), b = mean(x, axes=[0])"));
  programs.check();
}

TEST_CASE("C1: reductions of few columns along several axes, of views and with fused operations have the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  programs.add("x: f32[4, 300, 3]) {\n  return y = sum(x, axes=[1])");
  programs.add("x: f32[5, 100, 2, 3]) {\n  return a = sum(x, axes=[1]), b = max(x, axes=[1])");
  programs.add("x: f32[20, 2, 30, 3]) {\n  return y = sum(x, axes=[0, 2])");
  programs.add("x: f32[k, 256, m in 1..5]) {\n  return y = sum(x, axes=[1])", {{0, 3}, {7, 1}, {3, 5}});
  programs.add("x: f32[5, 700]) {\n  return y = sum(x, axes=[1], order=chain)");
  programs.add("x: f32[900, 3], w: f32[3]) {\n  return y = mul(sqrt(mean(mul(exp(x), exp(x)), axes=[0])), w)");
  programs.add("x: f32[900, 3], w: f32[3]) {\n  return y = sum(mul(x, broadcast_to(w, [900, 3])), axes=[0])");
  programs.add(
      "x: f32[600, 7], y: f32[100, 7]) {\n  return y = sum(concat([x, y], axis=0), axes=[0]), z = sum(pad(x, [3, 0], [0, 2]), axes=[0])");
  programs.add("x: f32[700, 3]) {\n  return m = mean(x, axes=[0]), v = var(x, axes=[0])");
  programs.check();
}

TEST_CASE("L5.thread_group/cuda: which columns groups of threads reduce") {
  CHECK(contains(schedules_of("x: f32[4096, 3]) {\n  return y = sum(x, axes=[0])"), "reduce [thread, thread, thread_group]"));
  CHECK(contains(schedules_of("x: f32[300, 3]) {\n  return y = sum(x, axes=[0])"), "reduce [thread, thread_group]"));
  CHECK(contains(schedules_of("x: f32[1024, 4096]) {\n  return y = sum(x, axes=[0])"), "reduce [thread, thread, thread_group]"));
  CHECK(contains(schedules_of("x: f32[16384, 4096]) {\n  return y = sum(x, axes=[0])"), "reduce [thread, thread tile=1, reduce]"));
  CHECK_FALSE(contains(schedules_of("x: f32[20, 3]) {\n  return y = sum(x, axes=[0])"), "thread_group"));
  CHECK_FALSE(contains(schedules_of("x: f32[100000, 4, 3]) {\n  return y = sum(x, axes=[1])"), "thread_group"));
  CHECK_FALSE(contains(schedules_of("x: f32[100000, 40, 3]) {\n  return y = sum(x, axes=[1])"), "thread_group"));
}

TEST_CASE("C1: a reduction of few columns with a fault has other bits") {
  CheckedPrograms programs;
  programs.add("x: f32[300, 3]) {\n  return y = sum(x, axes=[0])");
  Faults faults(programs.last());
  // fault: without the first barrier, threads combine elements that other threads have not yet copied
  faults.replace("__syncthreads();", "");
  // fault: the threads use wrong row numbers within a tile
  faults.replace("thread / 4", "thread / 2");
  faults.check(kDataSets);
}
