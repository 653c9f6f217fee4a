// Gradients of arrays that are used several times, such as the weights of an unrolled recurrent network. Each product of a weight with a
// vector contributes an outer product: a Mul of two arrays, each of which is broadcast along an axis of the other. Adding k of them would
// store k arrays of the size of their product. The sum over k is written as one contraction instead:
//   p_1 * q_1 + … + p_k * q_k  =  sum(concat(p_1 … p_k) * concat(q_1 … q_k))
// The concats are below the Expands that stretch the factors, so no outer product is stored. This changes the order of the additions and
// thus the bits, so docs/semantics.md defines it ("Gradients").
#pragma once

#include <span>

#include "graph/build.h"

namespace harp::grad {

using build::NodeRef;

/// True for a Mul of floats in which each factor is broadcast along an axis along which the other factor is not.
bool is_outer_product(NodeRef part);

/// Returns the sum of at least two outer products of one shape, which is also summed over `axes`; these axes keep size 1. `axes` is
/// ascending and not empty. The products are concatenated along the first of the axes, in the given order.
NodeRef contraction_along(std::span<const int> axes, std::span<const NodeRef> products);

/// Returns the sum of at least two outer products of one shape, as a contraction over a new first axis; so their rank must be less than
/// kMaxRank.
NodeRef contraction_of(std::span<const NodeRef> products);

}  // namespace harp::grad
