// Detects arrays whose elements repeat along an axis because broadcasting stretched them. Constructors use this to distinguish contractions
// from other sums of products (docs/semantics.md, "Sums" and "Gradients").
#pragma once

#include "graph/graph.h"

namespace harp::build {

/// True if every element of `node` is repeated along the axis: for scalars, for an Expand that stretches it, and for a Permute of one.
bool is_repeated_along(const Node* node, int axis);

}  // namespace harp::build
