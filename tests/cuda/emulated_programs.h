// Runs programs for GPUs in the emulator. The CUDA text of a program is compiled unchanged for the CPU, launched as its plan says, and
// compared with the interpreter. Many programs are compiled together, because the compiler takes most of the time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cuda/emulator/kernels.h"
#include "cuda/emulator/library.h"
#include "fuzz/check_case.h"
#include "pipeline.h"

namespace harp::cuda_test {

inline constexpr ThreadOrder kAllOrders[] = {ThreadOrder::kAscending, ThreadOrder::kDescending, ThreadOrder::kShuffled};

/// The orders of threads in which programs run. kAll: every run is made in each of the three orders. kShuffled: every run is made in the
/// shuffled order. kInTurn: every run is made in one order, and the orders take turns: program p of the list runs with its list of sizes s
/// and with set of data d in order (p + s + d) mod 3 of kAllOrders. With three sets of data or more, every program thus runs in every order
/// with each of its sizes.
enum class Orders { kAll, kShuffled, kInTurn };

struct GpuProgram {
  std::string label;  // for messages
  fuzz::Case test;
  // the graph for the interpreter: with index checks it is the optimised one, because the optimiser decides which checks remain
  std::shared_ptr<const Graph> reference;
  Generated generated;
};

/// Returns the options of the pipeline for the GPU with the lowest compute capability in harp's table of GPUs.
PipelineOptions options_for_cuda(bool check_indices);

struct GpuPrograms {
  std::vector<GpuProgram> all;

  /// Generates a program and adds it to the list: add() for the GPU with the lowest compute capability in harp's table, add_for() for
  /// `target`. `schedule` is text that overrides the schedules of kernels (schedule/override.h).
  void add(std::string label, fuzz::Case test, bool check_indices, std::string schedule = {});
  void add_for(const Machine& target, std::string label, fuzz::Case test, bool check_indices, std::string schedule = {});
};

/// Programs that are compiled together, in one run of the compiler. They can be compiled in one thread while others run in another thread.
class CompiledPrograms {
 public:
  explicit CompiledPrograms(GpuPrograms programs);
  /// Runs the programs as run_emulated() does.
  std::vector<std::string> run(Orders orders, int data_sets = 1) const;

  const std::vector<GpuProgram> all;

 private:
  const EmulatedLibrary library_;
};

/// Compiles all programs in one go. Runs each of them with all its sizes in these orders of threads, and with `data_sets` sets of input
/// data, whose seeds are test.data_seed, data_seed + 1 and so on. Returns one text for each program: what is wrong, or "". A program is
/// wrong if a bit of an output or an index fault differs from the interpreter's, if it writes outside of an array, or if the emulator finds
/// a mistake.
std::vector<std::string> run_emulated(std::span<const GpuProgram> programs, Orders orders, int data_sets = 1);

/// Compiles several CUDA texts together. Each of them is run in place of the generated text of `program`: the first text in the shuffled
/// order of threads, the others in every order. Returns one string for each text: a description of the first mistake, or "".
std::vector<std::string> run_emulated_texts(const GpuProgram& program, std::span<const std::string> texts, int data_sets);

}  // namespace harp::cuda_test
