// Compares expressions by their structure. Expressions are interned, so equal subexpressions are the same object. The comparison skips
// equal subexpressions and descends only into the first pair that differs.
#include "base/symbolic_order.h"

#include <algorithm>
#include <compare>

namespace harp {
namespace {

using Order = std::strong_ordering;

Order compare(Sym a, Sym b);

Order compare(const SymAtom& a, const SymAtom& b) {
  if (&a == &b) return Order::equal;
  if (const auto by_stage = a.stage <=> b.stage; std::is_neq(by_stage)) return by_stage;
  const bool a_is_variable = a.kind == AtomKind::kVariable, b_is_variable = b.kind == AtomKind::kVariable;
  // Variables are ordered by creation. The text format preserves the order in which shape variables are declared.
  if (a_is_variable && b_is_variable) return a.id <=> b.id;
  if (a_is_variable != b_is_variable) return a_is_variable ? Order::less : Order::greater;
  if (const auto by_weight = a.weight <=> b.weight; std::is_neq(by_weight)) return by_weight;
  if (a.kind != b.kind) return a.kind <=> b.kind;
  if (!(a.a == b.a)) return compare(a.a, b.a);
  if (!(a.b == b.b)) return compare(a.b, b.b);
  return compare(a.c, b.c);
}

Order compare(const SymTerm& a, const SymTerm& b) {
  if (a.factors.size() != b.factors.size()) return b.factors.size() <=> a.factors.size();
  for (size_t i = 0; i < a.factors.size(); ++i)
    if (a.factors[i] != b.factors[i]) return compare(*a.factors[i], *b.factors[i]);
  return Order::equal;
}

Order compare(Sym a, Sym b) {
  if (a == b) return Order::equal;
  if (a.is_constant() && b.is_constant()) return a.constant() <=> b.constant();
  if (a.is_constant() != b.is_constant()) return a.is_constant() ? Order::greater : Order::less;
  const SymNode &x = *a.node(), &y = *b.node();
  for (size_t i = 0; i < std::min(x.terms.size(), y.terms.size()); ++i) {
    if (const auto by_factors = compare(x.terms[i], y.terms[i]); std::is_neq(by_factors)) return by_factors;
    if (x.terms[i].coefficient != y.terms[i].coefficient) return x.terms[i].coefficient <=> y.terms[i].coefficient;
  }
  if (x.terms.size() != y.terms.size()) return x.terms.size() <=> y.terms.size();
  return x.constant <=> y.constant;
}

}  // namespace

bool precedes(const SymAtom& a, const SymAtom& b) { return std::is_lt(compare(a, b)); }
bool precedes(const SymTerm& a, const SymTerm& b) { return std::is_lt(compare(a, b)); }
bool precedes(Sym a, Sym b) { return std::is_lt(compare(a, b)); }

}  // namespace harp
