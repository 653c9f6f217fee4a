// Values of several lanes as C expressions: those entries of Dialect::vectors that write expressions.
#pragma once

#include <string>

#include "render/kernel/value.h"

namespace harp::render {

Text vector_computation(const Scope& scope, const ir::UOp* u);
Text splatted_value(const Scope& scope, const ir::UOp* u);
int natural_mask_bits(const Scope& scope, const ir::UOp* u);
/// Returns the value as a mask of exactly this width, in brackets if its precedence is lower.
std::string mask_text(const Scope& scope, const ir::UOp* u, int bits, int precedence);

}  // namespace harp::render
