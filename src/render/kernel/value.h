// Writes values of the IR as C expressions.
#pragma once

#include <string>
#include <vector>

#include "render/kernel/scope.h"

namespace harp::render {

/// Returns the expression of a value: the variable that holds it, or else its computation.
Text value(const Scope& scope, const ir::UOp* u);
/// Returns the expression that computes a value, even if a variable holds it.
Text computation(const Scope& scope, const ir::UOp* u);
/// Returns the expression of a value as a function argument or the right side of an assignment: a scalar that stands for all lanes is
/// written as a vector.
Text whole(const Scope& scope, const ir::UOp* u);
/// Returns the arguments of a call, separated by commas.
std::string arguments(const Scope& scope, const std::vector<const ir::UOp*>& sources);

int lanes_of(const Scope& scope, const ir::UOp* u);
/// Tests whether one scalar stands for all lanes of the value. uniform() writes that scalar.
bool is_uniform(const Scope& scope, const ir::UOp* u);
Text uniform(const Scope& scope, const ir::UOp* u);
/// Returns the type of a variable that holds the value.
std::string type_of(const Scope& scope, const ir::UOp* u);
/// Return a constant, and the constant zero, as literals.
Text literal_text(const Dialect& dialect, const Scalar& value);
std::string zero_text(const Dialect& dialect, DType dtype);

}  // namespace harp::render
