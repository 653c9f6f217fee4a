// How expressions are put together in normal form: sums that are not finished yet, and the nodes and atoms of a table. What the files that
// simplify operations share; everybody else uses symbolic.h.
#pragma once

#include <optional>
#include <vector>

#include "base/symbolic.h"

namespace harp {

/// An unfinished sum of products.
struct Sum {
  std::vector<SymTerm> terms;
  int64_t constant = 0;

  void add(Sym e, int64_t scale = 1);
  void sort_and_merge();
};

/// coefficient and factors of e if it is a single product (d in `x // d`).
std::optional<SymTerm> as_monomial(Sym e);
/// term / divisor when that is exact.
std::optional<SymTerm> divide(const SymTerm& term, const SymTerm& divisor);
/// The table of expressions that belong together; null if all are constants.
SymTable* table_of(Sym a, Sym b, Sym c = 0);

/// What needs the table's insides, or makes new terms.
struct SymBuilder {
  static SymTable::State& state(SymTable& table);
  static uint64_t& visits(const SymTable& table);

  /// The expression of a sum, brought into normal form.
  static Sym finish(SymTable& table, Sum sum);
  /// Of a sum that is in normal form.
  static Sym intern(SymTable& table, Sum sum);
  static Sym of_term(SymTable& table, const SymTerm& term);
  static Sym variable(SymTable& table, std::string_view name, bool is_loop, Sym a, Sym b, SymRange range);
  static Sym atom(SymTable& table, AtomKind kind, Sym a, Sym b, Sym c = 0);
  /// min and max.
  static Sym symmetric_atom(AtomKind kind, Sym a, Sym b);
  static Sym multiply(Sym a, Sym b);

  static SymTerm times(const SymTerm& a, const SymTerm& b);
  /// Adds the product of two terms, either of which may be a constant.
  static void add_scaled(Sum& sum, const SymTerm& a, const SymTerm& b);
  /// The terms of an expression; its constant, if it is not 0, as one without factors.
  template <class F>
  static void for_each_term(Sym e, F&& f) {
    if (!e.is_constant())
      for (const SymTerm& t : e.node()->terms) f(t);
    if (const int64_t constant = e.is_constant() ? e.constant() : e.node()->constant; constant != 0) f(SymTerm{constant, {}});
  }
};

}  // namespace harp
