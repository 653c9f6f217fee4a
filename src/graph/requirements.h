// Conditions on the shape variables that must hold when a program runs, in addition to the bounds of each variable. For example, the size
// n - 4 is valid only if n >= 4. The constructors accept a size that is valid for some values of the variables; a run checks all such sizes
// before it writes any output.
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

/// Returns every requirement of inputs and live nodes that is not proven for all values within the bounds, each expression once. Two
/// threads must not call it for the same graph, because it adds expressions to the graph's table.
std::vector<Requirement> requirements(const Graph& graph);

}  // namespace harp
