// The whole pipeline: from a graph to the text of one translation unit. pipeline.cpp holds the ordered list of passes. The passes that
// depend on the language of the text (C, CUDA) are the functions of a CodeGenerator; all others are shared.
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

/// The text of a translation unit and what a compiler may know about it.
struct Rendered {
  std::string source;
  std::vector<SourceFunction> functions;   // the functions of the source that may be compiled separately
  bool vectors_written = false;            // the source uses vector types, so it is fast without the compiler's vectoriser
  std::shared_ptr<const cuda::Plan> plan;  // how to launch the kernels of a source that has no host code (run/cuda/plan.h); else null
};

/// The passes that depend on the language of the generated code.
struct CodeGenerator {
  std::string_view language;  // the name of the last stage, the source: "c"
  std::string_view activity;  // what render() does, for the error of a time limit: "writing the C source"
  Program (*schedule)(std::shared_ptr<Graph> graph, const PipelineOptions& options);
  std::shared_ptr<ir::Module> (*lower)(const Program& program);
  Rendered (*render)(const ir::Module& module, const PipelineOptions& options);
  bool plans = false;  // whether render() makes a launch plan, which is the stage kPlanStage
};

/// C for a CPU.
extern const CodeGenerator kCCode;
/// CUDA C++ for a GPU: kernels, and a launch plan. options.target is a row of gpu_machines().
extern const CodeGenerator kCudaCode;

struct PipelineOptions {
  const CodeGenerator* code = &kCCode;
  Machine target;
  bool plain_text = false;                                                  // no vector types: every C99 compiler accepts the source
  std::vector<std::string> disabled_rules;                                  // names of optimiser passes (opt/passes.h) to skip
  std::string schedule_override;                                            // schedules of single kernels as text, see schedule/schedule.h
  bool check_indices = false;                                               // gathers and scatters check their indices before they use them
  int simd_width = 0;                                                       // 0: as the target's vectors; else 1, 2, 4, 8, 16 (for tests)
  int64_t share_ns = 5000;                                                  // least work in nanoseconds that is worth handing to another
                                                                            // worker
  ChainOptions chains;                                                      // options for chains of kernels (schedule/chain.h)
  std::function<void(std::string_view stage, std::string_view text)> dump;  // called for each stage named in dump_stages
  std::vector<std::string> dump_stages;                                     // names of stages, see stage_names()
};

struct PipelineStats {
  int kernels = 0, generations = 0;
  double milliseconds = 0;  // from graph to source
  uint64_t visits = 0;      // visits of nodes and size expressions (base/visits.h)
};

/// An output and an input of the program that may be the same array.
struct InPlaceArguments {
  int output, input;
  friend bool operator==(const InPlaceArguments&, const InPlaceArguments&) = default;
};

/// Everything that the run layer needs besides the compiled code. The Syms in it belong to the table of module->arena.
struct Generated : Rendered {
  std::shared_ptr<ir::Module> module;  // inputs, outputs, shape_vars, workspace
  std::vector<InPlaceArguments> in_place;
  std::vector<SiteText> sites;  // descriptions of the places that check indices, by the site number that entry_point_ex reports
  PipelineStats stats;
};

/// Generates source in the language of options.code. Thread-safe on one const Graph, because it works on a clone. Throws the error of
/// `limit` when its time is over.
Generated generate(const Graph& graph, const PipelineOptions& options, TimeLimit* limit = nullptr);

/// The graph after the stage "opt", from which kernels are scheduled. A backend that executes this graph without generating code reports
/// the same out-of-range index as generated code does.
std::shared_ptr<Graph> optimised(const Graph& graph, const PipelineOptions& options, TimeLimit* limit = nullptr);

/// The pairs that generate() would return as `in_place`, for a backend that does not need the source.
std::vector<InPlaceArguments> in_place_arguments(const Graph& graph, const PipelineOptions& options, TimeLimit* limit = nullptr);

/// An alias of the stage that is named after the language.
inline constexpr std::string_view kSourceStage = "source";
/// The stage after the source, if the generated code has a launch plan.
inline constexpr std::string_view kPlanStage = "plan";
/// The names of the stages in order: "graph", "opt", "schedule", "ir", "ir-opt", "linear", the language, and perhaps kPlanStage.
std::vector<std::string_view> stage_names(const CodeGenerator& code);

/// The text of one stage: one of stage_names(*options.code), kSourceStage or "dot". For any other name throws Error{kInvalidArgument},
/// which lists the stages.
std::string emit_stage(const Graph& graph, const PipelineOptions& options, std::string_view stage);

}  // namespace harp
