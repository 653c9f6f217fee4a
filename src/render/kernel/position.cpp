#include "render/kernel/position.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.h"
#include "render/kernel/scalar_functions.h"

namespace harp::render {
namespace {

uint64_t magnitude_of(int64_t value) { return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value); }
/// Returns a magnitude as a literal. Magnitudes from 2^63 on do not fit a signed literal; the only one that occurs is that of -2^63.
std::string number(const Dialect& dialect, uint64_t magnitude) {
  constexpr auto kGreatest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return magnitude <= kGreatest ? cat(magnitude) : cat("(", dialect.index, ")", magnitude, "ull");
}

}  // namespace

Text Positions::product(const SymTerm& term, uint64_t magnitude) const {
  std::string out;
  bool single = true;
  Text first;
  for (const SymAtom* f : term.factors) {
    const Text t = atom(*f);
    if (out.empty()) {
      first = t;
      out = bracket(t, kProduct);
      // The product needs no brackets: if it starts with a division, C evaluates it from left to right, as intended here.
    } else {
      single = false;
      append(out, cat(" * ", bracket(t, kUnary)));
    }
  }
  if (magnitude != 1) {
    append(out, cat(" * ", number(unit_.dialect, magnitude)));
    single = false;
  }
  return single ? first : Text{out, kProduct};
}

Text Positions::operator()(const ir::Terms& e) const {
  std::string out;
  int parts = 0;
  Text single;
  // Writes a positive part first, so that the text does not start with a minus: 4096 - a * b.
  const bool is_constant_first =
      e.constant > 0 && !e.terms.empty() && std::ranges::all_of(e.terms, [](const SymTerm& t) { return t.coefficient < 0; });
  if (is_constant_first) out = number(unit_.dialect, magnitude_of(e.constant)), ++parts;
  for (const bool negative : {false, true})
    for (const SymTerm& t : e.terms) {
      if ((t.coefficient < 0) != negative) continue;
      const Text p = product(t, magnitude_of(t.coefficient));
      if (parts++ == 0) {
        single = negative ? Text{cat("-", bracket(p, kUnary)), kUnary} : p;
        out = single.text;
        if (single.precedence < kSum) out = cat("(", out, ")");
      } else {
        append(out, cat(negative ? " - " : " + ", bracket(p, kProduct)));
      }
    }
  if (parts == 0) {
    if (e.constant >= 0) return {number(unit_.dialect, magnitude_of(e.constant)), kPrimary};
    return {cat("-", number(unit_.dialect, magnitude_of(e.constant))), kUnary};
  }
  if (e.constant != 0 && !is_constant_first) {
    append(out, cat(e.constant < 0 ? " - " : " + ", number(unit_.dialect, magnitude_of(e.constant))));
    ++parts;
  }
  return parts == 1 ? single : Text{out, kSum};
}

Text Positions::atom(const SymAtom& atom) const {
  if (const std::string* name = names_.find(&atom)) return {*name, kPrimary};
  if (sizes_.is_passed(atom)) return {sizes_.value(atom), kPrimary};
  return operation(atom);
}

/// Returns a quotient or remainder.
Text Positions::division(const SymAtom& atom) const {
  const bool is_quotient = atom.kind == AtomKind::kFloorDiv;
  const bool is_nonnegative = proven_nonnegative(atom.a);
  const Text a = (*this)(atom.a), b = (*this)(atom.b);
  if (sizes_.has_reciprocal(atom.b))
    return {cat(unit_.dialect.divided(unit_, is_quotient, is_nonnegative), "(", a.text, ", ", b.text, ", ", sizes_.reciprocal(atom.b), ")"),
            kPrimary};
  // A bitwise AND with a mask gives the remainder of negative numbers correctly, too. For the operator %, the compiler needs five
  // instructions if it does not know the sign.
  if (!is_quotient && atom.b.is_constant() && std::has_single_bit(static_cast<uint64_t>(atom.b.constant())))
    // gcc's -Wparentheses expects brackets around a sum that is an operand of &
    return {cat(bracket(a, kProduct), " & ", atom.b.constant() - 1), kAnd};
  if (!is_nonnegative || !proven_positive(atom.b))
    return {cat(index_function(unit_, is_quotient ? "floor_div" : "floor_mod"), "(", a.text, ", ", b.text, ")"), kPrimary};
  return {cat(bracket(a, kProduct), is_quotient ? " / " : " % ", bracket(b, kUnary)), kProduct};
}

