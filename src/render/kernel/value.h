// Returns C expressions for values of the IR.
#pragma once

#include <string>
#include <vector>

#include "render/kernel/scope.h"

namespace harp::render {

/// Returns the expression of a value: the variable that holds the value, or if there is none, its computation.
Text value(const Scope& scope, const ir::UOp* u);
/// Returns the expression that computes a value, even if a variable already holds the value.
Text computation(const Scope& scope, const ir::UOp* u);
/// Returns the expression of a value, for an argument of a function or for the right side of an assignment. If a scalar stands for all
/// lanes of the value, it is converted to a vector.
Text whole(const Scope& scope, const ir::UOp* u);
/// Returns the arguments of a call, separated by commas.
std::string arguments(const Scope& scope, const std::vector<const ir::UOp*>& sources);

int lanes_of(const Scope& scope, const ir::UOp* u);
/// is_uniform() tests whether the value is the same in all lanes, so that one scalar can stand for all of them. uniform() returns the
/// expression of that scalar.
bool is_uniform(const Scope& scope, const ir::UOp* u);
Text uniform(const Scope& scope, const ir::UOp* u);
/// Returns the type for a variable that holds the value.
std::string type_of(const Scope& scope, const ir::UOp* u);
/// Return literals: of a constant, and of the constant zero.
Text literal_text(const Dialect& dialect, const Scalar& value);
std::string zero_text(const Dialect& dialect, DType dtype);

}  // namespace harp::render
