// Generated CUDA kernels against the interpreter, without a GPU: the very text that a GPU would run is compiled for the emulator and
// launched as its plan says. Results must have the same bits, in every order of threads.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/text.h"
#include "cuda/emulator/library.h"
#include "cuda/emulator/source.h"
#include "cuda/run_plan.h"
#include "fuzz/check_case.h"
#include "fuzz/generator.h"
#include "fuzz/guarded_memory.h"
#include "grad/operation.h"
#include "graph/text.h"
#include "pipeline.h"

using namespace harp;
using namespace harp::cuda_test;
using harp::fuzz::Case;
using harp::fuzz::GuardedArray;

namespace {

struct GpuProgram {
  std::string label;  // for messages
  Case test;
  Generated generated;
};

PipelineOptions options_for_cuda(bool check_indices) {
  PipelineOptions options;
  options.code = &kCudaCode;
  options.target = gpu_machines()[0];
  options.check_indices = check_indices;
  return options;
}

/// Generates the program, or counts the operation that has no kernel for GPUs yet.
void add_program(std::string label, Case test, bool check_indices, std::vector<GpuProgram>& programs,
                 std::map<std::string, int>& unsupported) {
  try {
    Generated generated = generate(*test.graph, options_for_cuda(check_indices));
    programs.push_back({std::move(label), std::move(test), std::move(generated)});
  } catch (const Error& error) {
    if (error.code != Code::kUnsupported) throw;
    ++unsupported[error.message];
  }
}

/// Runs one program with one list of sizes and compares it. Returns what is wrong, or "".
std::string check_run(const GpuProgram& program, size_t unit, const EmulatedLibrary& library, const std::vector<int64_t>& sizes,
                      ThreadOrder order) {
  const Graph& graph = *program.test.graph;
  const fuzz::Expected expected = fuzz::interpreted_or_fault(graph, sizes, fuzz::input_bytes(program.test, sizes));
  std::vector<GuardedArray> inputs, outputs;
  std::vector<void*> in, out;
  for (const auto& bytes : fuzz::input_bytes(program.test, sizes)) inputs.emplace_back(bytes);
  for (const auto& bytes : expected.outputs) outputs.emplace_back(bytes.size());
  for (GuardedArray& array : inputs) in.push_back(array.data());
  for (GuardedArray& array : outputs) {
    std::fill(array.data(), array.data() + array.size(), std::byte{0xcd});
    out.push_back(array.data());
  }
  const PlanResult result = run_plan(
      *program.generated.plan,
      [&](const std::string& name) -> const EmulatedKernel& { return library.kernel(cat("unit_", unit, "::", name)); }, in, out, sizes,
      order);
  if (!result.error.empty()) return result.error;
  if (result.fault != expected.fault) return "another index fault than the interpreter's";
  for (size_t i = 0; i < outputs.size(); ++i) {
    const GraphOutput& output = graph.outputs()[i];
    if (!outputs[i].is_intact()) return cat("wrote beside output ", output.name);
    if (expected.fault) continue;
    const std::string found = fuzz::difference(output.node->dtype, expected.outputs[i], outputs[i].bytes());
    if (!found.empty()) return cat("output ", output.name, ", ", found);
  }
  return {};
}

/// Compiles all programs in one go and runs each with all its sizes.
void check_programs(const std::vector<GpuProgram>& programs, std::span<const ThreadOrder> orders) {
  std::vector<std::string> texts;
  for (const GpuProgram& program : programs) texts.push_back(program.generated.source);
  const EmulatedLibrary library(emulated_source(texts));
  for (size_t i = 0; i < programs.size(); ++i)
    for (const std::vector<int64_t>& sizes : programs[i].test.sizes)
      for (const ThreadOrder order : orders) {
        const std::string wrong = check_run(programs[i], i, library, sizes, order);
        CHECK_MESSAGE(wrong.empty(), programs[i].label, ", sizes ", join(sizes, ", "), ": ", wrong);
      }
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("C1: CUDA kernels of random graphs have the interpreter's bits") {
  // `./dev fuzz cuda` takes more: HARP_CUDA_GRAPHS is the number of graphs, HARP_CUDA_SEED the first seed
  const auto number = [](const char* name, uint64_t otherwise) {
    const char* given = std::getenv(name);
    return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
  };
  constexpr uint64_t kTogether = 40;  // graphs that are compiled together
  const uint64_t first = number("HARP_CUDA_SEED", 1), count = number("HARP_CUDA_GRAPHS", 40);
  const bool is_long = count > kTogether;
  constexpr ThreadOrder kAll[] = {ThreadOrder::kAscending, ThreadOrder::kDescending, ThreadOrder::kShuffled};
  std::map<std::string, int> unsupported;
  for (uint64_t begin = 0; begin < count; begin += kTogether) {
    std::vector<GpuProgram> programs;
    for (uint64_t seed = first + begin; seed < first + std::min(begin + kTogether, count); ++seed)
      add_program(cat("seed ", seed), fuzz::random_case(seed), seed % 4 == 0, programs, unsupported);
    check_programs(programs, std::span(kAll).subspan(is_long ? 0 : 2));
  }
  for (const auto& [message, times] : unsupported) MESSAGE(times, " times: ", message);
}

TEST_CASE("C1: CUDA kernels of the golden graphs have the interpreter's bits in every order of threads") {
  constexpr ThreadOrder kAll[] = {ThreadOrder::kAscending, ThreadOrder::kDescending, ThreadOrder::kShuffled};
  std::vector<GpuProgram> programs;
  std::map<std::string, int> unsupported;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(std::getenv("HARP_SOURCE_DIR")) / "tests/golden")) {
    if (entry.path().extension() != ".harp") continue;
    Case test;
    test.graph = parse_graph(file_text(entry.path()), grad::text_operations());
    test.sizes = fuzz::runnable_sizes(*test.graph, 1, 2);
    test.data_seed = 7;
    if (test.sizes.empty()) continue;  // too large for the interpreter
    add_program(entry.path().stem().string(), std::move(test), false, programs, unsupported);
  }
  CHECK(programs.size() > 10);
  CHECK(unsupported.empty());
  check_programs(programs, kAll);
}
