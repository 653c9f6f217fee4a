// Chooses the axes of contractions before fusion, where rows and columns as they are would not fill register tiles (contraction.h):
//
//   merged      the columns are several axes. In the gradient of a convolution with 1 x 1 kernels, rows of a picture are an axis between
//               channels and columns: each row of 13 pixels fills most of one vector, and the result has to be reordered. If the pixels lie
//               one after the other in memory, they become one axis, in the order in which the result is used: a plain product.
//               Pixels that are cut out of a larger picture, or are every second one, do not lie so. If a row of them may be too short for
//               register tiles, they are copied first.
//   reordered   the last axis has only a few elements. The phases of a transposed convolution lie between its pixels; pixels become the
//               columns and channels the rows.
//
// Each element keeps its terms and their order. What follows elementwise gets merged axes, too.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the rewritten graph, or the graph itself if nothing changes.
std::shared_ptr<Graph> choose_product_axes(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
