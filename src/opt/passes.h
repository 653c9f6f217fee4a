// The optimiser's passes as data: pipeline.cpp runs them in this order, and options switch them on and off by name.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace harp::opt {

/// Graph to graph; every output keeps its bits (NaNs all count as equal). The result shares the source's dimension
/// expressions and has the same inputs, outputs and names. No pass depends on another;
/// in this order each leaves most to the next.
struct Pass {
  std::string_view name;
  std::unique_ptr<Graph> (*run)(const Graph& graph);
  bool (*may_change)(const Node& node);  // false: the pass leaves the node as it is if it leaves all others
  std::string_view summary;
};

std::span<const Pass> passes();
const Pass* find_pass(std::string_view name);  // null if there is none

/// What is scheduled: stop_gradient nodes go and complex arrays become those of their parts, then every pass runs that is not in `disabled`
/// and has something to look at; the graph itself where there is none. An unknown name there is Error{kInvalidArgument}.
std::shared_ptr<Graph> optimise(std::shared_ptr<Graph> graph, std::span<const std::string> disabled);

}  // namespace harp::opt
