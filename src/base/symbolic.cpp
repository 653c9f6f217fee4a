// Implements the table of expressions, and the normal form of sums of products. Related files: symbolic_operations.cpp simplifies
// floor_div, mod, min, max and select; symbolic_substitute.cpp substitutes variables; symbolic_proof.cpp proves e >= 0;
// symbolic_evaluate.cpp evaluates; symbolic_print.cpp prints.
#include "base/symbolic.h"

#include <algorithm>
#include <unordered_map>

#include "base/checked_integers.h"
#include "base/error.h"
#include "base/symbolic_builder.h"
#include "base/symbolic_order.h"
#include "base/symbolic_range.h"
#include "base/table_limit.h"
#include "base/visits.h"

namespace harp {

struct KeyHash {
  size_t operator()(const std::vector<int64_t>& key) const {
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int64_t word : key) h = (h ^ static_cast<uint64_t>(word)) * 0xff51afd7ed558ccdu, h ^= h >> 32;
    return h;
  }
};
template <class T>
using Interned = std::unordered_map<std::vector<int64_t>, std::unique_ptr<T>, KeyHash>;

struct SymTable::State {
  Interned<SymNode> nodes;
  Interned<SymAtom> atoms;
  std::map<std::string, const SymAtom*, std::less<>> variables;
  std::vector<std::unique_ptr<SymAtom>> variable_atoms;
  std::vector<Sym> variable_order;
  uint32_t next_node = 0, next_atom = 0, loops = 0;
  TimeLimit* limit = nullptr;  // the compilation's time limit, or null
  uint32_t calls = 0;          // number of calls of check_time()
  uint64_t visits = 0;
};

namespace {

uint32_t saturating_add(uint32_t a, uint32_t b) { return a > UINT32_MAX - b ? UINT32_MAX : a + b; }

uint32_t weight_of(const SymNode& node) {
  uint32_t weight = 0;
  for (const SymTerm& t : node.terms) {
    weight = saturating_add(weight, 1);
    for (const SymAtom* f : t.factors) weight = saturating_add(weight, f->weight);
  }
  return weight;
}

uint32_t stage_of(const SymNode& node) {
  uint32_t stage = 0;
  // The factors of a term are sorted by their member `stage`, so the last factor has the highest stage.
  for (const SymTerm& t : node.terms) stage = std::max(stage, t.factors.back()->stage);
  return stage;
}

/// The largest number of terms to which a product may expand. No real size or array index comes near this limit. It rejects inputs that
/// multiply sums again and again.
constexpr size_t kMaxTerms = 4096;

}  // namespace

void Sum::add(Sym e, int64_t scale) {
  if (e.is_constant()) {
    constant = checked_add(constant, checked_mul(e.constant(), scale));
    return;
  }
  constant = checked_add(constant, checked_mul(e.node()->constant, scale));
  terms.reserve(terms.size() + e.node()->terms.size());
  for (const SymTerm& t : e.node()->terms) terms.push_back({checked_mul(t.coefficient, scale), t.factors});
}

void Sum::sort_and_merge() {
  const auto in_order = [](const SymTerm& a, const SymTerm& b) { return precedes(a, b); };
  if (!std::is_sorted(terms.begin(), terms.end(), in_order)) std::stable_sort(terms.begin(), terms.end(), in_order);
  size_t out = 0;
  for (size_t i = 0; i < terms.size();) {
    SymTerm merged = std::move(terms[i++]);
    while (i < terms.size() && terms[i].factors == merged.factors)
      merged.coefficient = checked_add(merged.coefficient, terms[i++].coefficient);
    if (merged.coefficient != 0) terms[out++] = std::move(merged);
  }
  terms.resize(out);
}

std::optional<SymTerm> as_monomial(Sym e) {
  if (e.is_constant()) {
    if (e.constant() == 0) return std::nullopt;
    return SymTerm{e.constant(), {}};
  }
  if (e.node()->constant != 0 || e.node()->terms.size() != 1) return std::nullopt;
  return e.node()->terms[0];
}

std::optional<SymTerm> divide(const SymTerm& term, const SymTerm& divisor) {
  if (term.coefficient % divisor.coefficient != 0) return std::nullopt;
  SymTerm quotient{term.coefficient / divisor.coefficient, {}};
  auto d = divisor.factors.begin();
  for (const SymAtom* factor : term.factors) {
    if (d != divisor.factors.end() && *d == factor)
      ++d;
    else
      quotient.factors.push_back(factor);
  }
  if (d != divisor.factors.end()) return std::nullopt;
  return quotient;
}

