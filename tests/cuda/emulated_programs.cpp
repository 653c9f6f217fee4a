#include "cuda/emulated_programs.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "cuda/emulator/library.h"
#include "cuda/emulator/source.h"
#include "cuda/run_plan.h"
#include "fuzz/guarded_memory.h"

namespace harp::cuda_test {

namespace {

using fuzz::GuardedArray;

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

}  // namespace

PipelineOptions options_for_cuda(bool check_indices) {
  PipelineOptions options;
  options.code = &kCudaCode;
  options.target = gpu_machines()[0];
  options.check_indices = check_indices;
  return options;
}

void GpuPrograms::add(std::string label, fuzz::Case test, bool check_indices) {
  try {
    Generated generated = generate(*test.graph, options_for_cuda(check_indices));
    all.push_back({std::move(label), std::move(test), std::move(generated)});
  } catch (const Error& error) {
    if (error.code != Code::kUnsupported) throw;
    ++unsupported[error.message];
  }
}

std::vector<std::string> run_emulated(std::span<const GpuProgram> programs, std::span<const ThreadOrder> orders) {
  std::vector<std::string> texts;
  for (const GpuProgram& program : programs) texts.push_back(program.generated.source);
  const EmulatedLibrary library(emulated_source(texts));
  std::vector<std::string> wrong(programs.size());
  for (size_t i = 0; i < programs.size(); ++i)
    for (const std::vector<int64_t>& sizes : programs[i].test.sizes)
      for (const ThreadOrder order : orders) {
        if (!wrong[i].empty()) break;
        wrong[i] = check_run(programs[i], i, library, sizes, order);
        if (!wrong[i].empty()) wrong[i] = cat("sizes ", join(sizes, ", "), ": ", wrong[i]);
      }
  return wrong;
}

}  // namespace harp::cuda_test
