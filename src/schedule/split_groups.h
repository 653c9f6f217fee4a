// Finds products of groups whose group axis is hidden in a kept axis, and makes it an axis of its own. In a grouped convolution each input
// channel group is repeated for the output channels of its group: output channel = group * members + member, and the windows depend on the
// group only. With the axis split in two, the sum of products has rows (members) that share their columns, so that register tiles pay
// (contraction.h).
//
// This is a rewrite before fusion. Each element keeps its terms and their order. What follows elementwise is split as well, so that the
// kernel of the product still stores the final values.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the rewritten graph, or the graph itself if nothing is split.
std::shared_ptr<Graph> split_groups(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
