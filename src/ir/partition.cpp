// Implements the rewrite `partition`, which splits a loop where a condition on its variable changes (index-set splitting), as at the
// borders of a pad, concat or roll. A condition k * v + r >= 0 with constant k changes once within a loop over v. After a split at that
// point, the condition is provably true in one part and false in the other, and constant folding removes masks and selects.
#include <algorithm>

#include "ir/rewrite.h"

namespace harp::ir {
namespace {

/// Appends the conditions of all selects inside the position expression e to `conditions`.
void collect_selects(Sym e, std::vector<Sym>& conditions) {
  if (e.is_constant()) return;
  for (const SymTerm& t : e.node()->terms)
    for (const SymAtom* f : t.factors) {
      if (f->kind == AtomKind::kVariable) continue;
      if (f->kind == AtomKind::kSelect) conditions.push_back(f->c);
      for (const Sym& part : {f->a, f->b, f->c}) collect_selects(part, conditions);
    }
}

/// Returns the first value of the loop's variable v at which `condition` >= 0 changes: it has one truth value for smaller v and the other
/// from this value on. Returns nullopt if the condition does not have the form k * v + r with a constant k != 0, or if r depends on a
/// variable that is defined inside the loop.
std::optional<Sym> border(Sym condition, const Loop* loop) {
  const auto linear = linear_in(condition, variable_of(loop->variable));
  if (!linear || !linear->coefficient.is_constant() || linear->coefficient.is_constant(0)) return std::nullopt;
  for (const Stmt* s : statements_of(loop->body))
    if (const auto inside = variable_in(*s); inside && depends_on(linear->rest, variable_of(*inside))) return std::nullopt;
  const int64_t k = linear->coefficient.constant();
  // k > 0: the condition is true from v = ceil(-r / k) on; k < 0: it is false from v = floor(r / -k) + 1 on
  return k > 0 ? ceil_div(-linear->rest, k) : floor_div(linear->rest, -k) + 1;
}

std::vector<Sym> conditions_of(Arena& arena, const Body& body) {
  std::vector<Sym> conditions;
  for (const UOp* u : uops_of(arena, body)) {
    if (u->kind == UKind::kInRange) conditions.push_back(u->index);
    collect_selects(u->index, conditions);
  }
  for (const Stmt* s : statements_of(body))
    visit(*s, [&](const auto& of) {
      if constexpr (requires { of.index; }) collect_selects(of.index, conditions);
    });
  return conditions;
}

std::vector<Sym> borders_of(Arena& arena, const Loop* loop) {
  std::vector<Sym> borders;
  for (Sym c : conditions_of(arena, loop->body))
    if (auto b = border(c, loop); b && std::find(borders.begin(), borders.end(), *b) == borders.end()) borders.push_back(*b);
  // Constant borders come first, in ascending order: partition() takes the first constant that splits the loop and skips the others, which
  // are larger.
  std::stable_sort(borders.begin(), borders.end(),
                   [](const Sym& a, const Sym& b) { return a.is_constant() && (!b.is_constant() || a.constant() < b.constant()); });
  return borders;
}

/// Makes a loop over the iterations [begin, end) of `loop`, with a new variable. In every iteration that runs, the variable is in [from,
/// to); these become the bounds of the new variable.
Loop* over(Arena& arena, const Loop* loop, Sym begin, Sym end, Sym from, Sym to) {
  const SymAtom* old = variable_of(loop->variable);
  Loop* part = new_loop(arena, old->name, begin, end, loop->loop);
  part->variable = arena.syms().loop(old->name, from, to);
  Substituter substitute(arena, {{old, part->variable}});
  part->body = substitute(loop->body);
  return part;
}

bool is_empty(const Loop* loop) { return proven_at_most(loop->end, loop->begin); }

}  // namespace

bool has_borders(Arena& arena, const Body& body) { return !conditions_of(arena, body).empty(); }

std::vector<Loop*> partition(Arena& arena, Loop* loop, int budget) {
  // done: finished parts, in order; work: a stack of parts that may be split further, the leftmost on top.
  std::vector<Loop*> done, work = {loop};
  int splits = budget - 1;
  while (!work.empty()) {
    Loop* part = work.back();
    work.pop_back();
    if (is_empty(part)) continue;
    // Split at the leftmost border first, so that the remaining borders are in the right part.
    std::optional<Sym> at, chosen;
    if (splits > 0) {
      for (const Sym& b : borders_of(arena, part)) {
        // the border chosen before is a smaller constant, because constants are in ascending order
        if (chosen && chosen->is_constant() && b.is_constant()) continue;
        if (proven_at_most(b, part->begin) || proven_at_most(part->end, b)) continue;
        const Sym inside = max(part->begin, min(b, part->end));
        if (inside == part->begin || inside == part->end) continue;
        if (!at || proven_less(inside, *at)) at = inside, chosen = b;
      }
    }
    if (!at) {
      done.push_back(part);
      continue;
    }
    --splits;
    // The loops are split at `at`, which is the border limited to the part, because the border may be outside of it. The bounds of the new
    // variables use the border itself, so that the condition can be proved from them: each value in the left part is below the border, and
    // each value in the right part is at least the border.
    work.push_back(over(arena, part, *at, part->end, max(part->begin, *chosen), part->end));
    work.push_back(over(arena, part, part->begin, *at, part->begin, min(*chosen, part->end)));
  }
  return done;
}

}  // namespace harp::ir
