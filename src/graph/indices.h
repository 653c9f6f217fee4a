// Declares checks of indices that the constructors of gathers and scatters share. indexing.cpp implements them.
#pragma once

#include <string_view>

#include "graph/build.h"

namespace harp::build {

/// Returns the indices; an integer constant without a dtype becomes an i64. Throws Error{kDType} if they are not integers.
NodeRef as_indices(std::string_view op, NodeRef x, NodeRef indices);
/// Throws Error{kShape} if there are indices but the axis is known to be empty. If the axis is empty only at run time, a gather gives 0 and
/// a scatter changes nothing.
void check_length(std::string_view op, NodeRef x, int axis, NodeRef indices);
/// Returns the axis, counted from the front. Throws Error{kShape} unless the indices have x's shape except along the axis.
int check_along(std::string_view op, NodeRef x, NodeRef indices, int axis);

/// Returns the indices with a check that is enforced if the compile option check_indices is set. `what` and `asker` (build.h, check_index)
/// let its error message name the operation that the user called. Composites make this check themselves, because a check that a primitive
/// makes would name the primitive.
NodeRef with_optional_check(NodeRef indices, Dim size, std::string_view what, std::string_view asker = "");
/// Returns the indices with an optional check against the size of an axis of x. The error message begins with `op` and names the axis.
NodeRef with_optional_check(std::string_view op, NodeRef x, int axis, NodeRef indices);

/// Tuples of indices, converted to positions in the flattened first axes of x. Each row of the array of indices along its last axis is one
/// tuple. (indexing_nd.cpp)
struct FlatIndices {
  NodeRef flat;  // one position per tuple, rank 1, i64
  Shape tuples;  // the shape of indices without its last axis
  size_t axes;   // the number of axes of x that are flattened, including batch axes
  Dim count;     // the number of elements of the flattened axes
  Shape rest;    // the sizes of the axes of x that are not flattened

  NodeRef with_flat_axis(NodeRef x) const;  // x with its first `axes` axes merged into one
  /// The shape of the gathered array: one element of x, or one array of shape `rest`, for each tuple.
  Shape result_shape() const;
};
FlatIndices flat_indices(std::string_view op, NodeRef x, NodeRef indices, int64_t batch_dims);

}  // namespace harp::build
