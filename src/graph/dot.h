// A picture of a graph for Graphviz.
#pragma once

#include <string>

#include "graph/graph.h"

namespace harp {

/// DOT text of the nodes that outputs depend on, and all inputs: op, name, type and attributes; operands are numbered where their order
/// matters.
std::string to_dot(const Graph& graph);

}  // namespace harp
