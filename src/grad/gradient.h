// Builds gradients by reverse mode, as nodes of the same graph. Every node between y and the xs is visited once, beginning with y. At each
// node, the adjoint rule of its op (adjoint.h) computes the contributions to the gradients of its sources, and the contributions to each
// source are added up. The results are ordinary nodes: they can be fused, printed and differentiated again.
#pragma once

#include <span>
#include <vector>

#include "graph/build.h"

namespace harp::grad {

using build::NodeRef;

/// What to return for an x on which y does not depend, or depends only through integers or bools: an error, or zeros.
enum class WhereIndependent : uint8_t { kError, kZeros };

/// Returns the gradients of sum(y * grad_output) with respect to each of the xs, in the dtype and shape of that x. The xs may be any float
/// or complex nodes, not only inputs. If one of the xs, a, is computed from another one, b, the gradient of b includes the paths through a.
/// `grad_output` has y's dtype, and y's shape or rank 0. It may be null if y is real and has one element; it is then 1.
///
/// A missing dependence is an error instead of a zero gradient: Error{kNoGradient} names the node if y does not depend on an x, depends on
/// it only through integers or bools (with `where_independent` kZeros, these two cases give zeros), or depends on it through an op that has
/// no derivative (bitcast). Throws Error{kDType} if y or an x is neither a float nor complex; Error{kShape} if grad_output does not fit, or
/// is null although y has several elements. Contributions to one node are added in a fixed order (docs/semantics.md, "Gradients"). The time
/// is linear in the number of nodes; there is no recursion.
std::vector<NodeRef> gradients(NodeRef y, std::span<const NodeRef> xs, NodeRef grad_output,
                               WhereIndependent where_independent = WhereIndependent::kError);

/// True if y depends on x along any path. A node depends on itself. Both must be nodes of one graph.
bool depends(NodeRef y, NodeRef x);

}  // namespace harp::grad
