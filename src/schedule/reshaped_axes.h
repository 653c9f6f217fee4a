// Which axes a reshape joins.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace harp {

/// Returns the source axes, without those of size 1, that a reshape joins to this axis. Returns nothing if the axis shares source axes with
/// another one.
std::optional<std::vector<size_t>> joined_axes(const Node& reshape, size_t axis);

}  // namespace harp
