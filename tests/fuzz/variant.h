// The ways a graph is compiled by the tests. All of them have to give the interpreter's bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "pipeline.h"

namespace harp::fuzz {

/// What one run of the C compiler has in common.
struct CompilerChoice {
  std::string compiler = "gcc";
  std::string target;            // a name of base/target.h; empty: the one tests are about (machine.h)
  int optimisation = 1;          // -O
  bool vectors_written = false;  // -O3 as harp_compile asks for it: the text needs no vectoriser
  friend bool operator==(const CompilerChoice&, const CompilerChoice&) = default;
};

struct BuildVariant {
  CompilerChoice compiler;
  bool plain_text = false;
  int simd_width = 0;  // 0: the target's
  std::vector<std::string> disabled_rules;
  bool partition = true, overlap = true;  // of every kernel's schedule
  int workers = 0;                        // 0: entry_point; else entry_point_ex with so many workers, among whom all loops are divided
  bool pool = false;                      // they are threads of harp's own; else one thread that cuts ranges into pieces
  bool check_indices = false;             // the compile option; what the interpreter says of the graph with it is what is right
  uint32_t schedules = 0;  // not 0: every kernel has a schedule drawn from all that are legal (schedule/legal.h), by this seed
  bool chains = false;     // arrays of any size are worth a chain of kernels
  bool in_place = false;   // outputs are put in the place of inputs wherever the program allows it
};

/// "gcc -O3 vectors x86-64-v3 simd=4 without=fold_constants nopartition nooverlap workers=3 schedules=17 pool chains inplace check"
std::string to_string(const BuildVariant& variant);
/// The inverse; Error{kParse} names the word it does not know.
BuildVariant parse_variant(std::string_view text);

/// Compilers and flags are drawn for so many seeds at a time, so that many graphs share one run of a compiler; the rest per seed.
struct VariantLimits {
  uint64_t seeds_per_compiler = 100;
  std::vector<std::string> compilers = {"gcc", "clang"};
  // Of the compiler runs; the others use -O1. Without optimisation a compiler is quick, and it keeps loads that nobody uses.
  int percent_o3 = 10, percent_o0 = 40;
};
std::vector<BuildVariant> random_variants(uint64_t seed, const VariantLimits& limits);

/// Every level of instructions that this machine has, at every width of vectors (1, 4, 8, 16), by gcc and then by clang.
std::vector<BuildVariant> level_variants();

/// For the pipeline; computes the schedules where they are not to be the usual ones.
PipelineOptions pipeline_options(const Graph& graph, const BuildVariant& variant);
/// The row of machines it names, else the one tests are about (machine.h).
Target target_of(const CompilerChoice& choice);

}  // namespace harp::fuzz
