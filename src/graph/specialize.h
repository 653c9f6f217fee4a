// Fixes the values of some shape variables of a graph. Every size that depends on them is computed, so more is known at compile time (row
// lengths that are multiples of the vector length, loops without tails).
#pragma once

#include <span>
#include <string_view>

#include "graph/graph.h"

namespace harp {

struct FixedSize {
  std::string_view name;
  int64_t value;
};

/// Returns a copy without these variables. Error{kInvalidArgument} if the graph has no variable of a name or a name is given twice, kRange
/// if a value is outside the variable's bounds or makes a size negative, kOverflow if an array becomes too large.
std::unique_ptr<Graph> specialize(const Graph& graph, std::span<const FixedSize> sizes);

}  // namespace harp
