// Putting elements at places of a larger array of zeros, as views: what the adjoints of slices and windows are made of. No scatter:
// every function is a pad, a slice or a reshape, so nothing is stored and everything fuses. And the places themselves, as numbers.
#pragma once

#include "graph/build.h"

namespace harp::grad {

using build::NodeRef;

/// x with `count` zeros after the end of an axis.
NodeRef padded_after(NodeRef x, int axis, Dim count);

/// The first `size` elements of an axis, zeros where there are fewer.
NodeRef resized(NodeRef x, int axis, Dim size);

/// step - 1 zeros after every element along an axis: element i is now element i * step.
NodeRef spaced(NodeRef x, int axis, int64_t step);

/// 0, 1, 2 … along one axis of an array of this shape.
NodeRef positions(Graph& graph, const Shape& shape, int axis);

}  // namespace harp::grad
