// Numeric bounds of symbolic expressions by interval arithmetic; INT64_MIN and INT64_MAX mean unbounded on that side.
#pragma once

#include "base/symbolic.h"

namespace harp {

SymRange range_of_sum(const SymNode& node);   // from the ranges of its atoms
SymRange range_of_atom(const SymAtom& atom);  // from the ranges of its operands

}  // namespace harp
