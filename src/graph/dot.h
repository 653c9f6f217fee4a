// Pictures of graphs for Graphviz.
#pragma once

#include <string>

#include "graph/graph.h"

namespace harp {

/// Returns the DOT text of all inputs and of the nodes that outputs depend on: op, name, type and attributes. Operands are numbered if
/// their order matters.
std::string to_dot(const Graph& graph);

}  // namespace harp
