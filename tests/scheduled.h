// From a text to the program that is made of it, for a stated machine row and one worker: what tests of schedules share.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "graph/text.h"
#include "machine.h"
#include "opt/passes.h"
#include "pipeline.h"
#include "schedule/schedule_program.h"

namespace schedule_test {

using namespace harp;

/// The graph behind all passes.
inline std::shared_ptr<Graph> optimised(const Graph& graph) {
  std::shared_ptr<Graph> result = graph.clone();
  for (const opt::Pass& pass : opt::passes()) result = pass.run(*result);
  return result;
}

/// The row of tests that name none: what they expect is said for this one.
inline constexpr std::string_view kRow = "x86-64-v4";

/// Its kernels, whose plan is verified.
inline Program scheduled(const Graph& graph, std::string_view overrides = {}, std::string_view row = kRow) {
  Program program = schedule_graph(optimised(graph), {testing::row(row), 0, overrides});
  verify(program);
  return program;
}
inline Program scheduled(std::string_view text) { return scheduled(*parse_graph(text)); }

/// Options that name a row.
inline PipelineOptions options_for(std::string_view row = kRow) {
  PipelineOptions options;
  options.target = testing::row(row);
  return options;
}

/// What is compiled of it.
inline std::string source_of(std::string_view text) { return generate(*parse_graph(text), options_for()).source; }

}  // namespace schedule_test
