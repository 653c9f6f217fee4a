// Chooses the axes of contractions before fusion, where the rows and columns that the graph gives would not fill register tiles
// (contraction.h):
//
//   merged      The columns are several axes. For example, in the gradient of a convolution with 1 x 1 kernels each row of the picture is
//               an axis of its own: a row of 13 pixels fills most of one vector only, and the result has to be reordered. If the pixels are
//               contiguous in memory, they become one axis, in the order in which the result is used, and the contraction is a plain matrix
//               product. Pixels that are cut out of a larger picture, or every second pixel, are not contiguous. If a row of them may be
//               too short for register tiles, they are copied first.
//   reordered   The last axis has only a few elements. For example, the results of a transposed convolution with a stride of 2 lie in two
//               interleaved sets along the last axis; the pixels of a set become the columns and the channels the rows.
//
// Each element keeps its terms and their order. Elementwise operations on the result get merged axes, too.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the rewritten graph, or the graph itself if nothing changes.
std::shared_ptr<Graph> choose_product_axes(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
