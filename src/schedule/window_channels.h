// Handles products that read windows of an array along an axis whose elements are far apart in memory: stores a copy of the array with that
// axis last. The gradient of the weights of a convolution is such a product:
//
//     dw[filter, u, v, channel] = sum over picture, oy, ox of g[picture, filter, oy, ox] * x[picture, channel, oy + u, ox + v]
//
// Register tiles have vectors along the channels or along the filters. In either case the windows of x are packed for each kernel element
// (u, v), and the elements of adjacent channels are a whole picture apart. A packed vector would be assembled from single elements, which
// takes longer than its products with a few filters. So x is copied once, with the channels last; packing then loads whole vectors.
//
// No bit changes: each sum has the same terms in the same order.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the rewritten graph, or the graph itself if nothing changes. Changes nothing for a GPU.
std::shared_ptr<Graph> store_window_channels(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
