// Defines the order of factors, of terms, and of the operands of min and max in a normal form. The order depends only on the structure of
// the expressions and on the order in which variables were created, not on other expressions in the table. Therefore a size that is printed
// and parsed again gives the same expression, and a proof that succeeds in one table succeeds in every table.
#pragma once

#include "base/symbolic.h"

namespace harp {

/// The order of factors. Shape variables come first, in declaration order, then operations on them. The first loop variable follows, then
/// the operations that contain it, and so on for each loop variable. The atoms in the bounds of a loop precede its variable.
bool precedes(const SymAtom& a, const SymAtom& b);

/// The order of terms: terms with more factors come first; terms with equally many factors are compared factor by factor (a monomial
/// order).
bool precedes(const SymTerm& a, const SymTerm& b);

/// Constants come last.
bool precedes(Sym a, Sym b);

}  // namespace harp
