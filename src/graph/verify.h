// Is every node what its op and attributes say? Constructors (build.h) make only right nodes; optimiser passes intern nodes on their
// own, and this finds the one that got a shape, dtype or source wrong, before a later step makes wrong bits of it.
#pragma once

#include "graph/graph.h"

namespace harp {

/// Error{kInternal} naming the first live node that breaks a rule. Not thread-safe for one graph (it makes expressions in its table).
void verify(const Graph& graph);

}  // namespace harp
