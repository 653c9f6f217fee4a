// Generated CUDA kernels against the interpreter, without a GPU: the very text that a GPU would run is compiled for the emulator and
// launched as its plan says. Results must have the same bits.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cuda/emulator/library.h"
#include "fuzz/generator.h"
#include "pipeline.h"

namespace harp::cuda_test {

inline constexpr ThreadOrder kAllOrders[] = {ThreadOrder::kAscending, ThreadOrder::kDescending, ThreadOrder::kShuffled};

struct GpuProgram {
  std::string label;  // for messages
  fuzz::Case test;
  Generated generated;
};

PipelineOptions options_for_cuda(bool check_indices);

/// Generates the program, or counts the operation that has no kernel for GPUs yet.
void add_program(std::string label, fuzz::Case test, bool check_indices, std::vector<GpuProgram>& programs,
                 std::map<std::string, int>& unsupported);

/// Compiles all programs in one go and runs each with all its sizes, and as often with other data. Each difference is a failed check of the
/// test.
void check_programs(const std::vector<GpuProgram>& programs, std::span<const ThreadOrder> orders, int data_sets = 1);

/// Returns what is wrong with the results of a program whose text is `source` instead of its own, or "".
std::string check_text(const GpuProgram& program, const std::string& source, ThreadOrder order, int data_sets);

}  // namespace harp::cuda_test
