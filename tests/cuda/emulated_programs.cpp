#include "cuda/emulated_programs.h"

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include "base/error.h"
#include "base/text.h"
#include "cuda/emulator/merged_source.h"
#include "cuda/run_plan.h"
#include "fuzz/guarded_memory.h"
#include "graph/index_fault.h"
#include "ir/ir.h"

namespace harp::cuda_test {

namespace {

using fuzz::GuardedArray;

/// The inputs of a program for one list of sizes, and the results that the interpreter computes from them.
struct Reference {
  Reference(const GpuProgram& program, const std::vector<int64_t>& sizes)
      : inputs(fuzz::input_bytes(program.test, sizes)), expected(fuzz::interpreted_or_fault(*program.reference, sizes, inputs)) {}

  const std::vector<std::vector<std::byte>> inputs;
  const fuzz::Expected expected;
};

/// Runs a program with one list of sizes and compares its results with `reference`. `unit` is the index of the program in the library.
/// Returns a description of the first mistake, or "" if there is none.
std::string check_run(const GpuProgram& program, size_t unit, const EmulatedLibrary& library, const std::vector<int64_t>& sizes,
                      const Reference& reference, ThreadOrder order) {
  const Graph& graph = *program.test.graph;
  const fuzz::Expected& expected = reference.expected;
  std::vector<GuardedArray> inputs, outputs;
  std::vector<void*> in, out;
  for (const auto& bytes : reference.inputs) inputs.emplace_back(bytes);
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

/// Returns the orders of threads in which a run is made. For kInTurn, `turn` selects one of them; it is the sum of the indices of the
/// program, of the list of sizes and of the data set.
std::span<const ThreadOrder> orders_of_run(Orders orders, size_t turn) {
  const std::span<const ThreadOrder> all = kAllOrders;
  switch (orders) {
    case Orders::kAll: return all;
    case Orders::kShuffled: return all.last(1);
    case Orders::kInTurn: return all.subspan(turn % all.size(), 1);
  }
  return {};
}

/// Calls check_run() for all lists of sizes and all data sets. Returns a description of the first mistake, or "" if there is none.
std::string check_runs(GpuProgram program, size_t unit, const EmulatedLibrary& library, Orders orders, int data_sets) {
  for (size_t data = 0; data < static_cast<size_t>(data_sets); ++data, ++program.test.data_seed)
    for (size_t i = 0; i < program.test.sizes.size(); ++i) {
      const std::vector<int64_t>& sizes = program.test.sizes[i];
      const Reference reference(program, sizes);
      for (const ThreadOrder order : orders_of_run(orders, unit + i + data))
        if (const std::string wrong = check_run(program, unit, library, sizes, reference, order); !wrong.empty())
          return cat("sizes ", join(sizes, ", "), ", data ", program.test.data_seed, ", order ", static_cast<int>(order), ": ", wrong);
    }
  return {};
}

/// Checks a limit that NVIDIA's compilers have and the emulator does not: the shared arrays that a kernel declares have at most 48 KiB
/// together.
void check_shared_arrays(const std::string& source) {
  constexpr size_t kMost = size_t{48} << 10;
  static const std::map<std::string, size_t> kBytes = {{"u8", 1},  {"i8", 1},    {"bool", 1},   {"u16", 2}, {"i16", 2}, {"u32", 4},
                                                       {"i32", 4}, {"float", 4}, {"double", 8}, {"u64", 8}, {"i64", 8}};
  static const std::regex kArray(R"(^ *__shared__ __align__\(16\) (\w+) \w+((?:\[\d+\])+);)");
  size_t bytes = 0;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("extern \"C\" __global__")) bytes = 0;
    std::smatch array;
    if (line.find("__shared__") == line.npos || !std::regex_search(line, array, kArray)) continue;
    size_t of_array = kBytes.at(array[1]);
    const std::string sizes = array[2];
    for (size_t at = 0; at < sizes.size(); at = sizes.find(']', at) + 1) of_array *= std::stoul(sizes.substr(at + 1));
    bytes += of_array;
    HARP_CHECK(bytes <= kMost, Code::kInternal, "a kernel declares ", bytes, " bytes of shared arrays, at most ", kMost,
               " are allowed: ", line);
  }
}

}  // namespace

PipelineOptions options_for_cuda(bool check_indices) {
  PipelineOptions options;
  options.code = &kCudaCode;
  options.target = gpu_machines()[0];
  options.check_indices = check_indices;
  return options;
}

void GpuPrograms::add(std::string label, fuzz::Case test, bool check_indices, std::string schedule) {
  add_for(gpu_machines()[0], std::move(label), std::move(test), check_indices, std::move(schedule));
}

void GpuPrograms::add_for(const Machine& target, std::string label, fuzz::Case test, bool check_indices, std::string schedule) {
  PipelineOptions options = options_for_cuda(check_indices);
  options.target = target;
  options.schedule_override = std::move(schedule);
  Generated generated = generate(*test.graph, options);
  check_shared_arrays(generated.source);
  // verify() finds a mistake that the emulator may miss: a thread that uses another thread's elements of a spread accumulator, whose
  // elements are distributed over the threads.
  ir::verify(*generated.module);
  const bool checks = check_indices || !check_sites(*test.graph).empty();
  std::shared_ptr<const Graph> reference = checks ? optimised(*test.graph, options) : test.graph;
  all.push_back({std::move(label), std::move(test), std::move(reference), std::move(generated)});
}

namespace {

std::string merged_text(std::span<const GpuProgram> programs) {
  std::vector<std::string> texts;
  for (const GpuProgram& program : programs) texts.push_back(program.generated.source);
  return emulated_source(texts);
}

std::vector<std::string> run_all(std::span<const GpuProgram> programs, const EmulatedLibrary& library, Orders orders, int data_sets) {
  std::vector<std::string> wrong;
  for (size_t i = 0; i < programs.size(); ++i) wrong.push_back(check_runs(programs[i], i, library, orders, data_sets));
  return wrong;
}

}  // namespace

CompiledPrograms::CompiledPrograms(GpuPrograms programs) : all(std::move(programs.all)), library_(merged_text(all)) {}

std::vector<std::string> CompiledPrograms::run(Orders orders, int data_sets) const { return run_all(all, library_, orders, data_sets); }

std::vector<std::string> run_emulated(std::span<const GpuProgram> programs, Orders orders, int data_sets) {
  return run_all(programs, EmulatedLibrary(merged_text(programs)), orders, data_sets);
}

std::vector<std::string> run_emulated_texts(const GpuProgram& program, std::span<const std::string> texts, int data_sets) {
  const EmulatedLibrary library(emulated_source(texts));
  std::vector<std::string> wrong;
  for (size_t i = 0; i < texts.size(); ++i)
    wrong.push_back(check_runs(program, i, library, i == 0 ? Orders::kShuffled : Orders::kAll, data_sets));
  return wrong;
}

}  // namespace harp::cuda_test
