// The table of adjoints (adjoint.cpp) says how the backward traversal in gradient.cpp treats each op of ops.def. It has one row per op; a
// missing row is a compile error.
#pragma once

#include <array>

#include "graph/build.h"

namespace harp::grad {

using build::NodeRef;

/// The argument of a rule: a node y and its gradient g. The rule computes the contribution of y to the gradient of y's source number
/// `index`.
struct Step {
  NodeRef y;
  NodeRef g;  // dtype and shape of y
  size_t index;

  NodeRef a() const { return y->sources[0]; }
  NodeRef b() const { return y->sources[1]; }
  NodeRef c() const { return y->sources[2]; }
};

/// Returns the contribution, in the dtype of the source. The rule of an elementwise op returns it in y's shape (for a source of rank 0,
/// gradient.cpp then sums it); every other rule returns it in the source's shape. Null means no contribution, because the derivative is
/// zero almost everywhere.
using Rule = NodeRef (*)(const Step&);

enum class Flow : uint8_t {
  kLeaf,      // no sources
  kRules,     // differentiable: a rule per source computes its contribution
  kConstant,  // piecewise constant: the derivative is zero almost everywhere, as in PyTorch
  kNone,      // the op works on bits, not on numbers: it has no derivative, and a request for one is an error
};

struct Adjoint {
  Flow flow = Flow::kLeaf;
  int8_t rule_count = 0;
  std::array<Rule, 3> rules{};  // kRules: one per source (null for Where's condition), or one rule if the number of sources varies
};

const Adjoint& adjoint_of(Op op);

/// Returns the contribution of a step whose op has flow kRules.
NodeRef contribution(const Step& step);

}  // namespace harp::grad
