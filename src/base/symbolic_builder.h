// Functions and types that build expressions in normal form: sums that are not yet in normal form, and the nodes and atoms of a table. Only
// symbolic_*.cpp files include this header; all other code uses symbolic.h.
#pragma once

#include <optional>
#include <vector>

#include "base/symbolic.h"

namespace harp {

/// A sum of products that is not yet in normal form.
struct Sum {
  std::vector<SymTerm> terms;
  int64_t constant = 0;

  void add(Sym e, int64_t scale = 1);
  void sort_and_merge();
};

/// Returns e as a single term (a coefficient and factors; a constant has no factors), or nothing if e is 0 or a sum of several terms.
std::optional<SymTerm> as_monomial(Sym e);
/// Returns term / divisor if the division is exact, otherwise nothing.
std::optional<SymTerm> divide(const SymTerm& term, const SymTerm& divisor);
/// Returns the table that the expressions belong to; null if all of them are constants.
SymTable* table_of(Sym a, Sym b, Sym c = 0);

/// The functions that may access the private state of a SymTable.
struct SymBuilder {
  static SymTable::State& state(SymTable& table);
  static uint64_t& visits(const SymTable& table);

  /// Brings a sum into normal form and interns it.
  static Sym finish(SymTable& table, Sum sum);
  /// Interns a sum that is already in normal form.
  static Sym intern(SymTable& table, Sum sum);
  static Sym of_term(SymTable& table, const SymTerm& term);
  static Sym variable(SymTable& table, std::string_view name, bool is_loop, Sym a, Sym b, SymRange range);
  static Sym atom(SymTable& table, AtomKind kind, Sym a, Sym b, Sym c = 0);
  /// Makes a min or max atom. Their operands are sorted, because their order does not matter.
  static Sym symmetric_atom(AtomKind kind, Sym a, Sym b);
  static Sym multiply(Sym a, Sym b);

  static SymTerm times(const SymTerm& a, const SymTerm& b);
  /// Adds the product of two terms to the sum; either term may be a constant.
  static void add_scaled(Sum& sum, const SymTerm& a, const SymTerm& b);
  /// Calls f with each term of an expression; a nonzero constant is passed as a term without factors.
  template <class F>
  static void for_each_term(Sym e, F&& f) {
    if (!e.is_constant())
      for (const SymTerm& t : e.node()->terms) f(t);
    if (const int64_t constant = e.is_constant() ? e.constant() : e.node()->constant; constant != 0) f(SymTerm{constant, {}});
  }
};

}  // namespace harp
