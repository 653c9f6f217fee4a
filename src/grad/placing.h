// Places elements into a larger array of zeros, for the adjoints of slices and windows. The functions use pads, slices and reshapes instead
// of a scatter, so that they fuse with other operations and no intermediate array is stored.
#pragma once

#include "graph/build.h"

namespace harp::grad {

using build::NodeRef;

/// Appends `count` zeros at the end of an axis.
NodeRef padded_after(NodeRef x, int axis, Dim count);

/// Returns the first `size` elements along an axis, padded with zeros if the axis has fewer.
NodeRef resized(NodeRef x, int axis, Dim size);

/// Inserts step - 1 zeros after every element along an axis: element i moves to position i * step.
NodeRef spaced(NodeRef x, int axis, int64_t step);

/// Returns an array of this shape whose elements are their own index along the axis: 0, 1, 2 and so on.
NodeRef positions(Graph& graph, const Shape& shape, int axis);

}  // namespace harp::grad
