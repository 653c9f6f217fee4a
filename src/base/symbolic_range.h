// Numeric bounds of symbolic expressions by interval arithmetic. A lower bound INT64_MIN or an upper bound INT64_MAX means that no bound is
// known.
#pragma once

#include "base/symbolic.h"

namespace harp {

SymRange range_of_sum(const SymNode& node);   // computed from the ranges of the sum's atoms
SymRange range_of_atom(const SymAtom& atom);  // computed from the ranges of the atom's operands

}  // namespace harp
