// The order of factors, terms and operands of min and max in a normal form. It depends only on the structure of the expressions, not on
// what was created before in the same table. So a printed size reads back as the same expression, and a proof that succeeds in one table
// succeeds in every table.
#pragma once

#include "base/symbolic.h"

namespace harp {

/// Shape variables come first, in declaration order, then operations on them. The first loop variable follows, then the operations that
/// contain it, and so on for each loop variable. The atoms in a loop's bounds precede the loop variable.
bool precedes(const SymAtom& a, const SymAtom& b);

/// Higher degree first, then by factors (a monomial order).
bool precedes(const SymTerm& a, const SymTerm& b);

/// Constants come last.
bool precedes(Sym a, Sym b);

}  // namespace harp
