#include "ir/split_index.h"

#include <algorithm>

namespace harp::ir {

Terms terms_of(Sym e) {
  if (e.is_constant()) return {{}, e.constant()};
  return {e.node()->terms, e.node()->constant};
}

std::optional<TwoConditions> two_conditions(Sym e) {
  const Terms all = terms_of(e);
  if (all.terms.size() != 1 || all.terms[0].factors.size() != 1) return std::nullopt;
  const int64_t sign = all.terms[0].coefficient;
  const SymAtom* extreme = all.terms[0].factors[0];
  if ((sign != 1 && sign != -1) || (extreme->kind != AtomKind::kMin && extreme->kind != AtomKind::kMax)) return std::nullopt;
  // A limit such as INT64_MAX may be one operand, and its sum with the constant may not exist.
  constexpr int64_t kLarge = int64_t{1} << 61;
  for (const int64_t constant : {all.constant, terms_of(extreme->a).constant, terms_of(extreme->b).constant})
    if (constant > kLarge || constant < -kLarge) return std::nullopt;
  // the negative of a minimum is the maximum of the negatives
  const bool is_and = (extreme->kind == AtomKind::kMin) == (sign == 1);
  return TwoConditions{extreme, extreme->a * sign + all.constant, extreme->b * sign + all.constant, is_and};
}

namespace {

bool depends_on(const SymAtom& atom, const SymAtom* variable) {
  if (&atom == variable) return true;
  if (atom.kind == AtomKind::kVariable) return false;
  return harp::depends_on(atom.a, variable) || harp::depends_on(atom.b, variable) ||
         (atom.kind == AtomKind::kSelect && harp::depends_on(atom.c, variable));
}

}  // namespace

SplitIndex split_index(Sym index, const SymAtom* innermost) {
  const Terms all = terms_of(index);
  if (innermost == nullptr) return {{}, all};
  SplitIndex split{{}, {{}, all.constant}};
  for (const SymTerm& t : all.terms) {
    const bool inner = std::any_of(t.factors.begin(), t.factors.end(), [&](const SymAtom* f) { return depends_on(*f, innermost); });
    (inner ? split.rest : split.row).terms.push_back(t);
  }
  return split;
}

bool same_row(const Terms& a, const Terms& b) {
  return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                    [](const SymTerm& x, const SymTerm& y) { return x.coefficient == y.coefficient && x.factors == y.factors; });
}

}  // namespace harp::ir
