// Draws graphs for Graphviz.
#pragma once

#include <string>

#include "graph/graph.h"

namespace harp {

/// Returns DOT text for all inputs and for the nodes that outputs depend on. A label states the op, name, type and attributes. Edges to a
/// node are numbered if the order of its operands matters.
std::string to_dot(const Graph& graph);

}  // namespace harp
