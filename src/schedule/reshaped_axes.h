// Finds the axes that a reshape joins.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace harp {

/// Returns the source axes, without those of size 1, that the reshape joins into this axis. Returns nothing if one of them is divided among
/// this axis and other axes.
std::optional<std::vector<size_t>> joined_axes(const Node& reshape, size_t axis);

}  // namespace harp
