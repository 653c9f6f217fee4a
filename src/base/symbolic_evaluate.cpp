// Finds the variables of an expression, and evaluates an expression for given values of its variables.
#include <algorithm>

#include "base/checked_integers.h"
#include "base/symbolic.h"

namespace harp {
namespace {

/// Appends each atom of e to `seen` once, including atoms inside other atoms. The recursion is as deep as the expression is nested.
void visit_atoms(Sym e, std::vector<const SymAtom*>& seen) {
  if (e.is_constant()) return;
  for (const SymTerm& t : e.node()->terms)
    for (const SymAtom* atom : t.factors) {
      if (std::find(seen.begin(), seen.end(), atom) != seen.end()) continue;
      seen.push_back(atom);
      if (atom->kind != AtomKind::kVariable) visit_atoms(atom->a, seen), visit_atoms(atom->b, seen), visit_atoms(atom->c, seen);
    }
}

}  // namespace

std::vector<const SymAtom*> variables_of(Sym e) {
  std::vector<const SymAtom*> atoms;
  visit_atoms(e, atoms);
  std::erase_if(atoms, [](const SymAtom* a) { return a->kind != AtomKind::kVariable; });
  std::sort(atoms.begin(), atoms.end(), [](const SymAtom* x, const SymAtom* y) { return x->id < y->id; });
  return atoms;
}

bool depends_on(Sym e, const SymAtom* variable) {
  std::vector<const SymAtom*> atoms;
  visit_atoms(e, atoms);
  return std::find(atoms.begin(), atoms.end(), variable) != atoms.end();
}

int64_t evaluate(Sym e, const std::function<int64_t(const SymAtom&)>& value_of) {
  if (e.is_constant()) return e.constant();
  int64_t result = e.node()->constant;
  for (const SymTerm& t : e.node()->terms) {
    int64_t part = t.coefficient;
    for (const SymAtom* f : t.factors) {
      int64_t value = 0;
      switch (f->kind) {
        case AtomKind::kVariable: value = value_of(*f); break;
        case AtomKind::kFloorDiv: value = floored_quotient(evaluate(f->a, value_of), evaluate(f->b, value_of)); break;
        case AtomKind::kMod: value = floored_remainder(evaluate(f->a, value_of), evaluate(f->b, value_of)); break;
        case AtomKind::kMin: value = std::min(evaluate(f->a, value_of), evaluate(f->b, value_of)); break;
        case AtomKind::kMax: value = std::max(evaluate(f->a, value_of), evaluate(f->b, value_of)); break;
        case AtomKind::kSelect: value = evaluate(f->c, value_of) >= 0 ? evaluate(f->a, value_of) : evaluate(f->b, value_of); break;
      }
      part = checked_mul(part, value);
    }
    result = checked_add(result, part);
  }
  return result;
}

}  // namespace harp
