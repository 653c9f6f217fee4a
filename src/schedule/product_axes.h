// Chooses the axes of contractions before fusion, if the rows and columns that the graph gives would not fill register tiles
// (contraction.h):
//
//   merged      The columns are several axes. For example, in the gradient of a convolution with 1 x 1 kernels, the lines of the picture
//               are one axis and the pixels of a line another. A line of 13 pixels does not quite fill one vector, and the result would
//               have to be reordered. If the pixels are contiguous in memory, their axes become one axis, in the order in which the result
//               is used, and the contraction becomes a plain matrix product. Pixels that are cut out of a larger picture, or every second
//               pixel, are not contiguous. If a line of such pixels may be too short for register tiles, the pixels are copied first.
//   reordered   The last axis has only a few elements. For example, the results of a transposed convolution with a stride of 2 are two
//               interleaved sets of pixels along the last axis. The pixels of a set become the columns, and the channels become the rows.
//   joined      No axis is long enough for columns, but several axes together are. For example, the gradient of the weights of a
//               convolution with 3 x 3 kernels and 3 channels has 27 elements for each filter. They become one axis of columns, for which
//               the windows are packed. Convolutions with up to 15 channels are treated in the same way, because without the joined axis
//               the factor of the filters would be packed again for each kernel element. Another example is a convolution of small
//               pictures: the pixels of all pictures of the batch become the columns, and the weights are packed once for all of them.
//
// Each result keeps its terms and their order. Elementwise operations on the result of a product get its merged axes too.
#pragma once

#include <memory>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"

namespace harp {

/// Returns the graph with other axes for those contractions that fill register tiles only with these axes, or the graph itself if nothing
/// changes.
std::shared_ptr<Graph> choose_product_axes(std::shared_ptr<Graph> graph, const FusionLimits& limits);

}  // namespace harp
