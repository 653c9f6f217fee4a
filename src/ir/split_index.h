// Splits an index into a part that is constant in the innermost loop, which generated code keeps in a pointer, and the rest.
#pragma once

#include <optional>
#include <vector>

#include "base/symbolic.h"

namespace harp::ir {

/// A sum of products of variables, which is part of an index. Unlike a Sym it is not interned.
struct Terms {
  std::vector<SymTerm> terms;
  int64_t constant = 0;
  bool empty() const { return terms.empty(); }
};
Terms terms_of(Sym e);

/// An expression that is >= 0 if and only if a >= 0 and b >= 0 (is_and), or if one of them is >= 0.
struct TwoConditions {
  const SymAtom* extreme;  // the minimum or maximum in the expression
  Sym a, b;
  bool is_and;
};
/// If the expression is a minimum or a maximum, or the sum or difference of one and a constant, returns the two expressions whose signs
/// decide its sign.
std::optional<TwoConditions> two_conditions(Sym e);

/// An index as the sum of `row` and `rest`. `row` has no constant term and does not depend on the variable `innermost`. If `innermost` is
/// null, `row` is empty and `rest` is the whole index.
struct SplitIndex {
  Terms row, rest;
};
SplitIndex split_index(Sym index, const SymAtom* innermost);
bool same_row(const Terms& a, const Terms& b);

}  // namespace harp::ir
