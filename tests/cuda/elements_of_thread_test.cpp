// Tests of GPU schedules as text. Every schedule that harp prints must be accepted as an override. `simd` is the number of adjacent
// elements that one thread computes (schedule/elements_of_thread.h). It may be any power of two up to a limit, and the results must be
// bit-identical to the interpreter's in every order of threads. For a kernel whose threads can only compute one element each, `simd` must
// be an error.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "cuda/checked_programs.h"
#include "support/schedule_lines.h"
#include "tune/search_space.h"

using namespace harp;
using namespace harp::cuda_test;
namespace fs = std::filesystem;

namespace {

constexpr int kDataSets = 3;  // one data set is not enough: a NaN in it can hide that the order of a sum is wrong

std::string file_text(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the files of the graphs whose CUDA text is in tests/cuda/golden.
std::vector<fs::path> golden_graphs() {
  const fs::path root = fs::path(std::getenv("HARP_SOURCE_DIR")) / "tests";
  std::vector<fs::path> graphs;
  for (const fs::path& from : {root / "golden", root / "cuda/graphs"})
    for (const auto& entry : fs::directory_iterator(from))
      if (entry.path().extension() == ".harp") graphs.push_back(entry.path());
  return graphs;
}

/// Compiles the graph with these parameters and statements for sm_80 with these schedules, and returns the text of the given stage of the
/// compilation.
std::string stage_of(std::string_view stage, const std::string& body, const std::string& schedules = {}) {
  PipelineOptions options = options_for_cuda(false);
  options.schedule_override = schedules;
  return emit_stage(*parse_graph(cat("harp 1\ngraph g(", body, "\n}\n"), grad::text_operations()), options, stage);
}

/// Returns the message of the error if these schedules are not legal for the graph, otherwise "none".
std::string mistake_in(const std::string& body, const std::string& schedules) {
  try {
    stage_of("schedule", body, schedules);
  } catch (const Error& error) {
    return error.message;
  }
  return "none";
}

/// Returns the schedules that harp chooses for the graph's kernels, with "simd=N" set to this value after each `word` ("thread_group", for
/// example, becomes "thread_group simd=4").
std::string with_simd(const std::string& body, const std::string& word, int simd) {
  const std::string lines = testing::schedule_lines(stage_of("schedule", body));
  return std::regex_replace(lines, std::regex(word + "( simd=[0-9]+)?"), cat(word, " simd=", simd));
}

}  // namespace

TEST_CASE("L5.simd_width/cuda L5.thread_group/cuda: every schedule that harp prints for a GPU can be passed back, for the same source") {
  std::string all;
  for (const std::string_view row : {"sm_80", "sm_120"})
    for (const fs::path& path : golden_graphs()) {
      const auto graph = parse_graph(file_text(path), grad::text_operations());
      PipelineOptions options = options_for_cuda(false);
      options.target = *std::ranges::find(gpu_machines(), row, &Machine::name);
      const std::string printed = emit_stage(*graph, options, "schedule"), source = emit_stage(*graph, options, "cuda");
      options.schedule_override = testing::schedule_lines(printed);
      all += options.schedule_override;
      INFO(path.string());
      INFO(options.schedule_override);
      CHECK(emit_stage(*graph, options, "schedule") == printed);
      CHECK(emit_stage(*graph, options, "cuda") == source);
    }
  for (const std::string_view setting : {" simd=", " tile=", " unroll=", " split=", " stages=", " variant 2: ", "thread_group"})
    CHECK_MESSAGE(all.find(setting) != all.npos, setting);
}

TEST_CASE("L5.simd_width/cuda: simd on a GPU is legal where one thread computes several elements, and an error elsewhere") {
  const std::string elements = "x: f32[n, 64]) {\n  return y = x + 1.0", rows = "x: f32[n, 1000]) {\n  return y = sum(x, axes=[1])",
                    short_rows = "x: f32[n, 3]) {\n  return y = sum(x, axes=[1])", pairs = "x: f32[n, 2]) {\n  return y = sum(x, axes=[1])",
                    columns = "x: f32[300, 40]) {\n  return y = sum(x, axes=[0])",
                    best_of_columns = "x: f32[300, 40]) {\n  return y = argmax(x, axis=0)",
                    scan = "x: f32[9000, 40]) {\n  return y = cumsum(x, axis=0)",
                    product = "a: f32[64, 64], b: f32[64, 64]) {\n  return c = matmul(a, b)",
                    transpose = "x: f32[70, 100]) {\n  return y = permute(x, [1, 0])",
                    scatter = "x: f32[100, 8], i: i32[50], u: f32[50, 8]) {\n  return y = index_add(x, i, u, axis=0)",
                    custom =
                        "x: f32[n, 8]) {\n  return y = custom_function(x, body=\"\"\"\n    for k in 0 .. 8 {\n      output = output + "
                        "input0[ridx0, k]\n    }\n  \"\"\", dtype=f32, shape=[n, 8])";
  const std::pair<std::string, std::string_view> legal[] = {
      {elements, "elementwise [thread, thread]"},
      {elements, "elementwise [thread, thread simd=16]"},
      {elements, "elementwise [thread, sequential simd=2]"},
      {rows, "reduce [thread, thread_group simd=2]"},
      {rows, "reduce [thread, thread_group simd=8]"},
      {rows, "reduce [thread, reduce]"},
      {short_rows, "reduce [thread, thread_group simd=2]"},
      {pairs, "reduce [thread, thread_group]"},
      {columns, "reduce [thread simd=8, reduce]"},
      {columns, "reduce [thread, thread_group]"},
      {transpose, "elementwise [thread, thread simd=4]"},
  };
  for (const auto& [body, schedule] : legal) {
    const std::string message = mistake_in(body, cat("kernel_0: ", schedule));
    CHECK_MESSAGE(message == "none", message);
  }
  const std::tuple<std::string, std::string_view, std::string_view> wrong[] = {
      {elements, "elementwise [thread, thread simd=32]", "axis 1 has simd=32; at most 16 is allowed"},
      {elements, "elementwise [thread, thread simd=3]", "axis 1 has simd=3; it must be a power of two up to 16"},
      {elements, "elementwise [thread simd=4, thread]", "axis 0 has simd=4; simd belongs on the last kept axis"},
      {elements, "elementwise [sequential, thread simd=4]",
       "axis 1 has simd=4, the number of elements that one thread of a GPU computes, but axis 0 is not of kind thread; expected thread, or "
       "simd=1"},
      {rows, "reduce [thread, thread_group simd=16]", "axis 1 has simd=16; at most 8 is allowed"},
      {rows, "reduce [thread, reduce simd=4]",
       "axis 1 has simd=4, the number of lanes that one thread of a group reduces, but is not of kind thread_group; expected thread_group, "
       "or simd=1"},
      {rows, "reduce [thread simd=4, thread_group]", "axis 0 has simd=4; simd belongs on the reduced axis"},
      {short_rows, "reduce [thread, thread_group simd=4]", "axis 1 has simd=4; at most 2 is allowed"},
      {pairs, "reduce [thread, thread_group simd=2]", "axis 1 has simd=2; simd belongs on no axis of this kernel"},
      {columns, "reduce [thread simd=16, reduce]", "axis 0 has simd=16; at most 8 is allowed"},
      {columns, "reduce [thread, reduce simd=4]", "axis 1 has simd=4; simd belongs on the last kept axis"},
      {columns, "reduce [thread simd=4, thread_group]",
       "axis 0 has simd=4, the number of columns that one thread reduces, but the last axis is of kind thread_group"},
      {best_of_columns, "reduce [thread simd=4, reduce]", "axis 0 has simd=4; simd belongs on no axis of this kernel"},
      {scan, "scan [thread_group, thread simd=4]", "axis 1 has simd=4; simd belongs on no axis of this kernel"},
      {product, "contraction [thread_group tile=32 unroll=2, thread_group tile=32 unroll=2 simd=2, reduce tile=32]",
       "axis 1 has simd=2; simd belongs on no axis of this kernel"},
      {transpose, "transpose [thread tile=32, thread_group tile=32 simd=2]", "axis 1 has simd=2; simd belongs on no axis of this kernel"},
      {scatter, "scatter [thread_group, thread simd=4]", "axis 1 has simd=4; simd belongs on no axis of this kernel"},
      {custom, "custom [thread, sequential simd=4]", "axis 1 has simd=4; simd belongs on no axis"},
  };
  for (const auto& each : wrong) {
    const std::string message = mistake_in(std::get<0>(each), cat("kernel_0: ", std::get<1>(each)));
    CHECK_MESSAGE(message.find(std::get<2>(each)) != message.npos, std::get<1>(each), ": ", message);
  }
}

TEST_CASE("L5: settings for the loops of a CPU are errors in schedules for a GPU") {
  const std::string elements = "x: f32[n, 64]) {\n  return y = x + 1.0", rows = "x: f32[n, 1000]) {\n  return y = max(x, axes=[1])",
                    columns = "x: f32[300, 40]) {\n  return y = sum(x, axes=[0])",
                    passes = "x: f32[n, 1000]) {\n  return y = softmax(x, axis=1)";
  const std::tuple<std::string, std::string_view, std::string_view> wrong[] = {
      {elements, "elementwise [thread, thread unroll=2]", "axis 1 has unroll=2; elementwise does not unroll this axis"},
      {elements, "elementwise [thread, thread simd=4] nontemporal", "expected none of them for a GPU, got \"elementwise"},
      {rows, "reduce [thread, thread_group unroll=4]", "axis 1 has unroll=4; reduce does not unroll this axis"},
      {rows, "reduce [thread unroll=2, thread_group]", "axis 0 has unroll=2; reduce does not unroll this axis"},
      {rows, "reduce [thread, thread_group] nan_flag", "expected none of them for a GPU"},
      {columns, "reduce [thread, reduce unroll=8]", "axis 1 has unroll=8; reduce does not unroll this axis"},
      {columns, "reduce [thread, reduce] prefetch", "expected none of them for a GPU"},
      {passes, "rowwise [thread, thread_group] defer_stores", "expected none of them for a GPU"},
  };
  for (const auto& each : wrong) {
    const std::string message = mistake_in(std::get<0>(each), cat("kernel_0: ", std::get<1>(each)));
    CHECK_MESSAGE(message.find(std::get<2>(each)) != message.npos, std::get<1>(each), ": ", message);
  }
}

TEST_CASE("L5.thread_group/cuda: the kind thread_group is an error for an axis that no group of threads divides") {
  const std::string elements = "x: f32[n, 64]) {\n  return y = x + 1.0",
                    custom =
                        "x: f32[n, 8]) {\n  return y = custom_function(x, body=\"\"\"\n    for k in 0 .. 8 {\n      output = output + "
                        "input0[ridx0, k]\n    }\n  \"\"\", dtype=f32, shape=[n, 8])";
  const std::tuple<std::string, std::string_view, std::string_view> wrong[] = {
      {elements, "elementwise [thread, thread_group]",
       "axis 1 is of kind thread_group, but recipe elementwise does not divide this axis among the threads of a group; expected sequential "
       "or thread"},
      {custom, "custom [thread_group, sequential]",
       "axis 0 is of kind thread_group, but recipe custom does not divide this axis among the threads of a group; expected sequential or "
       "thread"},
      {custom, "custom [thread, thread_group]",
       "axis 1 is of kind thread_group, but recipe custom does not divide this axis among the threads of a group; expected sequential"},
  };
  for (const auto& each : wrong) {
    const std::string message = mistake_in(std::get<0>(each), cat("kernel_0: ", std::get<1>(each)));
    CHECK_MESSAGE(message.find(std::get<2>(each)) != message.npos, std::get<1>(each), ": ", message);
  }
}

TEST_CASE("L5.simd_width/cuda C1: threads that compute any number of elements of an elementwise kernel have the interpreter's bits") {
  CheckedPrograms programs;
  for (const int simd : {2, 16}) {
    const std::string schedule = cat("kernel_0: elementwise [thread simd=", simd, "]");
    for (const std::string_view dtype : {"i8", "f16", "bf16", "i32", "f32", "u64", "f64"})
      programs.add(cat("x: ", dtype, "[n]) {\n  return y = x + x * x"), {{0}, {1}, {7}, {16}, {17}, {320}, {1001}}, schedule);
    programs.add("x: bool[n], y: f64[n]) {\n  return z = where(logical_not(x), y, 2.0)", {{0}, {5}, {64}, {100}}, schedule);
    const std::string of_two = cat("kernel_0: elementwise [thread, thread simd=", simd, "]");
    // The rows of a slice, and the rows that `take` selects, begin at addresses that are not aligned to pairs of elements.
    programs.add("x: f32[n, 23]) {\n  return y = slice(x, start=[none, 1], stop=[none, 22]) * 2.0", {{1}, {40}}, of_two);
    programs.add("x: f32[50, 24], i: i32[n]) {\n  return y = take(x, i, axis=0) + 1.0", {{1}, {30}}, of_two);
    programs.add("x: f32[40, 48]) {\n  return y = pad(x, [0, 3], [0, 2])", {{}}, of_two);
    CHECK(programs.has(cat("simd=", simd, "]")));
  }
  programs.check();
}

TEST_CASE("L5.simd_width/cuda C1: threads that reduce any number of lanes of a row have the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  for (const int simd : {2, 8}) {
    const auto add = [&](const std::string& body, std::vector<std::vector<int64_t>> sizes = {{}}) {
      programs.add(body, std::move(sizes), with_simd(body, "thread_group", simd));
      CHECK(programs.has(cat("thread_group simd=", simd, "]")));
    };
    for (const int length : {16, 17, 33, 64, 257, 1001, 4097})
      add(cat("x: f32[n, ", length, "]) {\n  return y = sum(x, axes=[1])"), {{0}, {1}, {5}});
    for (const std::string_view dtype : {"i8", "f16", "f64"})
      add(cat("x: ", dtype, "[6, 264]) {\n  return a = sum(x, axes=[1]), b = max(x, axes=[1])"));
    add("x: f32[m, n]) {\n  return y = sum(x, axes=[1])", {{3, 0}, {2, 1}, {5, 64}, {1, 100}, {2, 4097}});
    add("x: f32[5, 8, 30]) {\n  return y = sum(x, axes=[1, 2])");
    add("x: f32[7, 300]) {\n  return y = sum(slice(x, start=[0, 3], stop=[7, 290]), axes=[1])");
    // softmax and layer_norm need several passes over a row. Depending on its length, values of the row are kept between the passes in
    // registers, in shared memory, or not at all.
    for (const int length : {24, 1001, 5001}) add(cat("x: f32[n, ", length, "]) {\n  return y = softmax(x, axis=1)"), {{1}, {4}});
    add("x: f32[m, n]) {\n  return y = softmax(x, axis=1)", {{3, 1}, {2, 300}, {1, 4097}});
    add("x: f16[5, 700], w: f16[700]) {\n  return y = layer_norm(x, weight=w)");
    for (const int length : {16, 50, 300})
      add(cat("x: f32[n, ", length, "]) {\n  return a = argmax(x, axis=1), b = max(x, axes=[1])"), {{1}, {6}});
  }
  programs.check();
}

