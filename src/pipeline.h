// Declares the whole pipeline, from a graph to the text of one translation unit. The ordered list of passes is in pipeline.cpp. The passes
// that depend on the language of the text (C, CUDA) are the functions of a CodeGenerator; all other passes are shared.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/machine.h"
#include "base/source_functions.h"
#include "graph/graph.h"
#include "graph/index_fault.h"
#include "ir/ir.h"
#include "schedule/program.h"
#include "schedule/schedule_program.h"

namespace harp {

class TimeLimit;
namespace cuda {
struct Plan;
}

struct PipelineOptions;

/// The text of a translation unit, and facts about it that the caller needs to compile it.
struct Rendered {
  std::string source;
  std::vector<SourceFunction> functions;   // the functions of the source that may be compiled separately
  bool vectors_written = false;            // the source uses vector types, so it is fast without the compiler's vectoriser
  std::shared_ptr<const cuda::Plan> plan;  // how to launch the kernels of a source that has no host code (run/cuda/plan.h); else null
};

/// The passes that depend on the language of the generated code.
struct CodeGenerator {
  std::string_view language;  // the name of the last stage, the source; for example "c"
  // What render() does, for the error message when a time limit is exceeded: "writing the C source".
  std::string_view activity;
  Program (*schedule)(std::shared_ptr<Graph> graph, const PipelineOptions& options);
  std::shared_ptr<ir::Module> (*lower)(const Program& program);
  Rendered (*render)(const ir::Module& module, const PipelineOptions& options);
  bool plans = false;  // whether render() makes a launch plan, which is a further stage (kPlanStage)
};

/// Generates C for a CPU.
extern const CodeGenerator kCCode;
/// Generates CUDA C++ for a GPU: kernels and a launch plan. options.target must be one of gpu_machines().
extern const CodeGenerator kCudaCode;

struct PipelineOptions {
  const CodeGenerator* code = &kCCode;
  Machine target;
  // Write no vector types, so that every C99 compiler accepts the source.
  bool plain_text = false;
  // The names of optimiser passes (opt/passes.h) to skip.
  std::vector<std::string> disabled_rules;
  // Schedules of single kernels as text, in the syntax of schedule/override.h.
  std::string schedule_override;
  // Whether gathers and scatters check their indices before they use them.
  bool check_indices = false;
  // The number of vector lanes: 1, 2, 4, 8 or 16 (for tests). 0: as many as fit a vector of the target.
  int simd_width = 0;
  // The least work, in nanoseconds, that is worth handing to another worker thread.
  int64_t share_ns = 2500;
  // Options for chains of kernels (schedule/chain.h).
  ChainOptions chains;
  // Called with the text of each stage that is named in dump_stages.
  std::function<void(std::string_view stage, std::string_view text)> dump;
  // Names of stages; see stage_names().
  std::vector<std::string> dump_stages;
};

struct PipelineStats {
  int kernels = 0, generations = 0;
  double milliseconds = 0;  // time from graph to source
  uint64_t visits = 0;      // number of visits of nodes and size expressions (base/visits.h)
};

/// An output and an input of the program that may be the same memory.
struct InPlaceArguments {
  int output, input;
  friend bool operator==(const InPlaceArguments&, const InPlaceArguments&) = default;
};

/// Everything that running the program requires besides the compiled code. The symbolic sizes (Sym) in it belong to the symbol table of
/// module->arena.
struct Generated : Rendered {
  std::shared_ptr<ir::Module> module;  // describes inputs, outputs, shape variables, workspace
  std::vector<InPlaceArguments> in_place;
  // Describes, for error messages, the places in the graph where indices are checked. entry_point_ex reports a failed check by its position
  // in this list.
  std::vector<SiteText> sites;
  PipelineStats stats;
};

/// Generates source in the language of options.code. Several threads may call it with the same graph, because it works on a clone. Throws
/// the error of `limit` when the time limit is exceeded.
Generated generate(const Graph& graph, const PipelineOptions& options, TimeLimit* limit = nullptr);

/// Returns the graph after the stage "opt", for which kernels are scheduled. A backend that executes this graph without generating code
/// reports the same out-of-range index as generated code does.
std::shared_ptr<Graph> optimised(const Graph& graph, const PipelineOptions& options, TimeLimit* limit = nullptr);

/// Returns the pairs that generate() would return as `in_place`, for a backend that does not need the source.
std::vector<InPlaceArguments> in_place_arguments(const Graph& graph, const PipelineOptions& options, TimeLimit* limit = nullptr);

/// Another name for the stage that generates the source. Its usual name is that of the language.
inline constexpr std::string_view kSourceStage = "source";
/// The name of the stage after the source, which exists only if the generated code has a launch plan.
inline constexpr std::string_view kPlanStage = "plan";
/// Returns the names of the stages in order: "graph", "opt", "schedule", "ir", "ir-opt", "linear", the name of the language, and kPlanStage
/// if there is a launch plan.
std::vector<std::string_view> stage_names(const CodeGenerator& code);

/// Returns the text of one stage: one of stage_names(*options.code), kSourceStage or "dot". For any other name throws
/// Error{kInvalidArgument}, which lists the stages.
std::string emit_stage(const Graph& graph, const PipelineOptions& options, std::string_view stage);

}  // namespace harp
