// Splits an index into the part that is constant within a row, which becomes a pointer, and the rest.
#pragma once

#include <vector>

#include "base/symbolic.h"

namespace harp::ir {

/// A sum of products of variables: one part of an index. Unlike a Sym it is not interned.
struct Terms {
  std::vector<SymTerm> terms;
  int64_t constant = 0;
  bool empty() const { return terms.empty(); }
};
Terms terms_of(Sym e);

/// An index as the sum of `row` and `rest`. `row` has no constant term and does not depend on the variable `innermost`. If `innermost` is
/// null, `rest` is the whole index.
struct SplitIndex {
  Terms row, rest;
};
SplitIndex split_index(Sym index, const SymAtom* innermost);
bool same_row(const Terms& a, const Terms& b);

}  // namespace harp::ir
