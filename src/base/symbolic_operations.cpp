// Simplifies floor_div, mod, min, max and select. The result is an atom only if no simpler equal expression is found.
#include <algorithm>
#include <utility>

#include "base/checked_integers.h"
#include "base/symbolic_builder.h"

namespace harp {
namespace {

/// Returns (quotient, rest) with x = divisor * quotient + rest, where no term of rest is divisible by the divisor.
std::pair<Sym, Sym> split(SymTable& table, Sym x, const SymTerm& divisor) {
  Sum quotient, rest;
  auto place = [&](const SymTerm& t) {
    if (auto q = divide(t, divisor)) {
      SymBuilder::add_scaled(quotient, *q, SymTerm{1, {}});
    } else if (divisor.factors.empty() && divisor.coefficient > 0) {
      // Example: 35 x divided by 16 has quotient 2 x and rest 3 x.
      const int64_t q0 = floored_quotient(t.coefficient, divisor.coefficient);
      if (q0 != 0) SymBuilder::add_scaled(quotient, SymTerm{q0, t.factors}, SymTerm{1, {}});
      SymBuilder::add_scaled(rest, SymTerm{floored_remainder(t.coefficient, divisor.coefficient), t.factors}, SymTerm{1, {}});
    } else {
      SymBuilder::add_scaled(rest, t, SymTerm{1, {}});
    }
  };
  SymBuilder::for_each_term(x, place);
  return {SymBuilder::finish(table, std::move(quotient)), SymBuilder::finish(table, std::move(rest))};
}

int64_t gcd(int64_t a, int64_t b) {
  a = a < 0 ? -a : a, b = b < 0 ? -b : b;
  while (b) std::swap(a, b), b %= a;
  return a;
}

/// Returns the greatest common divisor of the constant divisor and the coefficients of x. The constant term of x does not count.
int64_t common_factor(Sym x, int64_t divisor) {
  int64_t g = divisor;
  for (const SymTerm& t : x.node()->terms) g = gcd(g, t.coefficient);
  return g;
}

Sym divide_coefficients(Sym x, int64_t by, int64_t constant) {
  Sum sum;
  for (const SymTerm& t : x.node()->terms) sum.terms.push_back({t.coefficient / by, t.factors});
  sum.constant = constant;
  return SymBuilder::finish(*x.node()->table, std::move(sum));
}

/// Returns the quotient if e is one, not a sum or product; otherwise returns null.
const SymAtom* as_quotient(Sym e) {
  const auto m = as_monomial(e);
  return m && m->coefficient == 1 && m->factors.size() == 1 && m->factors[0]->kind == AtomKind::kFloorDiv ? m->factors[0] : nullptr;
}

/// Returns the greatest common divisor of two terms: of their coefficients, and the factors that both have.
SymTerm common_divisor(const SymTerm& a, const SymTerm& b) {
  SymTerm result{gcd(a.coefficient, b.coefficient), {}};
  for (auto at = b.factors.begin(); const SymAtom* factor : a.factors)
    if (const auto found = std::find(at, b.factors.end(), factor); found != b.factors.end()) {
      result.factors.push_back(factor);
      at = found + 1;
    }
  return result;
}

/// The form x = unit * high + low of a dividend, where 0 <= low < unit, and unit * divisor is the original divisor.
struct Digits {
  Sym unit, high, low, divisor;
};

/// If the divisor d is a multiple of a unit such that the quotient x // d does not depend on x % unit, returns the dividend as a multiple
/// of the unit and the rest. Example: a row of an array with 4 m columns consists of pieces of m elements; for position p of piece i, the
/// row is (m i + p) // (4 m) = i // 4.
std::optional<Digits> digits_of(SymTable& table, Sym x, const SymTerm& d) {
  if (as_monomial(x)) return std::nullopt;
  for (const SymTerm& term : x.node()->terms) {
    const SymTerm unit = common_divisor(term, d);
    const std::optional<SymTerm> divisor = divide(d, unit);
    if ((unit.coefficient == 1 && unit.factors.empty()) || (divisor->coefficient == 1 && divisor->factors.empty())) continue;
    const auto [high, low] = split(table, x, unit);
    const Digits result{SymBuilder::of_term(table, unit), high, low, SymBuilder::of_term(table, *divisor)};
    if (proven_positive(result.divisor) && proven_nonnegative(low) && proven_less(low, result.unit)) return result;
  }
  return std::nullopt;
}

}  // namespace

Sym floor_div(Sym x, Sym d) {
  if (x.is_constant() && d.is_constant()) return floored_quotient(x.constant(), d.constant());
  if (d.is_constant(0) || x.is_constant(0)) return 0;
  if (d.is_constant(1)) return x;
  if (x == d) return 1;
  SymTable& table = *table_of(x, d);
  if (const auto monomial = as_monomial(d)) {
    auto [quotient, rest] = split(table, x, *monomial);
    if (!quotient.is_constant(0)) return quotient + floor_div(rest, d);
    if (const auto digits = digits_of(table, x, *monomial)) return floor_div(digits->high, digits->divisor);
  }
  if (proven_nonnegative(x) && proven_less(x, d)) return 0;
  if (range(x).hi < 0 && proven_nonnegative(x + d)) return -1;
  // (x % (d k)) // d = (x // d) % k. The right-hand form is preferred, because SymBuilder::finish() can merge its quotients and remainders
  // into x again.
  if (const auto m = as_monomial(x), by = as_monomial(d); m && by && m->coefficient == 1 && m->factors.size() == 1) {
    const SymAtom* atom = m->factors[0];
    if (atom->kind == AtomKind::kMod && proven_nonnegative(d)) {
      const auto period = as_monomial(atom->b);
      if (const auto k = period ? divide(*period, *by) : std::nullopt) return mod(floor_div(atom->a, d), SymBuilder::of_term(table, *k));
    }
  }
  // (x // a) // b = x // (a b), also if one of them is 0
  if (const SymAtom* quotient = as_quotient(x); quotient && proven_nonnegative(quotient->b) && proven_nonnegative(d)) {
    const bool is_constant = quotient->b.is_constant() && d.is_constant();
    if (!is_constant || quotient->b.constant() <= INT64_MAX / d.constant()) return floor_div(quotient->a, quotient->b * d);
  }
  if (d.is_constant() && d.constant() > 1) {
    // (6 x + 5) // 4 = (3 x + 2) // 2
    const int64_t g = common_factor(x, d.constant());
    if (g > 1) return floor_div(divide_coefficients(x, g, floored_quotient(x.node()->constant, g)), d.constant() / g);
  }
  return SymBuilder::atom(table, AtomKind::kFloorDiv, x, d);
}

Sym mod(Sym x, Sym d) {
  if (x.is_constant() && d.is_constant()) return floored_remainder(x.constant(), d.constant());
  if (d.is_constant(0) || d.is_constant(1) || x.is_constant(0) || x == d) return 0;
  SymTable& table = *table_of(x, d);
  if (const auto monomial = as_monomial(d)) {
    auto [quotient, rest] = split(table, x, *monomial);
    if (!quotient.is_constant(0)) return mod(rest, d);
    if (const auto digits = digits_of(table, x, *monomial)) return digits->unit * mod(digits->high, digits->divisor) + digits->low;
  }
  if (proven_nonnegative(x) && proven_less(x, d)) return x;
  if (range(x).hi < 0 && proven_nonnegative(x + d)) return x + d;
  // (y // a) % d = y // a if y < a d
  if (as_quotient(x) && proven_nonnegative(d) && floor_div(x, d).is_constant(0)) return x;
  if (d.is_constant() && d.constant() > 1) {
    const int64_t g = gcd(common_factor(x, d.constant()), x.node()->constant);
    if (g > 1) return Sym(g) * mod(divide_coefficients(x, g, x.node()->constant / g), d.constant() / g);
    if (const auto m = as_monomial(x); m && m->coefficient == 1 && m->factors.size() == 1) {
      const SymAtom* atom = m->factors[0];
      if (atom->kind == AtomKind::kMod && atom->b.is_constant() && atom->b.constant() % d.constant() == 0) return mod(atom->a, d);
    }
  }
  return SymBuilder::atom(table, AtomKind::kMod, x, d);
}

namespace {

/// If e has exactly one max term with coefficient 1, so that e = max(p, q) + r, returns (p + r, q + r). Otherwise returns nothing.
std::optional<std::pair<Sym, Sym>> sides_of(Sym e) {
  if (e.is_constant()) return std::nullopt;
  const SymAtom* found = nullptr;
  for (const SymTerm& t : e.node()->terms) {
    if (t.factors.size() != 1 || t.factors[0]->kind != AtomKind::kMax) continue;
    if (t.coefficient != 1 || found != nullptr) return std::nullopt;
    found = t.factors[0];
  }
  if (found == nullptr) return std::nullopt;
  const Sym rest = e - found->alone;
  return std::pair(found->a + rest, found->b + rest);
}

/// If e = max(p, q) + r and p + r <= a, max(a, e) equals max(a, q + r). Returns this simpler expression, or nothing if neither operand of
/// the inner max can be dropped. This makes the size of x[1:][1:], which is max(0, max(0, n - 1) - 1), equal to the size of x[2:]. There is
/// no such rule for min: a nested min is usually the end of a loop, and the inner min is needed elsewhere anyway.
std::optional<Sym> without_covered_side(Sym a, Sym e) {
  const auto sides = sides_of(e);
  if (!sides) return std::nullopt;
  if (proven_at_most(sides->first, a)) return max(a, sides->second);
  if (proven_at_most(sides->second, a)) return max(a, sides->first);
  return std::nullopt;
}

}  // namespace

Sym min(Sym a, Sym b) {
  if (a == b || proven_at_most(a, b)) return a;
  if (proven_at_most(b, a)) return b;
  return SymBuilder::symmetric_atom(AtomKind::kMin, a, b);
}

Sym max(Sym a, Sym b) {
  if (a == b || proven_at_most(b, a)) return a;
  if (proven_at_most(a, b)) return b;
  if (const auto simpler = without_covered_side(a, b)) return *simpler;
  if (const auto simpler = without_covered_side(b, a)) return *simpler;
  return SymBuilder::symmetric_atom(AtomKind::kMax, a, b);
}

Sym select(Sym condition, Sym a, Sym b) {
  if (a == b || proven_nonnegative(condition)) return a;
  if (proven_nonnegative(-condition - 1)) return b;
  return SymBuilder::atom(*table_of(a, b, condition), AtomKind::kSelect, a, b, condition);
}

}  // namespace harp
