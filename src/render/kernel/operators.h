// Operators of expressions: brackets, signs, and the few places where a C compiler must not take a term for something else. Scalars and
// vectors share this.
#pragma once

#include <functional>

#include "render/kernel/value.h"

namespace harp::render {

/// The rule for an operation of the dialect. There is one.
const Rule& rule_for(const Dialect& dialect, Op op, DType dtype);

/// A rule's pattern with its operands.
std::string substitute_pattern(const Dialect& dialect, std::string_view pattern, std::span<const std::string> operands, DType dtype);

/// The value as an operator with its operands. `operand` writes operand i.
Text operators(const Scope& scope, const ir::UOp* u, const Rule& rule,
               const std::function<Text(std::span<const ir::UOp* const> sources, size_t i)>& operand);

/// Tests whether a shift count is in range: inside functions always, elsewhere if it is a suitable constant.
bool is_count_in_range(const Scope& scope, const ir::UOp* shift);
/// The rule for a shift whose count is in range.
Rule shift_operator(Op op);

/// Returns the operand of a negation that the compiler might merge into a fused multiply-add; else null.
const ir::UOp* negated_sum(const Scope& scope, const ir::UOp* u);

}  // namespace harp::render