SymTable* table_of(Sym a, Sym b, Sym c) {
  SymTable* table = nullptr;
  for (const Sym& e : {a, b, c}) {
    if (e.is_constant()) continue;
    HARP_ASSERT(table == nullptr || table == e.node()->table, "the operands are expressions of two tables: ", to_string(a), ", ",
                to_string(b), " and ", to_string(c));
    table = e.node()->table;
  }
  return table;
}

namespace {

size_t count_terms(Sym e) {
  size_t count = 0;
  SymBuilder::for_each_term(e, [&](const SymTerm&) { ++count; });
  return count;
}

/// Removes `term`, which is an element of sum.terms, and all terms of `partners` from the sum by setting their coefficients to 0. If the
/// sum does not contain all terms of `partners`, changes nothing and returns false.
bool take_away(Sum& sum, Sum partners, const SymTerm& term) {
  partners.sort_and_merge();
  std::vector<size_t> taken = {static_cast<size_t>(&term - sum.terms.data())};
  for (const SymTerm& p : partners.terms) {
    const auto at = std::find_if(sum.terms.begin(), sum.terms.end(),
                                 [&](const SymTerm& t) { return &t != &term && t.coefficient == p.coefficient && t.factors == p.factors; });
    if (at == sum.terms.end()) return false;
    taken.push_back(static_cast<size_t>(at - sum.terms.begin()));
  }
  if (partners.terms.empty()) return false;
  for (const size_t i : taken) sum.terms[i].coefficient = 0;
  return true;
}

bool recombine_one(Sum& sum) {
  for (const SymTerm& term : sum.terms) {
    for (auto f = term.factors.begin(); f != term.factors.end(); ++f) {
      const SymAtom* remainder = *f;
      if (remainder->kind != AtomKind::kMod) continue;
      SymTerm rest{term.coefficient, {term.factors.begin(), f}};
      rest.factors.insert(rest.factors.end(), f + 1, term.factors.end());
      // The term is R·(x % c). To combine it with R·c·(x // c) to R·x, the sum must contain all terms of R·c·(x // c), its partners.
      const Sym quotient = floor_div(remainder->a, remainder->b);
      if (count_terms(quotient) * count_terms(remainder->b) >= sum.terms.size()) continue;
      Sum partners;
      SymBuilder::for_each_term(remainder->b, [&](const SymTerm& divisor) {
        SymBuilder::for_each_term(
            quotient, [&](const SymTerm& q) { partners.terms.push_back(SymBuilder::times(SymBuilder::times(rest, divisor), q)); });
      });
      if (!take_away(sum, std::move(partners), term)) continue;
      SymBuilder::for_each_term(remainder->a, [&](const SymTerm& x) { SymBuilder::add_scaled(sum, rest, x); });
      return true;
    }
  }
  return false;
}

/// Replaces R·c·(x // c) + R·(x % c) by R·x wherever the sum contains both terms; c may be a sum itself. Returns true if it changed the
/// sum. A row-major array index that was split into one index per axis thereby becomes the original index again.
bool recombine(Sum& sum) {
  bool changed = false;
  while (recombine_one(sum)) {
    sum.sort_and_merge();
    changed = true;
  }
  return changed;
}

/// Registers a new atom, and returns the expression that consists of this atom alone.
Sym introduce(SymTable& table, SymAtom& atom) { return atom.alone = SymBuilder::intern(table, Sum{{SymTerm{1, {&atom}}}, 0}); }

}  // namespace

uint64_t& SymBuilder::visits(const SymTable& table) { return table.state_->visits; }

Sym SymBuilder::finish(SymTable& table, Sum sum) {
  sum.sort_and_merge();
  if (recombine(sum)) sum.sort_and_merge();
  return intern(table, std::move(sum));
}

Sym SymBuilder::intern(SymTable& table, Sum sum) {
  if (sum.terms.empty()) return sum.constant;
  table.state_->visits += sum.terms.size();
  std::vector<int64_t> key;
  key.reserve(1 + 4 * sum.terms.size());
  key.push_back(sum.constant);
  for (const SymTerm& t : sum.terms) {
    key.push_back(t.coefficient);
    key.push_back(static_cast<int64_t>(t.factors.size()));
    for (const SymAtom* f : t.factors) key.push_back(f->id);
  }
  auto& slot = table.state_->nodes[key];
  if (!slot) {
    slot = std::make_unique<SymNode>(SymNode{&table, table.state_->next_node++, std::move(sum.terms), sum.constant, {0, 0}});
    slot->range = range_of_sum(*slot);
    slot->weight = weight_of(*slot);
  }
  return Sym(slot.get());
}

