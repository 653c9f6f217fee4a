// The order in which normal forms hold factors, terms and the operands of min and max. It depends on what expressions say and on
// nothing else, above all not on what was made before them in the same table: a printed size has to read back as itself, and a
// proof that succeeds in one table has to succeed in every other.
#pragma once

#include "base/symbolic.h"

namespace harp {

/// Shape variables in the order of their declaration, then operations on them; then the first loop variable and what is made of
/// it, and so on: what a loop's bounds are made of stands before the loop.
bool precedes(const SymAtom& a, const SymAtom& b);

/// Higher degree first, then by factors: a monomial order.
bool precedes(const SymTerm& a, const SymTerm& b);

/// Constants last.
bool precedes(Sym a, Sym b);

}  // namespace harp
