// Functions that return C expressions for values with several lanes. The renderer calls them through pointers in the table of the C dialect
// (Dialect::vectors in render/kernel/dialect.h).
#pragma once

#include <string>

#include "render/kernel/value.h"

namespace harp::render {

Text vector_computation(const Scope& scope, const ir::UOp* u);
Text splatted_value(const Scope& scope, const ir::UOp* u);
int natural_mask_bits(const Scope& scope, const ir::UOp* u);
int mask_bits_of_accumulator(const Scope& scope, int accumulator);
std::string any_element(const Scope& scope, int accumulator);
/// Returns the value as a mask with exactly `bits` bits per lane. The text is in brackets if its precedence is lower than `precedence`.
std::string mask_text(const Scope& scope, const ir::UOp* u, int bits, int precedence);

}  // namespace harp::render
