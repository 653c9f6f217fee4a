// Checks of indices that gathers and scatters share. (indexing.cpp)
#pragma once

#include <string_view>

#include "graph/build.h"

namespace harp::build {

/// Returns the indices; a bare integer becomes an i64. Error{kDType} if they are not integers.
NodeRef as_indices(std::string_view op, NodeRef x, NodeRef indices);
/// Error{kShape} if there are indices into an axis without elements. If the axis is empty only at run time, a gather gives 0 and a scatter
/// changes nothing.
void check_length(std::string_view op, NodeRef x, int axis, NodeRef indices);
/// Returns the axis, counted from the front. Error{kShape} unless the indices have x's shape except along the axis.
int check_along(std::string_view op, NodeRef x, NodeRef indices, int axis);

/// Returns the indices with a check that is enforced if the compile option check_indices is set. `what` and `asker` (build.h, check_index)
/// make its message name the operation that the user called. Composites use it, because a check that a primitive makes would name the
/// primitive.
NodeRef with_optional_check(NodeRef indices, Dim size, std::string_view what, std::string_view asker = "");
/// Does the same for indices into an axis of x; `op` and the axis are the `what` of the message.
NodeRef with_optional_check(std::string_view op, NodeRef x, int axis, NodeRef indices);

/// Tuples of indices (the last axis of an array of indices), converted to positions in the flattened first axes of x. (indexing_nd.cpp)
struct FlatIndices {
  NodeRef flat;  // one position per tuple, rank 1, i64
  Shape tuples;  // the shape of indices without its last axis
  size_t axes;   // the number of axes of x that a position covers, including batch axes
  Dim count;     // the number of positions
  Shape rest;    // the other axes of x

  NodeRef with_flat_axis(NodeRef x) const;  // x with its first `axes` axes merged into one
  Shape result_shape() const;               // the shape of a gather: for each tuple an element of x, or an array of shape `rest`
};
FlatIndices flat_indices(std::string_view op, NodeRef x, NodeRef indices, int64_t batch_dims);

}  // namespace harp::build
