// The staircase as a whole: from a graph to the text of one translation unit. pipeline.cpp holds the ordered list of passes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/source_functions.h"
#include "base/target.h"
#include "graph/graph.h"
#include "graph/index_fault.h"
#include "ir/ir.h"
#include "schedule/program.h"
#include "schedule/schedule_program.h"

namespace harp {

class TimeLimit;

struct PipelineOptions {
  Target target;
  bool plain_text = false;                                                  // no vector types: any C99 compiler will do
  std::vector<std::string> disabled_rules;                                  // names of optimiser passes (opt/passes.h) to leave out
  std::string schedule_override;                                            // Schedule text for single kernels, see schedule/schedule.h
  bool check_indices = false;                                               // what takes or adds by data looks at its indices first
  int simd_width = 0;                                                       // 0: the target's; else 1, 2, 4, 8, 16 (tests)
  int64_t share_ns = 5000;                                                  // work worth handing to another worker (tests: less)
  ChainOptions chains;                                                      // of kernels that hand blocks to each other
  std::function<void(std::string_view stage, std::string_view text)> dump;  // called with each stage named in dump_stages
  std::vector<std::string> dump_stages;                                     // "graph", "opt", "schedule", "ir", "ir-opt", "linear", "c"
};

struct PipelineStats {
  int kernels = 0, generations = 0;
  double milliseconds = 0;  // graph to source
  uint64_t visits = 0;      // of nodes and size expressions on the way (base/visits.h)
};

/// An output that may be the same array as an input of the program.
struct InPlaceArguments {
  int output, input;
  friend bool operator==(const InPlaceArguments&, const InPlaceArguments&) = default;
};

/// Everything the run layer needs besides the artifact. Syms belong to module.arena's table.
struct Generated {
  std::string source;
  std::vector<SourceFunction> functions;  // of the source, those that may be compiled apart
  bool vectors_written = false;           // the source needs no vectoriser to be fast
  std::shared_ptr<ir::Module> module;     // inputs, outputs, shape_vars, workspace
  std::vector<InPlaceArguments> in_place;
  std::vector<SiteText> sites;  // by the number entry_point_ex reports
  PipelineStats stats;
};

/// Graph to C source. Thread-safe for one const Graph: works on a clone. Where the time of `limit` is over it throws as that says.
Generated generate(const Graph& graph, const PipelineOptions& options, TimeLimit* limit = nullptr);

/// What "opt" makes of the graph, as a graph of its own: what is scheduled, and what runs where a run has to find the same index that names
/// no element as generated code does.
std::shared_ptr<Graph> optimised(const Graph& graph, const PipelineOptions& options, TimeLimit* limit = nullptr);

/// What generate() would say of in-place arguments, for a backend that has no use for the rest.
std::vector<InPlaceArguments> in_place_arguments(const Graph& graph, const PipelineOptions& options, TimeLimit* limit = nullptr);

/// The text of one stage: "graph", "opt", "schedule", "ir", "ir-opt", "linear", "c" or "dot". Error{kInvalidArgument} names the stages.
std::string emit_stage(const Graph& graph, const PipelineOptions& options, std::string_view stage);

}  // namespace harp
