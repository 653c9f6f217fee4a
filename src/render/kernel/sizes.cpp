#include "render/kernel/sizes.h"

#include <algorithm>

#include "base/text.h"

namespace harp::render {
namespace {

/// Returns the index of a size in the list, to which it is added if it is missing. Variables of the same name have the same value
/// (SymTable::narrowed), so sizes with the same text are equal.
size_t index_in(std::vector<Sym>& sizes, Sym size) {
  const auto same = [text = to_string(size)](Sym other) { return to_string(other) == text; };
  const auto found = std::ranges::find_if(sizes, same);
  if (found != sizes.end()) return static_cast<size_t>(found - sizes.begin());
  sizes.push_back(size);
  return sizes.size() - 1;
}

bool divides_by_size(const SymAtom& atom);

bool divides_by_size(Sym e) {
  return !e.is_constant() && std::ranges::any_of(e.node()->terms, [](const SymTerm& term) {
    return std::ranges::any_of(term.factors, [](const SymAtom* factor) { return divides_by_size(*factor); });
  });
}

/// Tests whether the expression contains a division by a size that is not known when the program is compiled.
bool divides_by_size(const SymAtom& atom) {
  if (atom.kind == AtomKind::kVariable) return false;
  if ((atom.kind == AtomKind::kFloorDiv || atom.kind == AtomKind::kMod) && !atom.b.is_constant()) return true;
  return divides_by_size(atom.a) || divides_by_size(atom.b) || divides_by_size(atom.c);
}

}  // namespace

std::string size_name(size_t i) { return cat("size", i); }
std::string reciprocal_name(size_t i) { return cat("reciprocal", i); }

bool Sizes::is_passed(const SymAtom& atom) const { return has_parameters_ && atom.stage == 0 && divides_by_size(atom); }

bool Sizes::has_reciprocal(Sym divisor) const {
  return has_parameters_ && !divisor.is_constant() && proven_nonnegative(divisor) &&
         std::ranges::none_of(variables_of(divisor), [](const SymAtom* v) { return v->is_loop; });
}

std::string Sizes::shape_variable(const SymAtom* variable) {
  used_.shape_variables.insert(variable);
  return shape_name_(variable);
}

std::string Sizes::value(const SymAtom& atom) { return size_name(index_in(used_.values, atom.alone)); }
std::string Sizes::reciprocal(Sym divisor) { return reciprocal_name(index_in(used_.divisors, divisor)); }

}  // namespace harp::render
