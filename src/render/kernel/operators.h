// Writes expressions with operators, for scalars and vectors. Adds brackets and signs. Handles the few cases in which a C compiler would
// parse a term in another way, or contract it to a fused multiply-add.
#pragma once

#include <functional>

#include "render/kernel/value.h"

namespace harp::render {

/// Returns the dialect's rule for an operation (rules.h). Every operation has one, except those that ops/math.h defines by functions.
const Rule& rule_for(const Dialect& dialect, Op op, DType dtype);

/// Returns the pattern of a rule with the operands inserted.
std::string substitute_pattern(const Dialect& dialect, std::string_view pattern, std::span<const std::string> operands, DType dtype);

/// Returns the expression for a value, written by its rule. `operand` returns the text of operand i.
Text operators(const Scope& scope, const ir::UOp* u, const Rule& rule,
               const std::function<Text(std::span<const ir::UOp* const> sources, size_t i)>& operand);

/// Tests whether the count of a shift is known to be in range. In math functions it always is; elsewhere it must be a constant that is less
/// than the width.
bool is_count_in_range(const Scope& scope, const ir::UOp* shift);
/// Returns the rule for a shift whose count is known to be in range: the shift operator of C.
Rule shift_operator(Op op);

/// If the value is a negation that the compiler might merge into a fused multiply-add, returns the operand of the negation; else null.
const ir::UOp* negated_sum(const Scope& scope, const ir::UOp* u);

}  // namespace harp::render
