// Compares generated CUDA kernels with the interpreter, without a GPU. The CUDA text is compiled for the emulator and launched as its
// launch plan says. The results must be bit-identical in every order of threads.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <sstream>

#include "base/text.h"
#include "cuda/emulated_programs.h"
#include "fuzz/case_file.h"
#include "fuzz/generator.h"
#include "fuzz/variant.h"
#include "grad/operation.h"
#include "graph/text.h"

using namespace harp;
using namespace harp::cuda_test;
using harp::fuzz::Case;

namespace {

/// Runs the programs and reports what is wrong.
void check_programs(const CompiledPrograms& programs, Orders orders) {
  const std::vector<std::string> wrong = programs.run(orders);
  for (size_t i = 0; i < wrong.size(); ++i) CHECK_MESSAGE(wrong[i].empty(), programs.all[i].label, ", ", wrong[i]);
}

/// Generates programs of random graphs: one for each seed from `first` to `end` - 1. Compiles them.
std::unique_ptr<const CompiledPrograms> random_programs(uint64_t first, uint64_t end) {
  GpuPrograms programs;
  for (uint64_t seed = first; seed < end; ++seed) {
    Case test = fuzz::random_case(seed);
    const bool checks_indices = seed % 4 == 0;
    // For two thirds of the graphs: schedules in which the threads compute other numbers of elements than harp chose.
    std::string schedules;
    if (seed % 3 != 0) schedules = fuzz::random_elements_of_thread(*test.graph, options_for_cuda(checks_indices), seed);
    programs.add(cat("seed ", seed), std::move(test), checks_indices, std::move(schedules));
  }
  return std::make_unique<const CompiledPrograms>(std::move(programs));
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("C1: CUDA kernels of random graphs have the interpreter's bits") {
  // HARP_CUDA_GRAPHS is the number of graphs and HARP_CUDA_SEED the first seed. If the number is given, as by `./dev fuzz`, every graph
  // runs in all orders of threads.
  const auto number = [](const char* name, uint64_t otherwise) {
    const char* given = std::getenv(name);
    return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
  };
  constexpr uint64_t kTogether = 60;  // number of graphs that are compiled together: more would take much memory, fewer more time
  const uint64_t first = number("HARP_CUDA_SEED", 1), end = first + number("HARP_CUDA_GRAPHS", 300);
  const Orders orders = std::getenv("HARP_CUDA_GRAPHS") == nullptr ? Orders::kInTurn : Orders::kAll;
  const auto from = [&](uint64_t begin) { return random_programs(begin, std::min(begin + kTogether, end)); };
  // Another thread generates and compiles the next graphs while the current ones run.
  std::future<std::unique_ptr<const CompiledPrograms>> next = std::async(std::launch::async, from, first);
  for (uint64_t begin = first; begin < end; begin += kTogether) {
    const std::unique_ptr<const CompiledPrograms> programs = next.get();
    if (begin + kTogether < end) next = std::async(std::launch::async, from, begin + kTogether);
    check_programs(*programs, orders);
  }
}

TEST_CASE("C1: CUDA kernels of the golden graphs have the interpreter's bits in every order of threads") {
  GpuPrograms programs;
  const std::filesystem::path root = std::filesystem::path(std::getenv("HARP_SOURCE_DIR")) / "tests";
  for (const std::filesystem::path& from : {root / "golden", root / "cuda/graphs"})
    for (const auto& entry : std::filesystem::directory_iterator(from)) {
      if (entry.path().extension() != ".harp") continue;
      Case test;
      test.graph = parse_graph(file_text(entry.path()), grad::text_operations());
      test.sizes = fuzz::runnable_sizes(*test.graph, 1, 2);
      test.data_seed = 7;
      if (test.sizes.empty()) continue;  // no sizes of this graph are small enough for the interpreter
      programs.add(entry.path().stem().string(), std::move(test), false);
    }
  CHECK(programs.all.size() > 20);
  check_programs(CompiledPrograms(std::move(programs)), Orders::kAll);
}

TEST_CASE("C1: CUDA kernels of the regressions have the interpreter's bits") {
  GpuPrograms programs;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(std::getenv("HARP_SOURCE_DIR")) / "tests/regressions")) {
    if (entry.path().extension() != ".harp") continue;
    fuzz::Job job = fuzz::parse_job(file_text(entry.path()));
    programs.add(entry.path().stem().string(), std::move(job.test), false);
  }
  CHECK(programs.all.size() > 60);
  check_programs(CompiledPrograms(std::move(programs)), Orders::kShuffled);
}

