// Fixes the values of some shape variables of a graph. The sizes that depend on them become constants, so the compiler knows more: for
// example that a row length is a multiple of the vector length, so that a loop needs no tail.
#pragma once

#include <span>
#include <string_view>

#include "graph/graph.h"

namespace harp {

struct FixedSize {
  std::string_view name;
  int64_t value;
};

/// Returns a copy without these variables. Throws Error{kInvalidArgument} if the graph has no variable of a given name or a name is given
/// twice, Error{kRange} if a value is outside the variable's bounds or makes a size negative, Error{kOverflow} if an array becomes too
/// large.
std::unique_ptr<Graph> specialize(const Graph& graph, std::span<const FixedSize> sizes);

}  // namespace harp
