// Implements queries about variables in an expression (as_variable, linear_in), and the substitution of variables.
#include <algorithm>

#include "base/error.h"
#include "base/symbolic_builder.h"

namespace harp {

const SymAtom* as_variable(Sym e) {
  const auto m = e.is_constant() ? std::nullopt : as_monomial(e);
  if (!m || m->coefficient != 1 || m->factors.size() != 1 || m->factors[0]->kind != AtomKind::kVariable) return nullptr;
  return m->factors[0];
}
const SymAtom* variable_of(Sym variable) {
  const SymAtom* atom = as_variable(variable);
  HARP_ASSERT(atom != nullptr, "expected a variable, got ", to_string(variable));
  return atom;
}

std::optional<Linear> linear_in(Sym e, const SymAtom* variable) {
  if (e.is_constant()) return Linear{0, e};
  Sum coefficient, rest;
  rest.constant = e.node()->constant;
  for (const SymTerm& t : e.node()->terms) {
    SymTerm others{t.coefficient, {}};
    int power = 0;
    for (const SymAtom* f : t.factors) {
      if (f == variable) {
        ++power;
        continue;
      }
      if (f->kind != AtomKind::kVariable && (depends_on(f->a, variable) || depends_on(f->b, variable) || depends_on(f->c, variable)))
        return std::nullopt;
      others.factors.push_back(f);
    }
    if (power > 1) return std::nullopt;
    if (others.factors.empty())
      coefficient.constant = others.coefficient;
    else
      (power ? coefficient : rest).terms.push_back(std::move(others));
  }
  SymTable& table = *e.node()->table;
  return Linear{SymBuilder::finish(table, std::move(coefficient)), SymBuilder::intern(table, std::move(rest))};
}

namespace {

bool mentions(const SymTerm& term, const SymSubstitution& replacements);
bool mentions(Sym e, const SymSubstitution& replacements) {
  if (e.is_constant()) return false;
  const std::vector<SymTerm>& terms = e.node()->terms;
  return std::any_of(terms.begin(), terms.end(), [&](const SymTerm& t) { return mentions(t, replacements); });
}
/// True if the term contains a variable that `replacements` replaces.
bool mentions(const SymTerm& term, const SymSubstitution& replacements) {
  return std::any_of(term.factors.begin(), term.factors.end(), [&](const SymAtom* f) {
    if (f->kind == AtomKind::kVariable) return replacements.contains(f);
    return mentions(f->a, replacements) || mentions(f->b, replacements) || mentions(f->c, replacements);
  });
}

}  // namespace

Sym substitute(Sym e, const SymSubstitution& replacements) {
  if (!mentions(e, replacements)) return e;
  Sum same{{}, e.node()->constant};
  for (const SymTerm& t : e.node()->terms)
    if (!mentions(t, replacements)) same.terms.push_back(t);
  Sym result = SymBuilder::intern(*e.node()->table, std::move(same));
  for (const SymTerm& t : e.node()->terms) {
    if (!mentions(t, replacements)) continue;
    Sym part = t.coefficient;
    for (const SymAtom* f : t.factors) {
      Sym value;
      if (f->kind == AtomKind::kVariable) {
        auto found = replacements.find(f);
        value = found != replacements.end() ? found->second : f->alone;
      } else {
        const Sym a = substitute(f->a, replacements), b = substitute(f->b, replacements), c = substitute(f->c, replacements);
        switch (f->kind) {
          case AtomKind::kFloorDiv: value = floor_div(a, b); break;
          case AtomKind::kMod: value = mod(a, b); break;
          case AtomKind::kMin: value = min(a, b); break;
          case AtomKind::kMax: value = max(a, b); break;
          case AtomKind::kSelect: value = select(c, a, b); break;
          case AtomKind::kVariable: break;  // handled above
        }
      }
      part = part * value;
    }
    result = result + part;
  }
  return result;
}

}  // namespace harp
