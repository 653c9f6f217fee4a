// Lists the different ways in which the tests compile a graph. All of them must give the bits of the interpreter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "pipeline.h"

namespace harp::fuzz {

/// The settings of one run of a C compiler.
struct CompilerChoice {
  std::string compiler = "gcc";
  std::string target;    // name of a target in the machine table (base/machine.h); if empty, the target that tests use (support/machine.h)
  int optimisation = 1;  // the level of -O
  bool vectors_written = false;  // true: use the flags that harp_compile uses for source with vector types
  friend bool operator==(const CompilerChoice&, const CompilerChoice&) = default;
};

struct BuildVariant {
  CompilerChoice compiler;
  // "": compile C; "cuda:0": compile for this GPU and run there (device_program.h), in which case the settings for C are ignored
  std::string device;
  bool plain_text = false;
  int simd_width = 0;  // 0: the vector width of the target
  std::vector<std::string> disabled_rules;
  bool partition = true, overlap = true;  // false: disables the option `partition` or `overlap` in the schedule of every kernel
  int workers = 0;                        // 0: call entry_point; otherwise: call entry_point_ex with this many workers
  bool pool = false;           // true: the workers are threads of harp's thread pool; false: one thread does the work of all workers
  bool usual_grain = false;    // true: workers share only loops that are long enough for a user's program to share them; false: every loop
  bool check_indices = false;  // the compile option check_indices; the interpreter then computes the expected result with the same option
  uint32_t schedules = 0;      // a seed with which every kernel gets a random legal schedule (schedule/legal.h); 0: default schedules
  bool chains = false;         // true: merge chains of kernels even if their arrays are small
  bool in_place = false;       // true: outputs use the memory of inputs wherever the program allows it
};

/// The variant as text: "gcc -O3 vectors x86-64-v3 device=cuda:0 simd=4 without=fold_constants nopartition nooverlap workers=3 schedules=17
/// pool grain chains inplace check"
std::string to_string(const BuildVariant& variant);
/// The inverse of to_string(). Throws Error{kParse} for an unknown word, which the message contains.
BuildVariant parse_variant(std::string_view text);

/// Limits on the variants that random_variants() draws. All seeds of a group use the same compiler and flags, so that one run of a compiler
/// compiles many graphs. The other settings are drawn for each seed.
struct VariantLimits {
  uint64_t seeds_per_compiler = 100;
  std::vector<std::string> compilers = {"gcc", "clang"};
  // Percentages of the compiler runs with -O3 and with -O0; the other runs use -O1. A compiler is fast with -O0, and it does not remove
  // loads whose value is unused, so that invalid loads are found.
  int percent_o3 = 10, percent_o0 = 40;
  std::string device;  // name of a GPU that runs every graph, instead of code from the C compilers; "": no GPU
};
std::vector<BuildVariant> random_variants(uint64_t seed, const VariantLimits& limits);

/// One variant for every target of this machine's architecture in the machine table, every vector width (1, 4, 8, 16) and each of the
/// compilers gcc and clang.
std::vector<BuildVariant> level_variants();

/// Returns schedules of all kernels of a graph for a GPU, as text. They are the schedules that harp chose, but with a random number of
/// elements per thread (schedule/elements_of_thread.h). `options` are those with which the graph is compiled.
std::string random_elements_of_thread(const Graph& graph, const PipelineOptions& options, uint64_t seed);

/// Returns the options of the compilation pipeline for this variant. If the variant has random schedules or disables an option of the
/// schedules, the options contain the text of these schedules.
PipelineOptions pipeline_options(const Graph& graph, const BuildVariant& variant);
/// The target that `choice` names or, if it names none, the target that tests use (support/machine.h).
Machine target_of(const CompilerChoice& choice);

}  // namespace harp::fuzz
