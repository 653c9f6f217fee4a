// The table of optimiser passes. pipeline.cpp runs them in this order; options switch them on and off by name.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace harp::opt {

/// A pass takes a graph and returns a graph. Every output keeps its bits (all NaNs count as equal). The result shares the source's
/// dimension expressions and has the same inputs, outputs and names. No pass depends on another one; the order lets each pass expose the
/// most work to the next one.
struct Pass {
  std::string_view name;
  std::unique_ptr<Graph> (*run)(const Graph& graph);
  bool (*may_change)(const Node& node);  // false: the pass leaves this node alone unless it changes another node
  std::string_view summary;
};

std::span<const Pass> passes();
const Pass* find_pass(std::string_view name);  // null if there is none

/// Returns the graph to schedule. It first removes stop_gradient nodes and splits complex arrays into their parts. It then runs every pass
/// that is not in `disabled` and that may change at least one node. The result is in_order (remove_dead_code.h). If nothing applies, it
/// returns `graph` itself. An unknown name in `disabled` is Error{kInvalidArgument}.
std::shared_ptr<Graph> optimise(std::shared_ptr<Graph> graph, std::span<const std::string> disabled);

}  // namespace harp::opt
