// Implements the rewrite `unswitch`: a mask that is invariant in a loop (for example whether a row of a padded array is inside the source)
// becomes one test before the loop.
#include <algorithm>

#include "ir/rewrite.h"

namespace harp::ir {
namespace {

constexpr int kMaxConditions = 2;  // each condition doubles the code

/// Converts a bool to an expression that is >= 0 exactly where the bool is true. Returns nullopt unless the bool is a condition of the form
/// "position >= 0" (in_range), or a conjunction of such conditions.
std::optional<Sym> as_condition(const UOp* u) {
  if (u->kind == UKind::kInRange) return u->index;
  if (u->kind == UKind::kAlu && u->op == Op::kBitAnd && u->type.dtype == DType::kBool) {
    const auto a = as_condition(u->sources[0]), b = as_condition(u->sources[1]);
    if (a && b) return min(*a, *b);
  }
  return std::nullopt;
}

/// Returns a condition that is invariant in the loop and is the mask of a load or the condition of a Where; null if there is none. If
/// several conditions qualify, returns one that is not an operand of another one.
const UOp* find_condition(Arena& arena, const Loop* loop) {
  std::vector<const SymAtom*> inside = {variable_of(loop->variable)};
  for (const Stmt* s : statements_of(loop->body))
    if (const auto variable = variable_in(*s)) inside.push_back(variable_of(*variable));
  const UOp* best = nullptr;
  for (const UOp* u : uops_of(arena, loop->body)) {
    const bool chooses = u->kind == UKind::kAlu && u->op == Op::kWhere;
    const UOp* condition = chooses ? u->sources[0] : is_read(u) ? mask_of(u) : nullptr;
    if (condition == nullptr) continue;
    const auto sym = as_condition(condition);
    if (!sym || std::any_of(inside.begin(), inside.end(), [&](const SymAtom* v) { return depends_on(*sym, v); })) continue;
    best = condition;  // uops_of() lists sources before users, so the last match is not an operand of an earlier one
  }
  return best;
}

Body unswitch(Arena& arena, Loop* loop, int budget) {
  const UOp* condition = budget > 0 ? find_condition(arena, loop) : nullptr;
  if (condition == nullptr) return {loop};
  If* branch = new_if(arena, *as_condition(condition), {});
  for (const bool taken : {true, false}) {
    Substituter with(arena, {});
    with.replace(condition, arena.constant(Scalar::of(DType::kBool, taken)));
    Body copy = with(Body{loop});
    Body& target = taken ? branch->body : branch->otherwise;
    target = unswitch(arena, only_loop_in(copy), budget - 1);
  }
  return {branch};
}

}  // namespace

Body unswitch(Arena& arena, Loop* loop) { return unswitch(arena, loop, kMaxConditions); }

}  // namespace harp::ir
