// Implements the rewrites `collapse` and `flatten`, which fuse the loops of a nest. collapse() fuses adjacent loops where the indices allow
// it: `for i in [0, A) { for j in [0, B) … i * B + j … }` becomes `for k in [0, A * B) … k …`. It never fuses a group loop
// (LoopKind::kGroup), because the iterations of that loop are the threads of a block. flatten() fuses all loops of a nest: i and j become
// k // B and k % B.
#include "base/error.h"
#include "ir/rewrite.h"

namespace harp::ir {
namespace {

/// Returns every position expression of the statements: indices and conditions of UOps and statements, and loop bounds.
std::vector<Sym> positions_of(Arena& arena, const Body& body) {
  std::vector<Sym> positions;
  for (const Stmt* s : statements_of(body)) for_each_position(*s, [&](Sym e) { positions.push_back(e); });
  for (const UOp* u : uops_of(arena, body)) positions.insert(positions.end(), {u->index, u->lane_step, u->stride});
  return positions;
}

/// Tests whether one loop over the variable `joined` can replace both loops. Each position expression must survive a round trip: first the
/// inner variable is replaced by `joined` and the outer one by 0, then `joined` is replaced by outer * extent + inner. The result must have
/// the same normal form as the original expression.
bool can_join(Arena& arena, const Loop* outer, const Loop* inner, Sym joined) {
  const SymAtom *i = variable_of(outer->variable), *j = variable_of(inner->variable);
  const Sym pair = outer->variable * inner->end + inner->variable;
  for (const Sym& e : positions_of(arena, inner->body)) {
    if (!depends_on(e, i) && !depends_on(e, j)) continue;
    const Sym together = substitute(e, {{i, 0}, {j, joined}});
    if (!(substitute(together, {{variable_of(joined), pair}}) == e)) return false;
  }
  return true;
}

}  // namespace

Loop* collapse(Arena& arena, Loop* outermost) {
  std::vector<Loop*> nest = {outermost};
  while (Loop* inner = only_loop_in(nest.back()->body)) nest.push_back(inner);
  for (size_t depth = nest.size() - 1; depth-- > 0;) {
    Loop *outer = nest[depth], *inner = nest[depth + 1];
    if (outer->loop == LoopKind::kGroup || inner->loop == LoopKind::kGroup) continue;
    if (!outer->begin.is_constant(0) || !inner->begin.is_constant(0) || depends_on(inner->end, variable_of(outer->variable))) continue;
    Loop* joined = new_loop(arena, variable_of(outer->variable)->name, 0, outer->end * inner->end);
    if (!can_join(arena, outer, inner, joined->variable)) continue;
    Substituter substitute(arena, {{variable_of(outer->variable), 0}, {variable_of(inner->variable), joined->variable}});
    joined->body = substitute(inner->body);
    joined->axis = inner->axis;
    joined->tags = inner->tags;
    nest[depth] = joined;
    nest.erase(nest.begin() + static_cast<long>(depth) + 1);
    if (depth > 0) nest[depth - 1]->body = {joined};
  }
  return nest[0];
}

Loop* flatten(Arena& arena, Loop* outermost) {
  std::vector<Loop*> nest = {outermost};
  while (Loop* inner = only_loop_in(nest.back()->body)) nest.push_back(inner);
  if (nest.size() == 1) {
    outermost->tags = {};
    return outermost;
  }
  Sym count = 1;
  for (const Loop* loop : nest) {
    HARP_ASSERT(loop->begin.is_constant(0) && loop->step == 1, "a loop to be collapsed runs from 0 in steps of 1, not from ",
                to_string(loop->begin), " in steps of ", loop->step);
    count *= loop->end;
  }
  Loop* all = new_loop(arena, variable_of(outermost->variable)->name, 0, count);
  SymSubstitution indices;
  Sym inside = 1;  // product of the extents of the loops nested inside the loop at `depth`
  for (size_t depth = nest.size(); depth-- > 0;) {
    const Sym quotient = floor_div(all->variable, inside);
    indices[variable_of(nest[depth]->variable)] = depth == 0 ? quotient : mod(quotient, nest[depth]->end);
    inside *= nest[depth]->end;
  }
  Substituter substitute(arena, std::move(indices));
  all->body = substitute(nest.back()->body);
  all->axis = nest.back()->axis;
  return all;
}

}  // namespace harp::ir
