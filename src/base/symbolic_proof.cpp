// Bounds and proofs. A proof of e >= 0 first tries interval arithmetic. If that is too coarse, it bounds e from below by an expression with
// one variable or atom fewer, and repeats:
//   - a loop variable in [a, b) with coefficient k is replaced by a where k >= 0 and by b - 1 where k <= 0;
//   - q = x // c with a constant c > 0 lies in [(x - c + 1) / c, x / c];
//   - min, max and select are replaced by one or both of their operands.
// Finally the proof replaces each variable by its lower bound plus a new, nonnegative variable. If no coefficient of the result is
// negative, then e >= 0.
#include <algorithm>

#include "base/error.h"
#include "base/symbolic.h"
#include "base/symbolic_order.h"
#include "base/symbolic_range.h"

namespace harp {
namespace {

using Wide = __int128;

int64_t saturate(Wide value) {
  if (value < INT64_MIN) return INT64_MIN;
  if (value > INT64_MAX) return INT64_MAX;
  return static_cast<int64_t>(value);
}
bool unbounded(int64_t bound) { return bound == INT64_MIN || bound == INT64_MAX; }

/// Returns the product of two bounds. INT64_MIN and INT64_MAX mean minus and plus infinity. The product of infinity and 0 is 0; the product
/// of infinity and any other number is infinity with the sign of the product.
Wide bound_product(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (unbounded(a) || unbounded(b)) return (a < 0) == (b < 0) ? Wide(INT64_MAX) : Wide(INT64_MIN);
  return Wide(a) * b;
}
SymRange multiply(SymRange a, SymRange b) {
  const Wide p[] = {bound_product(a.lo, b.lo), bound_product(a.lo, b.hi), bound_product(a.hi, b.lo), bound_product(a.hi, b.hi)};
  return {saturate(*std::min_element(p, p + 4)), saturate(*std::max_element(p, p + 4))};
}
SymRange add(SymRange a, SymRange b) {
  const int64_t lo = unbounded(a.lo) || unbounded(b.lo) ? INT64_MIN : saturate(Wide(a.lo) + b.lo);
  const int64_t hi = unbounded(a.hi) || unbounded(b.hi) ? INT64_MAX : saturate(Wide(a.hi) + b.hi);
  return {lo, hi};
}
int64_t floor_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

}  // namespace

SymRange range_of_sum(const SymNode& node) {
  SymRange sum{node.constant, node.constant};
  for (const SymTerm& t : node.terms) {
    SymRange part{t.coefficient, t.coefficient};
    for (size_t i = 0; i < t.factors.size();) {
      size_t j = i;
      while (j < t.factors.size() && t.factors[j] == t.factors[i]) ++j;
      SymRange power = t.factors[i]->range;
      for (size_t k = i + 1; k < j; ++k) power = multiply(power, t.factors[i]->range);
      if ((j - i) % 2 == 0 && power.lo < 0) power.lo = 0;  // an even power is not negative
      part = multiply(part, power);
      i = j;
    }
    sum = add(sum, part);
  }
  return sum;
}

SymRange range_of_atom(const SymAtom& atom) {
  const SymRange a = range(atom.a), b = range(atom.b);
  switch (atom.kind) {
    case AtomKind::kVariable: return atom.range;
    case AtomKind::kMin: return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case AtomKind::kMax: return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case AtomKind::kSelect: return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
    case AtomKind::kMod: {
      if (b.lo >= 0) return {0, std::max<int64_t>(0, std::min(b.hi == INT64_MAX ? b.hi : b.hi - 1, a.lo >= 0 ? a.hi : INT64_MAX))};
      return {b.lo == INT64_MIN ? b.lo : std::min<int64_t>(0, b.lo + 1), b.hi == INT64_MAX ? b.hi : std::max<int64_t>(0, b.hi - 1)};
    }
    case AtomKind::kFloorDiv: {
      // For any d, |x // d| <= |x|. For positive d, x // d is between the quotients of x by the smallest and by the largest d.
      if (b.lo >= 0) {
        const int64_t d = std::max<int64_t>(1, b.lo);
        SymRange r{a.lo == INT64_MIN ? INT64_MIN : floor_div(a.lo, a.lo >= 0 && b.hi > 0 ? b.hi : d),
                   a.hi == INT64_MAX ? INT64_MAX : floor_div(a.hi, a.hi >= 0 ? d : std::max<int64_t>(1, b.hi))};
        if (b.lo == 0) r = {std::min<int64_t>(r.lo, 0), std::max<int64_t>(r.hi, 0)};
        return r;
      }
      if (unbounded(a.lo) || unbounded(a.hi)) return {INT64_MIN, INT64_MAX};
      const Wide m = std::max(Wide(a.hi < 0 ? -Wide(a.hi) : Wide(a.hi)), Wide(a.lo < 0 ? -Wide(a.lo) : Wide(a.lo)));
      return {saturate(-m - 1), saturate(m)};
    }
  }
  return {INT64_MIN, INT64_MAX};
}

SymRange range(Sym e) { return e.is_constant() ? SymRange{e.constant(), e.constant()} : e.node()->range; }

namespace {

/// The number of proof steps left. This limits the time that is spent on expressions for which no proof is found.
struct Budget {
  int steps = 40;
};

bool prove(Sym e, Budget& budget);

/// Splits e into coefficient * atom + rest. Returns nothing if e is not linear in the atom, or if another atom of e contains this atom.
std::optional<Linear> coefficient_of(Sym e, const SymAtom* atom) { return linear_in(e, atom); }

bool nonnegative(Sym e) { return range(e).lo >= 0; }
bool nonpositive(Sym e) { return range(e).hi <= 0; }

/// Returns the atoms that are factors of terms of e, in the reverse of the order that precedes() defines. Thus inner loop variables are
/// eliminated before the atoms that occur in their bounds.
std::vector<const SymAtom*> factors_of(Sym e) {
  std::vector<const SymAtom*> atoms;
  for (const SymTerm& t : e.node()->terms)
    for (const SymAtom* f : t.factors) atoms.push_back(f);
  std::sort(atoms.begin(), atoms.end(), [](const SymAtom* x, const SymAtom* y) { return precedes(*y, *x); });
  atoms.erase(std::unique(atoms.begin(), atoms.end()), atoms.end());
  return atoms;
}

/// One or two lower bounds of e that do not contain the eliminated atom. kAll: e >= 0 is proven if all bounds are nonnegative. kAny: e >= 0
/// is proven if at least one bound is nonnegative. kNone: no bound was found.
struct Bounds {
  enum { kNone, kAll, kAny } need = kNone;
  std::vector<Sym> expressions;
};
Bounds eliminate(Sym e, const SymAtom* atom) {
  const auto linear = coefficient_of(e, atom);
  if (!linear || linear->coefficient.is_constant(0)) return {};
  const Sym k = linear->coefficient, rest = linear->rest;
  const bool up = nonnegative(k), down = nonpositive(k);
  if (!up && !down) return {};
  switch (atom->kind) {
    case AtomKind::kVariable:
      if (!atom->is_loop) return {};
      return {Bounds::kAll, {rest + k * (up ? atom->a : atom->b - 1)}};
    case AtomKind::kFloorDiv: {
      if (!atom->b.is_constant() || atom->b.constant() <= 0 || !k.is_constant()) return {};
      const int64_t d = atom->b.constant();
      if (k.constant() % d != 0) return {};
      const Sym quotient = k.constant() / d;
      return {Bounds::kAll, {rest + quotient * (up ? atom->a - d + 1 : atom->a)}};
    }
    case AtomKind::kMod:
      // Uses 0 <= x % d <= d - 1 for d > 0 and, for x >= 0, also x % d <= x. If the sign of d is unknown, x % d lies between d and 0.
      if (up && nonnegative(atom->b)) return {Bounds::kAll, {rest}};
      if (up) return {Bounds::kAll, {rest, rest + k * atom->b}};
      if (!nonnegative(atom->b)) return {};
      if (!nonnegative(atom->b - 1)) return {Bounds::kAll, {rest + k * atom->b}};
      if (nonnegative(atom->a)) return {Bounds::kAny, {rest + k * (atom->b - 1), rest + k * atom->a}};
      return {Bounds::kAll, {rest + k * (atom->b - 1)}};
    case AtomKind::kMin: return {up ? Bounds::kAll : Bounds::kAny, {rest + k * atom->a, rest + k * atom->b}};
    case AtomKind::kMax: return {up ? Bounds::kAny : Bounds::kAll, {rest + k * atom->a, rest + k * atom->b}};
    case AtomKind::kSelect: return {Bounds::kAll, {rest + k * atom->a, rest + k * atom->b}};
  }
  return {};
}

/// Writes each atom as its lower bound plus a nonnegative variable, and expands e. Returns true if no coefficient of the result is
/// negative.
bool nonnegative_when_shifted(Sym e) {
  // In the expansion, a term a·b becomes (lo_a + a')·(lo_b + b'). Terms of e may contribute to the same coefficient, so a positive term can
  // compensate a negative one. Expressions with more than 6 atoms, or with more than 4 factors in a term, are not tried: the expansion
  // would cost more than it proves.
  std::vector<const SymAtom*> atoms = factors_of(e);
  if (atoms.size() > 6) return false;
  // The expanded polynomial in the nonnegative variables: a map from their exponents to the coefficient.
  std::map<std::vector<int>, Wide> shifted;
  for (const SymAtom* a : atoms)
    if (unbounded(a->range.lo)) return false;
  auto index = [&](const SymAtom* a) { return std::find(atoms.begin(), atoms.end(), a) - atoms.begin(); };
  shifted[std::vector<int>(atoms.size(), 0)] = e.node()->constant;
  for (const SymTerm& t : e.node()->terms) {
    if (t.factors.size() > 4) return false;
    std::map<std::vector<int>, Wide> part;
    part[std::vector<int>(atoms.size(), 0)] = t.coefficient;
    for (const SymAtom* f : t.factors) {
      std::map<std::vector<int>, Wide> next;
      for (const auto& [powers, c] : part) {
        if (c > (Wide(1) << 62) || c < -(Wide(1) << 62)) return false;
        next[powers] += c * f->range.lo;
        auto raised = powers;
        ++raised[index(f)];
        next[raised] += c;
      }
      part = std::move(next);
    }
    for (const auto& [powers, c] : part) shifted[powers] += c;
  }
  return std::all_of(shifted.begin(), shifted.end(), [](const auto& term) { return term.second >= 0; });
}

bool prove(Sym e, Budget& budget) {
  if (nonnegative(e)) return true;
  if (e.is_constant() || range(e).hi < 0 || budget.steps-- <= 0) return false;
  for (const SymAtom* atom : factors_of(e)) {
    const Bounds bounds = eliminate(e, atom);
    if (bounds.need == Bounds::kNone) continue;
    bool all = true, any = false;
    for (Sym bound : bounds.expressions) {
      const bool proven = prove(bound, budget);
      all &= proven;
      any |= proven;
      if (bounds.need == Bounds::kAll ? !proven : proven) break;
    }
    if (bounds.need == Bounds::kAll ? all : any) return true;
    // eliminate() replaces a loop variable by one of its actual values, the one at which e is smallest. The bound is therefore exact, and
    // eliminating another atom first cannot give a better one.
    if (atom->is_loop) return false;
  }
  return nonnegative_when_shifted(e);
}

}  // namespace

bool proven_nonnegative(Sym e) {
  Budget budget;
  try {
    return prove(e, budget);
  } catch (const Error& error) {
    if (error.code != Code::kOverflow) throw;
    return false;  // A bound does not fit 64 bits, so nothing is proven.
  }
}

}  // namespace harp
