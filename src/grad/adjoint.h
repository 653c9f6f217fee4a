// What each op of ops.def does in the walk of gradient.cpp. The table (adjoint.cpp) has one row an op; a missing one does not compile.
#pragma once

#include <array>

#include "graph/build.h"

namespace harp::grad {

using build::NodeRef;

/// What a rule is asked: the gradient g arrived at y, what goes on to source number `index`?
struct Step {
  NodeRef y;
  NodeRef g;  // dtype and shape of y
  size_t index;

  NodeRef a() const { return y->sources[0]; }
  NodeRef b() const { return y->sources[1]; }
  NodeRef c() const { return y->sources[2]; }
};

/// The contribution, of the source's dtype. Rules of elementwise ops give it in y's shape (the walk sums it for a source of rank 0),
/// the others in the source's. Null: nothing, because the derivative is zero almost everywhere.
using Rule = NodeRef (*)(const Step&);

enum class Flow : uint8_t {
  kLeaf,      // no sources
  kRules,     // differentiable: rules say what each source gets
  kConstant,  // piecewise constant: the derivative is zero almost everywhere, as PyTorch's
  kNone,      // bits are not numbers: there is no derivative, and asking for one is an error
};

struct Adjoint {
  Flow flow = Flow::kLeaf;
  int8_t rule_count = 0;
  std::array<Rule, 3> rules{};  // kRules: one a source (null for Where's condition); an op with any number of sources has one for all
};

const Adjoint& adjoint_of(Op op);

/// The contribution of a step, of an op whose flow is kRules.
NodeRef contribution(const Step& step);

}  // namespace harp::grad
