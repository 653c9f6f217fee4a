// Tests scans along columns (lower/gpu/scan_columns.h), by groups of threads or by one thread per column. Their results must be
// bit-identical to the interpreter's in every order of threads. A kernel with a fault must give other bits.

#include <utility>

#include "base/error.h"
#include "cuda/checked_programs.h"

using namespace harp;
using namespace harp::cuda_test;

namespace {

constexpr int kDataSets = 6;  // one data set is not enough: a NaN in it can hide that the order of a sum is wrong

/// Returns the schedules of the graph's kernels on a GPU, as `harp emit --lang schedule` prints them.
std::string schedules_of(const std::string& body, const std::string& schedule = {}) {
  PipelineOptions options = options_for_cuda(false);
  options.schedule_override = schedule;
  return emit_stage(*parse_graph(cat("harp 1\ngraph g(", body, "\n}\n"), grad::text_operations()), options, "schedule");
}
bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// Returns the text with the occurrence number `which` of `from` replaced; the first one has number 0.
std::string replaced_at(const std::string& text, size_t which, std::string_view from, std::string_view to) {
  size_t at = text.find(from);
  for (; which > 0 && at != text.npos; --which) at = text.find(from, at + 1);
  REQUIRE_MESSAGE(at != text.npos, "the text has too few \"", from, "\":\n", text);
  return text.substr(0, at) + std::string(to) + text.substr(at + from.size());
}

}  // namespace

TEST_CASE("C1 L5.thread_group/cuda: scans along few and many columns of every length have the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  constexpr std::pair<int, int> kShapes[] = {{33, 3},   {64, 8},    {100, 1},  {129, 32}, {257, 33}, {300, 70},
                                             {1000, 5}, {1024, 16}, {4095, 4}, {4096, 2}, {4097, 3}, {9000, 17}};
  for (const auto& [rows, columns] : kShapes) {
    programs.add(cat("x: f32[", rows, ", ", columns, "]) {\n  return y = cumsum(x, axis=0)"));
    CHECK(programs.has("__shared__"));
  }
  programs.add("x: f32[n, 6]) {\n  return y = cumsum(x, axis=0)", {{0}, {1}, {31}, {4096}, {4097}, {13000}});
  programs.add("x: f32[n, m]) {\n  return y = cumsum(x, axis=0)", {{0, 3}, {7, 0}, {1, 1}, {40, 2}, {4100, 33}, {9000, 1}, {600, 130}});
  programs.check();
}

TEST_CASE("C1: scans along an axis between others, and chains along the last axis, have the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  programs.add("x: f32[3, 5000, 2]) {\n  return y = cumsum(x, axis=1)");
  programs.add("x: f32[2, 3, 700, 5, 2]) {\n  return y = cumsum(x, axis=2)");
  programs.add("x: f32[k, n, 3, m]) {\n  return y = cumsum(x, axis=1)", {{2, 40, 2}, {1, 4097, 1}, {3, 0, 4}, {2, 300, 15}});
  programs.add("x: f32[1, 900, 1, 3]) {\n  return y = cumsum(x, axis=1)");
  programs.add("x: f32[3, 5000]) {\n  return y = cumsum(x, axis=1, order=chain)");
  programs.add("x: f32[500, 3]) {\n  return y = cumsum(x, axis=0, order=tree)");
  programs.check();
}

