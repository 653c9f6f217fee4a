// Reverse-mode gradients: graph -> graph. The walk goes from y back to the xs once, asks each op's adjoint rule (adjoint.h) what
// it passes on to its sources, and adds up what arrives. The results are ordinary nodes of the same graph: they fuse, print, and can
// be differentiated again.
#pragma once

#include <span>
#include <vector>

#include "graph/build.h"

namespace harp::grad {

using build::NodeRef;

/// What the gradient is with respect to an x that y does not depend on, or only through integers or bools.
enum class WhereIndependent : uint8_t { kError, kZeros };

/// The gradients of sum(y * grad_output) with respect to each of the xs, of its dtype and shape. The xs are any float nodes, inputs or not;
/// where one depends on another, its gradient is the total one. `grad_output` has y's dtype, and y's shape or rank 0; null stands
/// for 1, if y has one element.
///
/// Nothing is silently zero: Error{kNoGradient} naming the node if y does not depend on an x, depends on it only through
/// integers or bools (`where_independent` may ask for zeros in these two cases), or through an op that has no derivative (bitcast);
/// Error{kDType} if y or an x is no float; Error{kShape} if grad_output does not fit, or is missing and y has several elements.
/// Contributions to one node are added in a fixed order (docs/semantics.md, "Gradients"). Linear in the number of nodes, no recursion.
std::vector<NodeRef> gradients(NodeRef y, std::span<const NodeRef> xs, NodeRef grad_output,
                               WhereIndependent where_independent = WhereIndependent::kError);

/// Is x among what y is computed from, by whatever way? A node depends on itself. Nodes of one graph.
bool depends(NodeRef y, NodeRef x);

}  // namespace harp::grad