void SymBuilder::add_scaled(Sum& sum, const SymTerm& a, const SymTerm& b) {
  SymTerm t = times(a, b);
  if (t.factors.empty())
    sum.constant = checked_add(sum.constant, t.coefficient);
  else
    sum.terms.push_back(std::move(t));
}

SymTerm SymBuilder::times(const SymTerm& a, const SymTerm& b) {
  SymTerm t{checked_mul(a.coefficient, b.coefficient), a.factors};
  t.factors.insert(t.factors.end(), b.factors.begin(), b.factors.end());
  std::sort(t.factors.begin(), t.factors.end(), [](const SymAtom* x, const SymAtom* y) { return precedes(*x, *y); });
  return t;
}

Sym SymBuilder::of_term(SymTable& table, const SymTerm& term) {
  if (term.factors.empty()) return term.coefficient;
  return finish(table, Sum{{term}, 0});
}

Sym SymBuilder::atom(SymTable& table, AtomKind kind, Sym a, Sym b, Sym c) {
  auto part = [](Sym e, std::vector<int64_t>& key) {
    key.push_back(e.is_constant() ? 0 : 1);
    key.push_back(e.is_constant() ? e.constant() : e.node()->id);
  };
  std::vector<int64_t> key;
  key.reserve(7);
  key.push_back(static_cast<int64_t>(kind));
  part(a, key), part(b, key), part(c, key);
  auto& slot = table.state_->atoms[key];
  if (!slot) {
    auto atom = std::make_unique<SymAtom>(SymAtom{kind, table.state_->next_atom++, {}, false, a, b, c, {0, 0}});
    atom->range = range_of_atom(*atom);
    for (const Sym& operand : {a, b, c}) {
      if (operand.is_constant()) continue;
      atom->stage = std::max(atom->stage, stage_of(*operand.node()));
      atom->weight = saturating_add(atom->weight, operand.node()->weight);
    }
    introduce(table, *atom);
    // The slot is assigned last, so that the table never contains an incomplete atom, even if memory runs out before this line.
    slot = std::move(atom);
  }
  return slot->alone;
}

SymTable::State& SymBuilder::state(SymTable& table) { return *table.state_; }

Sym SymBuilder::symmetric_atom(AtomKind kind, Sym a, Sym b) {
  if (precedes(b, a)) std::swap(a, b);
  return atom(*table_of(a, b), kind, a, b);
}

Sym SymBuilder::variable(SymTable& table, std::string_view name, bool is_loop, Sym a, Sym b, SymRange range) {
  SymTable::State& s = *table.state_;
  const uint32_t stage = is_loop ? ++s.loops : 0;
  s.variable_atoms.push_back(
      std::make_unique<SymAtom>(SymAtom{AtomKind::kVariable, s.next_atom++, std::string(name), is_loop, a, b, 0, range, stage}));
  return introduce(table, *s.variable_atoms.back());
}

Sym SymBuilder::multiply(Sym a, Sym b) {
  if (a.is_constant()) std::swap(a, b);
  if (b.is_constant()) {
    if (a.is_constant()) return checked_mul(a.constant(), b.constant());
    if (b.constant() == 0) return 0;
    if (b.constant() == 1) return a;
    Sum sum;
    sum.add(a, b.constant());
    return intern(*a.node()->table, std::move(sum));
  }
  SymTable& table = *table_of(a, b);
  HARP_CHECK(a.node()->terms.size() * b.node()->terms.size() <= kMaxTerms, Code::kOverflow, "size arithmetic: a product of ",
             a.node()->terms.size(), " by ", b.node()->terms.size(), " terms is too large");
  Sum sum;
  sum.add(a, b.node()->constant);
  for (const SymTerm& t : b.node()->terms) {
    if (a.node()->constant != 0) add_scaled(sum, t, SymTerm{a.node()->constant, {}});
    for (const SymTerm& u : a.node()->terms) add_scaled(sum, t, u);
  }
  return finish(table, std::move(sum));
}

void count_visits(const SymTable& table, uint64_t visits) { SymBuilder::visits(table) += visits; }
uint64_t visits(const SymTable& table) { return SymBuilder::visits(table); }

SymTable::SymTable() : state_(std::make_unique<State>()) {}
SymTable::~SymTable() = default;

