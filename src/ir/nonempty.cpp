// Implements assume_nonempty(), which specialises statements to sizes for which the iteration space is not empty. The host code tests once
// before the launch whether there are elements. Inside the kernel, shape variables are replaced by variables of the same name with tighter
// bounds, which help every proof and simplification, or by numbers if only one value is left. A roll over an axis of size w needs this:
// (-1) % w equals w - 1 only if w is not 0, and only then can partition() prove that the position w - 1 is not before the position 1 % w.
#include "ir/rewrite.h"

namespace harp::ir {
namespace {

/// Returns the bounds of the variable v that follow from extent >= 1; nullopt if none follow.
std::optional<SymRange> bounds_from(Sym extent, const SymAtom* v) {
  if (const auto linear = linear_in(extent, v); linear && linear->coefficient.is_constant() && linear->rest.is_constant()) {
    const int64_t k = linear->coefficient.constant();
    if (k > 0) return SymRange{ceil_div(1 - linear->rest, k).constant(), INT64_MAX};
    if (k < 0) return SymRange{INT64_MIN, floor_div(linear->rest - 1, -k).constant()};
  }
  // If the extent is a product of sizes, one of which is v, then v >= 1.
  if (extent.node()->terms.size() == 1 && extent.node()->constant == 0 && v->range.lo >= 0)
    for (const SymAtom* f : extent.node()->terms[0].factors)
      if (f == v) return SymRange{1, INT64_MAX};
  return std::nullopt;
}

}  // namespace

std::optional<Sym> assume_nonempty(Arena& arena, Body& body, std::span<const Sym> extents) {
  SymSubstitution narrower;
  Sym elements = 1;
  for (const Sym& extent : extents) {
    if (proven_positive(extent)) continue;
    elements *= extent;
    for (const SymAtom* v : variables_of(extent)) {
      const auto bounds = bounds_from(extent, v);
      if (!bounds) continue;
      const auto seen = narrower.find(v);
      const Sym narrowed = arena.syms().narrowed(seen == narrower.end() ? v : variable_of(seen->second), *bounds);
      if (variable_of(narrowed) != v) narrower.insert_or_assign(v, narrowed);
    }
  }
  if (narrower.empty()) return std::nullopt;
  for (auto& [v, narrowed] : narrower)
    if (const SymRange bounds = range(narrowed); bounds.lo == bounds.hi) narrowed = bounds.lo;
  body = Substituter(arena, narrower)(body);
  return elements - 1;
}

}  // namespace harp::ir
