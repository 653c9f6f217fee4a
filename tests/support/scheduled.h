// Schedules a graph, given as text or as an object, for a row of the machine table. Tests of schedules use these functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "graph/text.h"
#include "opt/passes.h"
#include "pipeline.h"
#include "schedule/schedule_program.h"
#include "support/machine.h"

namespace schedule_test {

using namespace harp;

/// Returns a copy of the graph after all optimisation passes.
inline std::shared_ptr<Graph> optimised(const Graph& graph) {
  std::shared_ptr<Graph> result = graph.clone();
  for (const opt::Pass& pass : opt::passes()) result = pass.run(*result);
  return result;
}

/// The target of tests that do not name one. The schedules that such tests expect are those for this target.
inline constexpr std::string_view kRow = "x86-64-v4";

/// Schedules the graph and verifies the program.
inline Program scheduled(const Graph& graph, std::string_view overrides = {}, std::string_view row = kRow) {
  Program program = schedule_graph(optimised(graph), {testing::row(row), 0, overrides});
  verify(program);
  return program;
}
inline Program scheduled(std::string_view text) { return scheduled(*parse_graph(text)); }

/// Options of the compilation pipeline for a target of the machine table.
inline PipelineOptions options_for(std::string_view row = kRow) {
  PipelineOptions options;
  options.target = testing::row(row);
  return options;
}

/// Returns the C source that is generated for a graph in the text format.
inline std::string source_of(std::string_view text) { return generate(*parse_graph(text), options_for()).source; }

}  // namespace schedule_test
