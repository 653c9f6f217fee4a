// Declares the table of optimiser passes. optimise() runs them in the order of the table; compile options disable passes by name.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace harp::opt {

/// A pass takes a graph and returns a graph. Every output keeps its bits (all NaNs count as equal). The result shares the table of size
/// expressions with the source, and has the same inputs, outputs and names. Every pass is correct without the others. Their order is chosen
/// so that each pass enables as much work of the next one as possible.
struct Pass {
  std::string_view name;
  std::unique_ptr<Graph> (*run)(const Graph& graph);
  bool (*may_change)(const Node& node);  // false: the pass does not change this node, unless it changes another node first
  std::string_view summary;
};

std::span<const Pass> passes();
const Pass* find_pass(std::string_view name);  // returns null if there is no pass of this name

/// Returns the graph from which kernels are scheduled. First removes stop_gradient nodes and splits complex arrays into their parts, then
/// runs every pass that is not in `disabled` and that may change at least one node. The ids of the result's live nodes are in order
/// (remove_dead_code.h, in_order). If nothing applies, returns `graph` itself. Throws Error{kInvalidArgument} if `disabled` has an unknown
/// name.
std::shared_ptr<Graph> optimise(std::shared_ptr<Graph> graph, std::span<const std::string> disabled);

}  // namespace harp::opt
