// The table of adjoints (adjoint.cpp) states how the backward traversal in gradient.cpp treats each op of ops.def. The table has one row
// per op; a missing row is a compile error.
#pragma once

#include <array>

#include "graph/build.h"

namespace harp::grad {

using build::NodeRef;

/// The argument of a rule: a node y and its gradient g. The rule computes what y contributes to the gradient of its source number `index`.
struct Step {
  NodeRef y;
  NodeRef g;  // the gradient of y, with y's dtype and shape
  size_t index;

  NodeRef a() const { return y->sources[0]; }
  NodeRef b() const { return y->sources[1]; }
  NodeRef c() const { return y->sources[2]; }
};

/// Computes what a node y contributes to the gradient of one of its sources, in the dtype of that source. The rule of an elementwise op
/// returns the contribution in y's shape; if the source has rank 0, gradient.cpp then sums it. Every other rule returns it in the source's
/// shape. Null means that there is no contribution, because the derivative is zero almost everywhere.
using Rule = NodeRef (*)(const Step&);

enum class Flow : uint8_t {
  kLeaf,      // no sources
  kRules,     // differentiable: a rule for each source computes the contribution to its gradient
  kConstant,  // piecewise constant: as in PyTorch, the gradient is zero everywhere
  /// The op works on bits instead of numbers. It has no derivative, and a request for a gradient through it is an error.
  kNone,
};

struct Adjoint {
  Flow flow = Flow::kLeaf;
  int8_t rule_count = 0;
  /// kRules: one rule per source (null for the condition of Where), or a single rule if the number of sources varies.
  std::array<Rule, 3> rules{};
};

const Adjoint& adjoint_of(Op op);

/// Calls the adjoint rule for source number step.index of the node step.y. The op of that node must have Flow::kRules.
NodeRef contribution(const Step& step);

}  // namespace harp::grad
