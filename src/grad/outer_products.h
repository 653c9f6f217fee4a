// Builds gradients of arrays that are used several times, such as the weights of an unrolled recurrent network. Each product of a weight
// with a vector contributes an outer product: a Mul of two arrays, each of which is broadcast along an axis of the other. To add k outer
// products, k arrays of the size of the weight would be stored. Instead, their sum is written as one contraction:
//   p_1 * q_1 + … + p_k * q_k  =  sum(concat(p_1 … p_k) * concat(q_1 … q_k))
// The factors are concatenated before they are expanded, so no outer product is stored. This order of additions gives other bits than
// adding the products one by one, so docs/semantics.md defines it ("Gradients").
#pragma once

#include <span>

#include "graph/build.h"

namespace harp::grad {

using build::NodeRef;

/// True if `part` is a Mul of floats, and each factor is broadcast along an axis along which the other factor is not.
bool is_outer_product(NodeRef part);

/// Returns the sum of two or more outer products of one shape, which is also summed over `axes`; these axes are kept with size 1. `axes`
/// must be ascending and not empty. The products are concatenated along the first of the axes, in the given order.
NodeRef contraction_along(std::span<const int> axes, std::span<const NodeRef> products);

/// Returns the sum of two or more outer products of one shape, computed as a contraction over a new first axis. Their rank must be less
/// than kMaxRank, so that there is room for the new axis.
NodeRef contraction_of(std::span<const NodeRef> products);

}  // namespace harp::grad
