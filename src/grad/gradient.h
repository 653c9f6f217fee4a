// Reverse-mode gradients, graph to graph. The computation visits each node between y and the xs once, from y backward, applies the adjoint
// rule of its op (adjoint.h) to compute the contributions to its sources, and adds the contributions up. The results are ordinary nodes of
// the same graph: they fuse, print, and can be differentiated again.
#pragma once

#include <span>
#include <vector>

#include "graph/build.h"

namespace harp::grad {

using build::NodeRef;

/// What to return for an x that y does not depend on, or depends on only through integers or bools: an error, or zeros.
enum class WhereIndependent : uint8_t { kError, kZeros };

/// Returns the gradients of sum(y * grad_output) with respect to each of the xs, in the dtype and shape of that x. The xs may be any float
/// nodes, not only inputs. If one x depends on another, the gradient of the latter includes the paths through the former. `grad_output` has
/// y's dtype, and y's shape or rank 0; null stands for 1, if y has one element.
///
/// No gradient is silently zero. Error{kNoGradient} names the node if y does not depend on an x, depends on it only through integers or
/// bools (with `where_independent` kZeros, these two cases give zeros), or depends on it through an op that has no derivative (bitcast).
/// Error{kDType} if y or an x is no float; Error{kShape} if grad_output does not fit, or is missing and y has several elements.
/// Contributions to one node are added in a fixed order (docs/semantics.md, "Gradients"). The time is linear in the number of nodes; there
/// is no recursion.
std::vector<NodeRef> gradients(NodeRef y, std::span<const NodeRef> xs, NodeRef grad_output,
                               WhereIndependent where_independent = WhereIndependent::kError);

/// True if y depends on x along any path. A node depends on itself. Both are nodes of one graph.
bool depends(NodeRef y, NodeRef x);

}  // namespace harp::grad
