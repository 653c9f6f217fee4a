// Conditions on the shape variables that must hold when a program runs, in addition to their bounds. A size may be an expression that is
// valid only for some values (n - 4 elements, an unclamped slice). Construction accepts a size that can be valid; a run checks it before it
// writes anything.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace harp {

struct Requirement {
  Dim nonnegative;      // must be >= 0
  std::string message;  // error if negative: `axis 1 of "h" (…) has size m - 4, which is negative`; empty: it must only fit 64 bits
};

/// Returns every requirement of inputs and live nodes that is not proven for all values within the bounds, each expression once. Not
/// thread-safe for one graph, because it adds expressions to the graph's table.
std::vector<Requirement> requirements(const Graph& graph);

}  // namespace harp
