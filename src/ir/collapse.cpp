// Collapse: for i in [0, A) { for j in [0, B) … i * B + j … } becomes for k in [0, A * B) … k ….
#include "base/error.h"
#include "ir/rewrite.h"

namespace harp::ir {
namespace {

/// Every position expression of the statements: indices and conditions of UOps and statements, bounds of loops.
std::vector<Sym> positions_of(Arena& arena, const Body& body) {
  std::vector<Sym> positions;
  for (const Stmt* s : statements_of(body)) {
    for (const Sym& e : {s->condition, s->begin, s->end, s->index, s->stride, s->length, s->spare_index, s->rows, s->from,
                         s->from_row_stride, s->from_stride})
      positions.push_back(e);
    for (const Stmt::Part& part : s->parts) positions.insert(positions.end(), {part.start, part.row_step, part.step});
  }
  for (const UOp* u : uops_of(arena, body)) positions.insert(positions.end(), {u->index, u->stride});
  return positions;
}

/// Can both loops be written over `joined`? An expression can if putting joined in place of the inner variable (and 0 for the outer),
/// and then outer * extent + inner in place of joined, gives the same normal form again.
bool can_join(Arena& arena, const Stmt* outer, const Stmt* inner, Sym joined) {
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

Stmt* collapse(Arena& arena, Stmt* outermost) {
  std::vector<Stmt*> nest = {outermost};
  while (nest.back()->body.size() == 1 && nest.back()->body[0]->kind == StmtKind::kLoop) nest.push_back(nest.back()->body[0]);
  for (size_t depth = nest.size() - 1; depth-- > 0;) {
    Stmt *outer = nest[depth], *inner = nest[depth + 1];
    if (!outer->begin.is_constant(0) || !inner->begin.is_constant(0) || depends_on(inner->end, variable_of(outer->variable))) continue;
    Stmt* joined = new_loop(arena, variable_of(outer->variable)->name, 0, outer->end * inner->end);
    if (!can_join(arena, outer, inner, joined->variable)) continue;
    Substituter substitute(arena, {{variable_of(outer->variable), 0}, {variable_of(inner->variable), joined->variable}});
    joined->body = substitute(inner->body);
    nest[depth] = joined;
    nest.erase(nest.begin() + static_cast<long>(depth) + 1);
    if (depth > 0) nest[depth - 1]->body = {joined};
  }
  return nest[0];
}

}  // namespace harp::ir
