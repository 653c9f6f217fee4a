// What is asked of indices, by those who take elements and those who change them. (indexing.cpp)
#pragma once

#include <string_view>

#include "graph/build.h"

namespace harp::build {

/// The indices; a bare integer is an i64. DTYPE where they are no integers.
NodeRef as_indices(std::string_view op, NodeRef x, NodeRef indices);
/// SHAPE where indices are given to an axis without elements. Where only the sizes of a run decide that, 0 is taken and nothing is changed.
void check_length(std::string_view op, NodeRef x, int axis, NodeRef indices);
/// The axis, counted from the front; indices have x's shape but for it (SHAPE).
int check_along(std::string_view op, NodeRef x, NodeRef indices, int axis);

/// The indices, checked where the compile option check_indices is set: what it says of one that names nothing are words of the operation
/// the user called, `what` and `asker` (build.h, check_index). For operations that are made of others, whose checks would name those.
NodeRef watched(NodeRef indices, Dim size, std::string_view what, std::string_view asker = "");
/// The same for the elements along an axis of x.
NodeRef watched(std::string_view op, NodeRef x, int axis, NodeRef indices);

/// Tuples of indices, the last axis of an array, as places along the first axes of x, flattened. (indexing_nd.cpp)
struct Places {
  NodeRef flat;  // one place for each tuple, rank 1, i64
  Shape tuples;  // the shape of indices without its last axis
  size_t axes;   // how many axes of x a place stands for, batch axes included
  Dim count;     // of places
  Shape rest;    // x's other axes

  NodeRef by_place(NodeRef x) const;  // x with the axes of places as one
  Shape result_shape() const;         // of what is taken: an element, or rest, for each tuple
};
Places places(std::string_view op, NodeRef x, NodeRef indices, int64_t batch_dims);

}  // namespace harp::build
