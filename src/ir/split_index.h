// Splits an index into the part that is constant within a row, which becomes a pointer, and the rest.
#pragma once

#include <vector>

#include "base/symbolic.h"

namespace harp::ir {

/// A sum of products that is not interned: one part of an index.
struct Terms {
  std::vector<SymTerm> terms;
  int64_t constant = 0;
  bool empty() const { return terms.empty(); }
};
Terms terms_of(Sym e);

/// An index as the sum of `row` and `rest`. The row has no constant term and does not depend on `innermost`. If `innermost` is null,
/// everything is rest.
struct SplitIndex {
  Terms row, rest;
};
SplitIndex split_index(Sym index, const SymAtom* innermost);
bool same_row(const Terms& a, const Terms& b);

}  // namespace harp::ir
