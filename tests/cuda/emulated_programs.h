// Programs for GPUs in the emulator: the text that a GPU would run is compiled unchanged for the CPU, launched as its plan says, and
// compared with the interpreter. Many programs are compiled together, because the compiler takes most of the time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cuda/emulator/kernels.h"
#include "fuzz/check_case.h"
#include "pipeline.h"

namespace harp::cuda_test {

inline constexpr ThreadOrder kAllOrders[] = {ThreadOrder::kAscending, ThreadOrder::kDescending, ThreadOrder::kShuffled};

struct GpuProgram {
  std::string label;  // for messages
  fuzz::Case test;
  std::shared_ptr<const Graph> reference;  // the graph that the interpreter runs: the optimiser decides which index checks remain
  Generated generated;
};

/// Returns the options of the pipeline for the lowest machine row of GPUs.
PipelineOptions options_for_cuda(bool check_indices);

struct GpuPrograms {
  std::vector<GpuProgram> all;

  /// Generates a program, with these overrides of schedules (schedule/override.h), for the lowest machine row of GPUs, or for another one.
  void add(std::string label, fuzz::Case test, bool check_indices, std::string schedule = {});
  void add_for(const Machine& target, std::string label, fuzz::Case test, bool check_indices, std::string schedule = {});
};

/// Compiles all programs in one go and runs each with all its sizes in these orders of threads, with data from its seed and from the
/// data_sets - 1 seeds after it. Returns one text for each program: what is wrong, or "". A program is wrong if a bit of an output or an
/// index fault differs from the interpreter's, if it writes beside an array, or if the emulator finds a mistake.
std::vector<std::string> run_emulated(std::span<const GpuProgram> programs, std::span<const ThreadOrder> orders, int data_sets = 1);

/// Does the same for a program whose text is `source` instead of the generated one.
std::string run_emulated_text(const GpuProgram& program, const std::string& source, ThreadOrder order, int data_sets);

}  // namespace harp::cuda_test
