// Numeric bounds of symbolic expressions (interval arithmetic; INT64_MIN / INT64_MAX: unbounded on that side).
#pragma once

#include "base/symbolic.h"

namespace harp {

SymRange range_of_sum(const SymNode& node);   // from the ranges of its atoms
SymRange range_of_atom(const SymAtom& atom);  // of an operation, from the ranges of its operands

}  // namespace harp
