// Joins the kept axes of reductions whose last axis is short. An example is the mean picture of a film, the sum over the first axis of an
// array of shape [frames, lines, pixels, 3]. A kernel that reduces down columns has vectors along the last axis, and only 3 of their lanes
// would be used. The lines, pixels and colours are adjacent in memory, so that this rewrite makes them one axis:
//
//   sum(x, axes=[0])  becomes  reshape(sum(reshape(x, shape=[frames, 3 * lines * pixels]), axes=[0]), shape=[lines, pixels, 3])
//
// The rewrite joins the axes after the last reduced axis. It joins them in all operations that are connected with the reduction and have
// these axes (the operations of a softmax along the first axis, for example), so that these may still share a kernel. If an array that they
// read is not adjacent in memory along these axes, such as a part of a larger picture or a row that is repeated, nothing is joined. Each
// result keeps its terms and their order.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the graph in which the axes after the last reduced axis become one axis where the last of them is short, or the graph itself if
/// nothing changes. Changes nothing for a GPU, whose threads divide the elements of all kept axes anyway.
std::shared_ptr<Graph> join_kept_axes(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
