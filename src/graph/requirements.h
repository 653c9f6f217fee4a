// What must hold of the shape variables when a program runs, beyond their bounds. Sizes may be expressions that only some values
// make sensible (n - 4 elements, an unclamped slice); construction accepts what can hold, and a run checks it before it writes anything.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace harp {

struct Requirement {
  Dim nonnegative;      // must be >= 0
  std::string message;  // what is wrong if it is not: `the size of axis 1 of "h" (add f32[n, m - 4]) is negative`; empty: it need only fit
};

/// Everything that is not proven for all values within the bounds, of inputs and live nodes; each expression once. Not thread-safe
/// for one graph (it makes expressions in the graph's table).
std::vector<Requirement> requirements(const Graph& graph);

}  // namespace harp