TEST_CASE("C1: scans along columns of every dtype and operation have the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  for (const std::string_view dtype : {"f16", "bf16", "f32", "f64"})
    for (const int rows : {70, 5000})
      programs.add(cat("x: ", dtype, "[", rows,
                       ", 3]) {\n  return a = cumsum(x, axis=0), b = cumprod(x, axis=0), c = cummax(x, axis=0), d = cummin(x, axis=0), ",
                       "e = logcumsumexp(x, axis=0)"));
  for (const std::string_view dtype : {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"})
    programs.add(cat("x: ", dtype, "[5000, 2]) {\n  return a = cumsum(x, axis=0), b = cumprod(x, axis=0), c = cummax(x, axis=0)"));
  programs.add("x: bool[5000, 2]) {\n  return a = cummax(x, axis=0), b = cummin(x, axis=0)");
  for (const std::string_view dtype : {"complex64", "complex128"})
    programs.add(cat("x: ", dtype, "[5000, 3], r: ", dtype, "[3, 5000]) {\n  return a = cumsum(x, axis=0), b = cumsum(r, axis=1)"));
  CHECK(programs.has("extern __shared__"));  // two scans of f64 along rows need more shared memory than a kernel may declare
  programs.check();
}

TEST_CASE("C1: scans along columns with fused operations, in reverse, exclusive and of views have the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  programs.add("x: f32[5000, 3], w: f32[3]) {\n  return y = mul(cumsum(exp(x), axis=0), broadcast_to(w, [5000, 3]))");
  programs.add("x: f32[700, 3, 2]) {\n  y = cumsum(x, axis=0)\n  return y = y, z = add(y, x), w = sum(y, axes=[0])");
  programs.add("x: f32[9000, 3]) {\n  return y = cumsum(x, axis=0, reverse=true), z = cumsum(x, axis=0, exclusive=true)");
  programs.add("x: f32[9000, 3]) {\n  return y = flip(cumsum(flip(x, axes=[0]), axis=0), axes=[0])");
  programs.add(
      "x: f32[60, 7], y: f32[10, 7]) {\n  return z = cumsum(concat([x, y], axis=0), axis=0), w = cumsum(pad(x, [3, 0], [0, 2]), axis=0)");
  programs.add("x: f32[5000, 3]) {\n  return y = cumsum(x, axis=0), c = cumsum(cast(gt(x, 0), i32), axis=0)");
  programs.check();
}

TEST_CASE("C1 G4.sequential/cuda: one thread scans a short column") {
  CheckedPrograms programs(kDataSets);
  programs.add("x: f32[20, 3, 50]) {\n  return y = cumsum(x, axis=1)");
  programs.add("x: f32[3, 20, 5]) {\n  return y = cumprod(x, axis=1, reverse=true), z = cummax(x, axis=1)");
  programs.add("x: f16[30]) {\n  return y = cumsum(x, axis=0, order=chain)");
  programs.add("x: f32[n, 9, m]) {\n  return y = cumsum(x, axis=1)", {{0, 3}, {2, 0}, {1, 1}, {11, 13}});
  CHECK_FALSE(programs.has("__shared__"));
  programs.check();
}

TEST_CASE("L5.thread_group/cuda: which scans groups of threads execute") {
  CHECK(contains(schedules_of("x: f32[1000000, 2]) {\n  return y = cumsum(x, axis=0)"), "scan [thread_group, thread]"));
  CHECK(contains(schedules_of("x: f32[200, 4, 1000]) {\n  return y = cumsum(x, axis=0)"), "scan [thread_group, thread, thread]"));
  CHECK(contains(schedules_of("x: f32[200, 40, 1000]) {\n  return y = cumsum(x, axis=0)"), "scan [scan, thread, thread]"));
  CHECK(contains(schedules_of("x: f32[30, 2]) {\n  return y = cumsum(x, axis=0)"), "scan [scan, thread]"));
  // Scans of different dtypes are compiled to several kernels, and so are scans that together need more shared memory than a block has.
  for (const std::string_view text :
       {"x: f32[3, 5000]) {\n  return y = cumsum(x, axis=1), c = cumsum(cast(gt(x, 0), i32), axis=1)",
        "x: f32[3, 5000]) {\n  return a = cumsum(x, axis=1), b = cumprod(x, axis=1), c = cummax(x, axis=1), d = cummin(x, axis=1), e = "
        "logcumsumexp(x, axis=1)"}) {
    const std::string schedules = schedules_of(std::string(text));
    CHECK(contains(schedules, "kernel_1: scan [thread, thread_group]"));
    CHECK_FALSE(contains(schedules, "scan [thread, scan]"));
  }
  const std::string body = "x: f32[9000, 40]) {\n  return y = cumsum(x, axis=0)";
  CHECK(contains(schedules_of(body, "kernel_0: scan [scan, thread]"), "scan [scan, thread]"));
  const auto mistake = [&](const std::string& schedule) {
    try {
      schedules_of(body, schedule);
    } catch (const Error& e) {
      return e.message;
    }
    return std::string();
  };
  CHECK(contains(mistake("kernel_0: scan [scan, thread tile=8]"), "scan has no tiles of this axis"));
  CHECK(contains(mistake("kernel_0: scan [scan, thread simd=4]"), "simd belongs on no axis of this kernel"));
}

TEST_CASE("C1: a scan along columns with a fault has other bits") {
  CheckedPrograms programs;
  programs.add("x: f32[100, 3]) {\n  return y = cumsum(x, axis=0)");
  Faults one_block(programs.last());
  // faults: without the first barrier, threads combine elements that other threads have not yet copied; without the second one, threads
  // store elements that are not yet combined
  one_block.add(replaced_at(one_block.text(), 0, "__syncthreads();", ""));
  one_block.add(replaced_at(one_block.text(), 1, "__syncthreads();", ""));
  one_block.check(kDataSets);
  programs.add("x: f32[9000, 3]) {\n  return y = cumsum(x, axis=0)");
  Faults blocks(programs.last());
  // fault: the running sum of a column starts anew in each block of rows
  blocks.replace("acc1 = input0", "acc1 = 0.0f * input0");
  blocks.check(kDataSets);
}