void set_limit(SymTable& table, TimeLimit* limit) { SymBuilder::state(table).limit = limit; }

void enter_step(SymTable& table, std::string_view step) {
  TimeLimit* const limit = SymBuilder::state(table).limit;
  if (limit == nullptr) return;
  limit->enter(step);
  limit->check();
}

void check_time(SymTable& table) {
  constexpr uint32_t kCallsPerCheck = 64;
  auto& state = SymBuilder::state(table);
  if (state.limit != nullptr && ++state.calls % kCallsPerCheck == 0) state.limit->check();
}

Sym SymTable::variable(std::string_view name, int64_t lo, int64_t hi) {
  HARP_CHECK(!name.empty(), Code::kInvalidArgument, "a shape variable has an empty name; expected at least one character");
  HARP_CHECK(lo <= hi, Code::kRange, "shape variable \"", name, "\": its bounds ", lo, "..", hi, " are empty; expected lo <= hi");
  if (auto found = state_->variables.find(name); found != state_->variables.end()) {
    const SymRange have = found->second->range;
    HARP_CHECK(have.lo == lo && have.hi == hi, Code::kInvalidArgument, "shape variable \"", name, "\" was declared with bounds ", have.lo,
               "..", have.hi, ", now with ", lo, "..", hi);
    return found->second->alone;
  }
  const Sym result = SymBuilder::variable(*this, name, false, 0, 0, {lo, hi});
  state_->variables.emplace(name, state_->variable_atoms.back().get());
  state_->variable_order.push_back(result);
  return result;
}

std::optional<Sym> SymTable::find_variable(std::string_view name) const {
  auto found = state_->variables.find(name);
  if (found == state_->variables.end()) return std::nullopt;
  return found->second->alone;
}

std::vector<Sym> SymTable::variables() const { return state_->variable_order; }

Sym SymTable::loop(std::string_view name, Sym begin, Sym end) {
  const int64_t lo = range(begin).lo, hi = range(end).hi;
  const int64_t last = hi == INT64_MAX || hi == INT64_MIN ? hi : hi - 1;
  // This numeric range of the variable is used only in expressions that are evaluated inside the loop. For a loop without iterations, any
  // range with lo <= hi is correct.
  return SymBuilder::variable(*this, name, true, begin, end, {lo, std::max(lo, last)});
}

Sym SymTable::narrowed(const SymAtom* variable, SymRange bounds) {
  HARP_ASSERT(variable->kind == AtomKind::kVariable && !variable->is_loop, "only shape variables are narrowed, not ", variable->name);
  const SymRange both{std::max(bounds.lo, variable->range.lo), std::min(bounds.hi, variable->range.hi)};
  if ((both.lo == variable->range.lo && both.hi == variable->range.hi) || both.lo > both.hi) return variable->alone;
  return SymBuilder::variable(*this, variable->name, false, 0, 0, both);
}

Sym SymTable::import(Sym foreign) {
  if (foreign.is_constant() || foreign.node()->table == this) return foreign;
  SymSubstitution to_ours;
  for (const SymAtom* v : variables_of(foreign)) {
    HARP_ASSERT(!v->is_loop, "only shape variables are taken over from another table, not the loop variable ", v->name);
    to_ours[v] = variable(v->name, v->range.lo, v->range.hi);
  }
  return substitute(foreign, to_ours);
}

size_t Sym::hash() const { return node_ ? reinterpret_cast<size_t>(node_) * 0x9e3779b97f4a7c15u : std::hash<int64_t>()(value_); }

Sym operator+(Sym a, Sym b) {
  if (a.is_constant() && b.is_constant()) return checked_add(a.constant(), b.constant());
  if (a.is_constant(0)) return b;
  if (b.is_constant(0)) return a;
  Sum sum;
  sum.add(a);
  sum.add(b);
  SymTable& table = *table_of(a, b);
  return a.is_constant() || b.is_constant() ? SymBuilder::intern(table, std::move(sum)) : SymBuilder::finish(table, std::move(sum));
}
Sym operator-(Sym a) { return SymBuilder::multiply(a, -1); }
Sym operator-(Sym a, Sym b) {
  if (a == b) return 0;
  return a + -b;
}
Sym operator*(Sym a, Sym b) { return SymBuilder::multiply(a, b); }
Sym product(std::span<const Sym> factors) {
  Sym result = 1;
  for (const Sym& f : factors) result = result * f;
  return result;
}

}  // namespace harp
