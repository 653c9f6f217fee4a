// Checks that the dtype, shape and sources of every node agree with its op and attributes. The constructors (build.h) make only valid
// nodes, but optimiser passes may make nodes without them. verify() finds an invalid node before a later step computes wrong bits from it.
#pragma once

#include "graph/graph.h"

namespace harp {

/// Throws Error{kInternal} if a live node breaks a rule; the message names the first such node. Two threads must not call it for the same
/// graph, because it adds expressions to the graph's table.
void verify(const Graph& graph);

}  // namespace harp
