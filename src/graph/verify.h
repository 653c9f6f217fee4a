// Checks that every node agrees with its op and attributes. The constructors (build.h) make only valid nodes. Optimiser passes intern nodes
// directly; verify() finds a node with a wrong shape, dtype or source before a later step computes wrong bits from it.
#pragma once

#include "graph/graph.h"

namespace harp {

/// Error{kInternal} names the first live node that breaks a rule. Not thread-safe for one graph (it adds expressions to its table).
void verify(const Graph& graph);

}  // namespace harp
