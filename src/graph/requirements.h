// Collects the conditions on the shape variables that must hold when a program runs, in addition to the bounds of each variable. For
// example, the size n - 4 is valid only if n >= 4. The constructors accept a size that is valid for some values of the variables; a run
// checks all such sizes before it writes any output.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace harp {

struct Requirement {
  Dim nonnegative;  // must be >= 0
  /// The message if the value is negative: `axis 1 of "h" (…) has size m - 4, which is negative`. If the message is empty, the value may be
  /// negative, but must fit 64 bits.
  std::string message;
};

/// Returns the conditions on shape variables that inputs and live nodes impose, without those that are proven for all values within the
/// variables' bounds. Each expression occurs once. Not thread-safe for one graph, because it adds expressions to the graph's table.
std::vector<Requirement> requirements(const Graph& graph);

}  // namespace harp
