// Prints expressions in the syntax of the text format. Parsing a printed size gives the same expression again.
#include <algorithm>

#include "base/symbolic.h"
#include "base/text.h"

namespace harp {
namespace {

std::string print_atom(const SymAtom& atom);

bool is_simple(Sym e) {
  if (e.is_constant()) return e.constant() >= 0;
  const SymNode& n = *e.node();
  return n.constant == 0 && n.terms.size() == 1 && n.terms[0].coefficient == 1 && n.terms[0].factors.size() == 1;
}
std::string operand(Sym e) {
  if (is_simple(e)) {
    // a // b needs parentheses as an operand of another //, which is left-associative.
    if (!e.is_constant()) {
      const AtomKind kind = e.node()->terms[0].factors[0]->kind;
      if (kind == AtomKind::kFloorDiv || kind == AtomKind::kMod) return cat("(", to_string(e), ")");
    }
    return to_string(e);
  }
  return cat("(", to_string(e), ")");
}

std::string print_atom(const SymAtom& atom) {
  switch (atom.kind) {
    case AtomKind::kVariable: return atom.name;
    case AtomKind::kFloorDiv: return cat(operand(atom.a), " // ", operand(atom.b));
    case AtomKind::kMod: return cat(operand(atom.a), " % ", operand(atom.b));
    case AtomKind::kMin: return cat("min(", to_string(atom.a), ", ", to_string(atom.b), ")");
    case AtomKind::kMax: return cat("max(", to_string(atom.a), ", ", to_string(atom.b), ")");
    case AtomKind::kSelect: return cat("select(", to_string(atom.c), " >= 0, ", to_string(atom.a), ", ", to_string(atom.b), ")");
  }
  return "";
}

std::string print_product(const SymTerm& term, uint64_t magnitude, bool follows_minus) {
  std::string out;
  if (magnitude != 1) out = cat(magnitude);
  for (const SymAtom* f : term.factors) {
    const bool brackets =
        (f->kind == AtomKind::kFloorDiv || f->kind == AtomKind::kMod) && (magnitude != 1 || follows_minus || term.factors.size() > 1);
    if (!out.empty()) out += "*";
    out += brackets ? cat("(", print_atom(*f), ")") : print_atom(*f);
  }
  return out;
}
uint64_t magnitude_of(int64_t value) { return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value); }

}  // namespace

std::string to_string(Sym e) {
  if (e.is_constant()) return cat(e.constant());
  const SymNode& n = *e.node();
  // A positive constant comes last, or first if everything else is subtracted from it: 4096 - n*n.
  const bool is_constant_first = n.constant > 0 && std::ranges::all_of(n.terms, [](const SymTerm& t) { return t.coefficient < 0; });
  std::string out = is_constant_first ? cat(n.constant) : "";
  for (const SymTerm& t : n.terms) {
    const bool is_first = out.empty();
    if (is_first)
      out = t.coefficient < 0 ? "-" : "";
    else
      out += t.coefficient < 0 ? " - " : " + ";
    // Puts a leading quotient in parentheses: -(a // b) is correct, because -a // b means (-a) // b.
    out += print_product(t, magnitude_of(t.coefficient), is_first && t.coefficient < 0);
  }
  if (n.constant != 0 && !is_constant_first) append(out, cat(n.constant < 0 ? " - " : " + ", magnitude_of(n.constant)));
  return out;
}

}  // namespace harp