Text Positions::operation(const SymAtom& atom) const {
  const auto call = [&](std::string_view function) {
    return Text{cat(index_function(unit_, function), "(", (*this)(atom.a).text, ", ", (*this)(atom.b).text, ")"), kPrimary};
  };
  switch (atom.kind) {
    case AtomKind::kVariable:
      HARP_ASSERT(!atom.is_loop, "loop variable ", atom.name, " has no name here");
      return {sizes_.shape_variable(&atom), kPrimary};
    case AtomKind::kFloorDiv:
    case AtomKind::kMod: return division(atom);
    case AtomKind::kMin: return call("min");
    case AtomKind::kMax: return call("max");
    case AtomKind::kSelect:
      return {cat(is_nonnegative(atom.c).text, " ? ", bracket((*this)(atom.a), kSum), " : ", bracket((*this)(atom.b), kSum)), kConditional};
  }
  return {};
}

Text Positions::is_nonnegative(Sym e) const {
  if (const auto both = ir::two_conditions(e); both && names_.find(both->extreme) == nullptr) {
    if (both->is_and && proven_nonnegative(both->a)) return is_nonnegative(both->b);
    if (both->is_and && proven_nonnegative(both->b)) return is_nonnegative(both->a);
    // gcc's -Wparentheses expects brackets around && that is an operand of ||
    const auto part = [&](Sym condition) {
      const Text text = is_nonnegative(condition);
      return text.precedence == (both->is_and ? kLogicalOr : kLogicalAnd) ? cat("(", text.text, ")") : text.text;
    };
    return {cat(part(both->a), both->is_and ? " && " : " || ", part(both->b)), both->is_and ? kLogicalAnd : kLogicalOr};
  }
  ir::Terms left, right;  // the two sides of the condition left <= right, in which all coefficients are positive
  const ir::Terms all = ir::terms_of(e);
  for (const SymTerm& t : all.terms) {
    if (t.coefficient == std::numeric_limits<int64_t>::min()) return {cat(bracket((*this)(e), kShift), " >= 0"), kRelational};
    if (t.coefficient > 0) {
      right.terms.push_back(t);
    } else {
      left.terms.push_back({-t.coefficient, t.factors});
    }
  }
  if (const SymTerm* only = all.terms.size() == 1 ? &all.terms.front() : nullptr;
      only != nullptr && only->factors.size() == 1 && names_.is_flag(only->factors.front())) {
    const std::string& name = *names_.find(only->factors.front());
    if (only->coefficient == 1 && all.constant == -1) return {name, kPrimary};
    if (only->coefficient == -1 && all.constant == 0) return {cat("!", name), kUnary};
  }
  const bool strict = all.constant == -1;  // true for a condition like a - b - 1 >= 0, which is written as b < a
  if (left.terms.size() == 1 && right.terms.empty() && all.constant == 0 && proven_nonnegative(-e))
    return {cat(bracket((*this)(left), kEquality), " == 0"), kEquality};
  if (all.constant < 0 && !strict && all.constant != std::numeric_limits<int64_t>::min())
    left.constant = -all.constant;
  else if (!strict)
    right.constant = all.constant;
  if (left.empty() && left.constant != 0)
    return {cat(bracket((*this)(right), kShift), " >= ", number(unit_.dialect, magnitude_of(left.constant))), kRelational};
  if (left.empty() && left.constant == 0) return {cat(bracket((*this)(right), kShift), strict ? " > 0" : " >= 0"), kRelational};
  return {cat(bracket((*this)(left), kShift), strict ? " < " : " <= ", bracket((*this)(right), kShift)), kRelational};
}

}  // namespace harp::render
