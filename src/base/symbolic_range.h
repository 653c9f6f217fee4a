// Computes numeric bounds of symbolic expressions by interval arithmetic. A lower bound INT64_MIN or an upper bound INT64_MAX means that no
// bound is known.
#pragma once

#include "base/symbolic.h"

namespace harp {

SymRange range_of_sum(const SymNode& node);   // computes the range of the sum from the ranges of its atoms
SymRange range_of_atom(const SymAtom& atom);  // computes the range of the atom from the ranges of its operands

}  // namespace harp
