// From a text to the program that is made of it, for this machine and one worker: what tests of schedules share.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "graph/text.h"
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

/// Its kernels, whose plan is verified.
inline Program scheduled(const Graph& graph, std::string_view overrides = {}) {
  Program program = schedule_graph(optimised(graph), {host_target(), 0, overrides});
  verify(program);
  return program;
}
inline Program scheduled(std::string_view text) { return scheduled(*parse_graph(text)); }

/// What is compiled of it.
inline std::string source_of(std::string_view text) {
  PipelineOptions options;
  options.target = host_target();
  return generate(*parse_graph(text), options).source;
}

}  // namespace schedule_test
