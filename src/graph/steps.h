// Defines short names for the arithmetic of composites. Operands are in braces, because C++ evaluates them from left to right: the order in
// which nodes are made must not depend on the compiler.
#pragma once

#include <initializer_list>

#include "graph/composites.h"

namespace harp::build::steps {

inline NodeRef unary(Op op, NodeRef x) { return elementwise(op, {x}); }
inline NodeRef add(std::initializer_list<NodeRef> operands) { return elementwise(Op::kAdd, operands); }
inline NodeRef mul(std::initializer_list<NodeRef> operands) { return elementwise(Op::kMul, operands); }
inline NodeRef div(std::initializer_list<NodeRef> operands) { return elementwise(Op::kDiv, operands); }
inline NodeRef where(std::initializer_list<NodeRef> operands) { return elementwise(Op::kWhere, operands); }
inline NodeRef lt(std::initializer_list<NodeRef> operands) { return elementwise(Op::kLt, operands); }
inline NodeRef le(std::initializer_list<NodeRef> operands) { return elementwise(Op::kLe, operands); }
inline NodeRef eq(std::initializer_list<NodeRef> operands) { return elementwise(Op::kEq, operands); }
inline NodeRef neg(NodeRef x) { return unary(Op::kNeg, x); }
inline NodeRef exp(NodeRef x) { return unary(Op::kExp, x); }
inline NodeRef log(NodeRef x) { return unary(Op::kLog, x); }
inline NodeRef log1p(NodeRef x) { return unary(Op::kLog1p, x); }
inline NodeRef abs(NodeRef x) { return unary(Op::kAbs, x); }

/// Returns exp(-|x|), computed as exp(where(x < 0, x, -x)). At x = 0 its gradient is -1, as for x > 0; with abs(x) it would be 0.
inline NodeRef exp_of_minus_abs(NodeRef x) { return exp(where({lt({x, constant_like(x, 0)}), x, neg(x)})); }

/// Returns log(1 + exp(x)), computed without overflow as log1p(exp(-|x|)) + where(x < 0, 0, x).
inline NodeRef softplus_of(NodeRef x) {
  const NodeRef zero = constant_like(x, 0);
  return add({log1p(exp_of_minus_abs(x)), where({lt({x, zero}), zero, x})});
}

}  // namespace harp::build::steps