TEST_CASE("L5.simd_width/cuda C1: threads that reduce any number of columns have the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  for (const int simd : {2, 8}) {
    const std::string schedule = cat("kernel_0: reduce [thread simd=", simd, ", reduce]");
    for (const int columns : {2, 3, 8, 20, 33})
      programs.add(cat("x: f32[300, ", columns, "]) {\n  return y = sum(x, axes=[0])"), {{}}, schedule);
    for (const std::string_view dtype : {"i8", "f16", "i64", "f64"})
      programs.add(cat("x: ", dtype, "[40, 24]) {\n  return a = sum(x, axes=[0]), b = max(x, axes=[0])"), {{}}, schedule);
    programs.add("x: f32[300, 21], y: f32[300, 21]) {\n  return z = sum(x * y, axes=[0])", {{}}, schedule);
    programs.add("x: f32[n, m]) {\n  return y = sum(x, axes=[0])", {{0, 3}, {50, 0}, {1, 1}, {300, 70}, {1500, 33}, {9, 16}}, schedule);
    programs.add("x: f32[300, m in 0..3]) {\n  return y = sum(x, axes=[0])", {{0}, {1}, {3}}, schedule);
    CHECK(programs.has(cat("simd=", simd, ", reduce]")));
    programs.add("x: f32[5, 100, 2, 12]) {\n  return y = sum(x, axes=[1])", {{}},
                 cat("kernel_0: reduce [thread, thread, thread simd=", simd, ", reduce]"));
    // softmax along axis 1 needs several passes over each column
    for (const int columns : {3, 16}) {
      const std::string body = cat("x: f32[20, 256, ", columns, "]) {\n  return y = softmax(x, axis=1)");
      programs.add(body, {{}}, with_simd(body, "tile=1", simd));
      CHECK(programs.has(cat("tile=1 simd=", simd)));
    }
  }
  programs.check();
}

