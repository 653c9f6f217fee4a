// Conditions on the shape variables that must hold when a program runs, in addition to their bounds. A size may be an expression that is
// valid only for some values (n - 4 elements, an unclamped slice). The constructors accept a size that is valid for some values of the
// variables; a run checks all such sizes before it writes any output.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace harp {

struct Requirement {
  Dim nonnegative;      // must be >= 0
  std::string message;  // if negative: `axis 1 of "h" (…) has size m - 4, which is negative`; empty: any 64-bit value is allowed
};

/// Returns every requirement of inputs and live nodes that is not proven for all values within the bounds, each expression once. Not
/// thread-safe for one graph, because it adds expressions to the graph's table.
std::vector<Requirement> requirements(const Graph& graph);

}  // namespace harp
