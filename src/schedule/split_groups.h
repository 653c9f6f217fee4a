// Finds sums of products with groups, in which an axis of the result is a group axis joined with another axis, and splits that axis in two.
// An example is a grouped convolution, where output channel = group * members + member. The input channels of a group are repeated for each
// of its output channels, so the windows depend only on the group. After the split, the members are rows that share their columns, so that
// register tiles pay (contraction.h).
//
// The same is done for what follows a sum of products of which the graph itself joins two axes, or drops an axis of size 1. A convolution
// with groups joins the axis of the groups to that of their output channels.
//
// This rewrite runs before fusion. Each result keeps its terms and their order. Elementwise operations on the result are split in the same
// way, so that the kernel of the product still stores the final values.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the graph in which the group axis of each sum of products with groups is an axis of its own, or the graph itself if no axis is
/// split.
std::shared_ptr<Graph> split_groups(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