TEST_CASE("H3.search_space: on a GPU the tuner tries numbers of elements of a thread, and only schedules that are legal") {
  // a transpose whose axes are too short for tiles
  std::vector<std::string> texts = {"harp 1\ngraph g(x: f32[50, 4, 4]) {\n  return y = permute(x, [0, 2, 1])\n}\n"};
  for (const fs::path& path : golden_graphs()) texts.push_back(file_text(path));
  size_t numbers = 0;
  for (const std::string& text : texts) {
    const auto graph = parse_graph(text, grad::text_operations());
    const std::vector<int64_t> sizes(graph->dims().variables().size(), 64);
    const tune::SearchSpace space(*graph, {options_for_cuda(false), {}, sizes, 1});
    for (const tune::KernelSpace& kernel : space.kernels()) {
      REQUIRE(kernel.usual.size() == kernel.rules.size());
      for (size_t r = 0; r < kernel.rules.size(); ++r) {
        CHECK(kernel.usual[r].recipe == kernel.rules[r].recipe);
        CHECK(kernel.usual[r].axes.size() == kernel.rules[r].axes.size());
      }
    }
    for (size_t i = 0; i < space.choices().size(); ++i) {
      const tune::Choice& choice = space.choices()[i];
      if (choice.setting < tune::Choice::Setting::kRecipe) continue;
      for (size_t option = 1; option < choice.values.size(); ++option) {
        tune::Point point = space.untuned();
        point[i] = static_cast<uint8_t>(option);
        if (!space.settle(point)) continue;
        PipelineOptions options = space.options().base;
        tune::apply(space.configuration(point), options);
        const bool is_number = choice.setting == tune::Choice::Setting::kLanes && !options.schedule_override.empty();
        numbers += is_number;
        INFO(options.schedule_override);
        CHECK_NOTHROW(emit_stage(*graph, options, is_number ? "cuda" : "schedule"));
      }
    }
  }
  CHECK(numbers > 20);
}
