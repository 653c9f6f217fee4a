// Finds products of groups whose group axis is hidden in a kept axis, and makes it an axis of its own. In a grouped convolution the input
// channels of a group are repeated for each of its output channels: output channel = group * members + member, and the windows depend only
// on the group. With this axis split in two, the sum of products has rows (the members) that share their columns, so that register tiles
// pay (contraction.h).
//
// This rewrite runs before fusion. Each element keeps its terms and their order. Elementwise operations on the result are split in the same
// way, so that the kernel of the product still stores the final values.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the rewritten graph, or the graph itself if nothing is split.
std::shared_ptr<Graph> split_groups(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
