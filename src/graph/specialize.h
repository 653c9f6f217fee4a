// A graph for fixed values of some of its shape variables: every size that depends on them is worked out, so that what is compiled
// knows more (row lengths that fit the vectors, loops without tails).
#pragma once

#include <span>
#include <string_view>

#include "graph/graph.h"

namespace harp {

struct FixedSize {
  std::string_view name;
  int64_t value;
};

/// A copy without these variables. Error{kInvalidArgument} for a name the graph does not have or that is given twice, kRange for a value
/// outside the variable's bounds or one that makes a size negative, kOverflow for an array that becomes too large.
std::unique_ptr<Graph> specialize(const Graph& graph, std::span<const FixedSize> sizes);

}  // namespace harp
