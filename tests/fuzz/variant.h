// The ways to compile a graph in the tests. All must give the interpreter's bits.
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
  std::string target;            // a name of a machine row (base/machine.h); empty: the row that tests use (machine.h)
  int optimisation = 1;          // the level of -O
  bool vectors_written = false;  // true: the flags that harp_compile uses for text with vector types
  friend bool operator==(const CompilerChoice&, const CompilerChoice&) = default;
};

struct BuildVariant {
  CompilerChoice compiler;
  std::string device;  // "cuda:0": compiled for this GPU and run there (device_program.h); then the settings of C do not count. "": C
  bool plain_text = false;
  int simd_width = 0;  // 0: the target's
  std::vector<std::string> disabled_rules;
  bool partition = true, overlap = true;  // options in every kernel's schedule
  int workers = 0;                        // 0: calls entry_point; otherwise entry_point_ex with this many workers, which share every loop
  bool pool = false;                      // true: the workers are threads of harp's pool; false: one thread runs the work of all of them
  bool check_indices = false;             // the compile option of this name; the expected result is then the interpreter's with this option
  uint32_t schedules = 0;                 // > 0: a seed; every kernel has a random legal schedule (schedule/legal.h)
  bool chains = false;                    // true: kernels are chained no matter how small their arrays are
  bool in_place = false;                  // true: outputs use the memory of inputs wherever the program allows it
};

/// The variant as text: "gcc -O3 vectors x86-64-v3 device=cuda:0 simd=4 without=fold_constants nopartition nooverlap workers=3 schedules=17 pool chains
/// inplace check"
std::string to_string(const BuildVariant& variant);
/// The inverse of to_string(). Throws Error{kParse} for an unknown word, which the message contains.
BuildVariant parse_variant(std::string_view text);

/// Compilers and flags are drawn once per group of seeds, so that many graphs share one run of a compiler. The rest is drawn per seed.
struct VariantLimits {
  uint64_t seeds_per_compiler = 100;
  std::vector<std::string> compilers = {"gcc", "clang"};
  // Percentages of the compiler runs with -O3 and with -O0; the others use -O1. With -O0 a compiler is fast, and it keeps loads whose value
  // is unused.
  int percent_o3 = 10, percent_o0 = 40;
  std::string device;  // a GPU that runs every graph, instead of the C compilers; "": none
};
std::vector<BuildVariant> random_variants(uint64_t seed, const VariantLimits& limits);

/// Every row of this machine's architecture with every vector width (1, 4, 8, 16), compiled by gcc and by clang.
std::vector<BuildVariant> level_variants();

/// The options for the pipeline; computes the schedules unless they are the default ones.
PipelineOptions pipeline_options(const Graph& graph, const BuildVariant& variant);
/// The machine row that `choice` names; if it names none, the row that tests use (machine.h).
Machine target_of(const CompilerChoice& choice);

}  // namespace harp::fuzz
