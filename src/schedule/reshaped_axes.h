// Finds the axes that a reshape joins.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace harp {

/// Returns the axes of the reshape's source, without those of size 1, that the reshape joins into axis `axis` of its result. Returns
/// nothing if the reshape divides one of these source axes among several axes of its result.
std::optional<std::vector<size_t>> joined_axes(const Node& reshape, size_t axis);

}  // namespace harp
