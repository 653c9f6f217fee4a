// Gradients of arrays that are used several times, such as the weights of an unrolled recurrent network. Each matrix product that uses a
// weight contributes an outer product: a Mul of two arrays, each of which is stretched along an axis of the other. Adding k of them would
// store k arrays of the size of their product. The sum over k is written as one contraction instead:
//   p_1 * q_1 + … + p_k * q_k  =  sum(concat(p_1 … p_k) * concat(q_1 … q_k))
// The concats are below the Expands that stretch the factors, so no outer product is stored. This fixes the order of the sum, so
// docs/semantics.md prescribes it ("Gradients").
#pragma once

#include <span>

#include "graph/build.h"

namespace harp::grad {

using build::NodeRef;

/// True for a Mul of floats, each of whose factors is stretched along an axis along which the other one is not.
bool is_outer_product(NodeRef part);

/// Returns the sum of at least two outer products of one shape, summed over `axes` as well, which keep size 1. `axes` is ascending and not
/// empty. The products are concatenated along the first of the axes, in their order.
NodeRef contraction_along(std::span<const int> axes, std::span<const NodeRef> products);

/// Returns the sum of at least two outer products of one shape, as a contraction over a new first axis; so their rank must be less than
/// kMaxRank.
NodeRef contraction_of(std::span<const NodeRef> products);

}  // namespace harp::grad