TEST_CASE("G13.custom_while,custom_arrays/cuda C1: loops that end early and local arrays have the interpreter's bits") {
  GpuPrograms programs;
  const auto add = [&](std::string_view body) {
    Case test;
    const std::string text = cat("harp 1\ngraph g(x: f32[n, m], i: i32[n]) {\n  return y = custom_function(x, i, body=\"\"\"\n", body,
                                 "\n  \"\"\", dtype=f32, shape=[n, m])\n}\n");
    test.graph = parse_graph(text, grad::text_operations());
    test.sizes = {{1, 1}, {5, 7}, {300, 2}};
    test.data_seed = programs.all.size() + 1;
    programs.add(std::string(body), std::move(test), false);
  };
  add(R"(
    let re = input0[ridx0, ridx1]
    let im = input0[shape0 - 1 - ridx0, ridx1]
    let a = re
    let b = im
    let n = i32(0)
    while (a * a + b * b <= 4.0) & (n < 40) {
      let next = a * a - b * b + re
      b = a * b * 2.0 + im
      a = next
      n = n + 1
    }
    output = f32(n) + a)");
  add(R"(
    let x = input1[ridx0]
    let y = input1[(ridx0 * 3 + 1) % shape0]
    while y != 0 {
      let rest = x % y
      x = y
      y = rest
    }
    output = f32(x))");
  add(R"(
    for k in 0 .. size(input0, 1) {
      if input0[ridx0, k] > 1 { break }
      let j = 0
      while true {
        if (j == k) | (input0[ridx0, j] < -1) { break }
        output = output + input0[ridx0, j]
        j = j + 1
      }
    })");
  add(R"(
    let window = f32[5]
    let counts = i32[200]
    for k in 0 .. 5 {
      let v = input0[(ridx0 + k) % shape0, ridx1]
      let at = k
      while at > 0 {
        if window[at - 1] <= v { break }
        window[at] = window[at - 1]
        at = at - 1
      }
      window[at] = v
      let class = i64(input1[(ridx0 + k) % shape0]) % 200
      counts[class] = counts[class] + 1
    }
    output = window[2] + f32(counts[input1[ridx0] % 200]))");
  check_programs(CompiledPrograms(std::move(programs)), Orders::kAll);
}

TEST_CASE("G13.custom_results/cuda C1: one kernel stores all results of a custom function, with the interpreter's bits") {
  GpuPrograms programs;
  const auto add = [&](std::string_view returned) {
    Case test;
    test.graph = parse_graph(cat(R"(harp 1
graph g(x: f32[n, m]) {
  best, place, small = custom_function(x, body="""
    output0 = f32(-inf)
    for i in 0 .. size(input0, 1) {
      if input0[ridx0, i] > output0 {
        output0 = input0[ridx0, i]
        output1 = i
      }
      if input0[(ridx0 + i) % shape0, i] < -1 {
        output2 = true
        break
      }
    }
  """, dtype=[f32, i64, bool], shape=[n])
  return )",
                                 returned, "\n}\n"),
                             grad::text_operations());
    test.sizes = {{1, 1}, {5, 7}, {300, 2}};
    test.data_seed = programs.all.size() + 1;
    programs.add(std::string(returned), std::move(test), false);
  };
  add("best, place, small");
  add("small, s = sum(best)");
  add("y = place * 2");
  check_programs(CompiledPrograms(std::move(programs)), Orders::kAll);
}
