// Implements the rewrite `unroll_divisor`. Reshapes that join or split axes make indices with quotients and remainders of a loop variable:
// x[v // 2] or y[v // 3, v % 3]. Such a loop has no vectors, because its lanes do not step through memory at equal distances. If v is
// written as divisor * q + r, and the body is copied for every r in [0, divisor), then v // divisor is q and v % divisor is r: the loop
// over q has vectors, and conditions on remainders are constant in each copy. The stores of the copies lie next to each other in memory,
// and the renderer writes them as whole vectors.
#include <numeric>

#include "ir/rewrite.h"

namespace harp::ir {
namespace {

constexpr int64_t kMostCopies = 8;  // the largest number of copies of the body
constexpr size_t kMostUOps = 512;   // the largest number of UOps in all copies together

/// Returns the smallest number n > 0 for which the quotients and remainders in the expression become linear in q if the variable is
/// replaced by n * q + r; 1 if there are none. Only those are counted whose divisor is constant and whose dividend is linear in the
/// variable.
int64_t divisor_in(Sym e, const SymAtom* variable, int64_t found) {
  if (e.is_constant()) return found;
  for (const SymTerm& term : e.node()->terms)
    for (const SymAtom* atom : term.factors) {
      if (atom->kind == AtomKind::kVariable || !depends_on(atom->alone, variable)) continue;
      const bool divides = atom->kind == AtomKind::kFloorDiv || atom->kind == AtomKind::kMod;
      const auto linear = divides ? linear_in(atom->a, variable) : std::nullopt;
      if (linear && linear->coefficient.is_constant() && atom->b.is_constant() && atom->b.constant() > 0) {
        const int64_t step = atom->b.constant() / std::gcd(atom->b.constant(), linear->coefficient.constant());
        if (step > kMostCopies) return kMostCopies + 1;
        found = std::lcm(found, step);
      } else {
        for (const Sym& part : {atom->a, atom->b, atom->c}) found = divisor_in(part, variable, found);
      }
      if (found > kMostCopies) return found;
    }
  return found;
}

/// Returns the number of copies that unroll_divisor() makes of the body; 1 if it leaves the loop unchanged.
int64_t copies_of(const Loop* loop, const std::vector<const UOp*>& uops) {
  const SymAtom* variable = variable_of(loop->variable);
  int64_t copies = 1;
  for (const UOp* u : uops) {
    copies = divisor_in(u->index, variable, copies);
    if (copies > kMostCopies) return 1;
  }
  const bool is_aligned = loop->begin.is_constant(0) || mod(loop->begin, copies).is_constant(0);
  return is_aligned && static_cast<size_t>(copies) * uops.size() <= kMostUOps ? copies : 1;
}

}  // namespace

UnrolledDivisor unroll_divisor(Arena& arena, Loop* loop, int width) {
  const auto is_plain = [&](const Stmt* s) {
    const auto* store = as<Store>(s);
    return store != nullptr && store->mask == nullptr && linear_in(store->index, variable_of(loop->variable)).has_value();
  };
  if (width <= 1 || loop->step != 1 || !std::ranges::all_of(loop->body, is_plain)) return {1, loop, {}};
  const int64_t copies = copies_of(loop, uops_of(arena, loop->body));
  if (copies == 1) return {1, loop, {}};
  const SymAtom* variable = variable_of(loop->variable);
  Loop* whole = new_loop(arena, variable->name, floor_div(loop->begin, copies), floor_div(loop->end, copies), loop->loop);
  whole->axis = loop->axis;
  std::vector<Substituter> at;
  for (int64_t r = 0; r < copies; ++r) at.emplace_back(arena, SymSubstitution{{variable, whole->variable * copies + r}});
  auto* group = arena.statement<StoreGroup>();
  for (Stmt* s : loop->body)
    for (Substituter& copy : at) group->body.push_back(copy(Body{s})[0]);
  // Non-temporal stores write whole vectors to adjacent elements; the copies do not.
  for (Stmt* s : group->body) as<Store>(s)->nontemporal = false;
  whole->body = {group};
  if (!can_vectorise(arena, whole, width)) return {1, loop, {}};
  const Sym middle = whole->end * copies;
  if (proven_at_most(loop->end, middle)) return {copies, whole, {}};
  Loop* rest = new_loop(arena, variable->name, middle, loop->end);
  Substituter after(arena, {{variable, rest->variable}});
  rest->body = after(loop->body);
  return {copies, whole, (rest->end - rest->begin).is_constant() ? unroll(arena, rest) : Body{rest}};
}

}  // namespace harp::ir
