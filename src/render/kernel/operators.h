// Writes operator expressions of scalars and vectors: adds brackets and signs, and handles the few cases where a C compiler would parse a
// term in another way or contract it to a fused multiply-add.
#pragma once

#include <functional>

#include "render/kernel/value.h"

namespace harp::render {

/// Returns the dialect's rule for an operation. Every operation that is not a function of ops/math.h has one.
const Rule& rule_for(const Dialect& dialect, Op op, DType dtype);

/// Returns a rule's pattern with the operands substituted.
std::string substitute_pattern(const Dialect& dialect, std::string_view pattern, std::span<const std::string> operands, DType dtype);

/// Returns the expression of a value by its rule. `operand` returns the text of operand i.
Text operators(const Scope& scope, const ir::UOp* u, const Rule& rule,
               const std::function<Text(std::span<const ir::UOp* const> sources, size_t i)>& operand);

/// Tests whether a shift count is in range: inside functions always, elsewhere if it is a suitable constant.
bool is_count_in_range(const Scope& scope, const ir::UOp* shift);
/// Returns the rule for a shift whose count is known to be in range: a plain operator.
Rule shift_operator(Op op);

/// Returns the operand of a negation that the compiler might merge into a fused multiply-add; else null.
const ir::UOp* negated_sum(const Scope& scope, const ir::UOp* u);

}  // namespace harp::render
