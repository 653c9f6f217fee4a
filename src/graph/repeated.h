// Detects arrays whose elements repeat along an axis because they were broadcast. Constructors use this to distinguish contractions from
// other sums of products (docs/semantics.md, "Sums" and "Gradients").
#pragma once

#include "graph/graph.h"

namespace harp::build {

/// True if every element of `node` is repeated along the axis: the node is a scalar, an Expand that repeats the elements along this axis,
/// or a Permute of one of these.
bool is_repeated_along(const Node* node, int axis);

}  // namespace harp::build
