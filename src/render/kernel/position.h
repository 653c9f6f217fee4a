// Writes integer expressions (Syms, base/symbolic.h) for positions and sizes as C expressions of the dialect's index type.
#pragma once

#include <string>

#include "ir/linearize.h"
#include "render/kernel/sizes.h"
#include "render/kernel/unit.h"
#include "render/text/names.h"

namespace harp::render {

class Positions {
 public:
  Positions(Unit& unit, const Names& names, Sizes& sizes) : unit_(unit), names_(names), sizes_(sizes) {}

  Text operator()(Sym e) const { return (*this)(ir::terms_of(e)); }
  Text operator()(const ir::Terms& e) const;
  /// Returns the expression that computes an atom (a variable or an operation), even if a variable already holds its value.
  Text operation(const SymAtom& atom) const;
  /// Returns the condition e >= 0, for example "ridx0 + 16 <= shape0" for shape0 - ridx0 - 16 >= 0.
  Text is_nonnegative(Sym e) const;

 private:
  Text atom(const SymAtom& atom) const;
  Text division(const SymAtom& atom) const;
  Text product(const SymTerm& term, uint64_t magnitude) const;

  Unit& unit_;
  const Names& names_;
  Sizes& sizes_;
};

}  // namespace harp::render
