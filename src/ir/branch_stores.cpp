// Implements the rewrite `branch_stores`: a stored value that chooses by a size of the run, where b continues the computation of a,
//
//   store y[i] = where(n < 8, a, b)      becomes      store y[i] = a
//                                                     if n >= 8: store y[i] = b
//
// A Where computes both of its values, but the branch skips the rest of the computation. The condition is the same in every iteration, so
// the CPU predicts the branch. The second store of an element hits the same cache line as the first one.
//
// A binary search in a table whose length only the run knows is a chain of such choices (graph/sorting.cpp): each Where ends the search for
// tables of less than 2^k elements. Unlike unswitch(), which copies the whole loop, this emits each step of the search only once.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "ir/rewrite.h"

namespace harp::ir {
namespace {

/// The greatest number of UOps that only the first store needs, because they compute `y[i]` from `a`.
constexpr size_t kMostExtra = 8;

/// Returns an expression that is >= 0 exactly where the UOp is true, if the UOp compares a size with a constant: size < constant.
std::optional<Sym> compared_size(const UOp* u) {
  if (u->kind != UKind::kAlu || u->op != Op::kLt || u->sources[1]->kind != UKind::kConst) return std::nullopt;
  const UOp* size = u->sources[0];
  // A cast of a size that fits the narrower dtype keeps its value.
  const bool is_cast = size->kind == UKind::kAlu && size->op == Op::kCast && size->type.dtype == DType::kI32;
  if (is_cast) size = size->sources[0];
  if (size->kind != UKind::kIndex || !is_int(u->sources[1]->type.dtype)) return std::nullopt;
  if (is_cast && (range(size->index).lo < 0 || range(size->index).hi > std::numeric_limits<int32_t>::max())) return std::nullopt;
  return Sym(static_cast<int64_t>(to_double(u->sources[1]->value)) - 1) - size->index;
}

struct Choice {
  const UOp* condition;
  Sym is_true;  // >= 0 exactly where the condition is true
};

/// Returns the condition of a Where on which the stored value depends, if the condition compares a size that is invariant in the loop. If
/// several qualify, returns one that is not an operand of another one.
std::optional<Choice> find_choice(Arena& arena, Store* store, const SymAtom* variable) {
  std::optional<Choice> best;
  for (const UOp* u : uops_of(arena, {store})) {  // sources before users, so the last match is not an operand of an earlier one
    if (u->kind != UKind::kAlu || u->op != Op::kWhere) continue;
    const std::optional<Sym> condition = compared_size(u->sources[0]);
    if (condition && !depends_on(*condition, variable)) best = Choice{u->sources[0], *condition};
  }
  return best;
}

/// Tests whether the store `second` needs almost everything that the store `first` needs, except for a few cheap operations, and whether
/// `second` loads nothing that `first` may have overwritten.
bool continues(Arena& arena, Store* first, Store* second, std::span<const Param> params) {
  const std::vector<const UOp*> firsts = uops_of(arena, {first}), seconds = uops_of(arena, {second});
  const std::unordered_set<const UOp*> in_first(firsts.begin(), firsts.end()), in_second(seconds.begin(), seconds.end());
  const auto is_overwritten = [&](const UOp* u) {
    return u->kind == UKind::kLoad && !params[static_cast<size_t>(u->buffer)].in_place.empty() && !in_first.contains(u);
  };
  if (std::ranges::any_of(seconds, is_overwritten)) return false;
  std::vector<const UOp*> extra;
  std::ranges::copy_if(firsts, std::back_inserter(extra), [&](const UOp* u) { return !in_second.contains(u); });
  return extra.size() <= kMostExtra && is_short(extra);
}

Body branched(Arena& arena, Store* store, const SymAtom* variable, std::span<const Param> params) {
  Body result, *target = &result;
  while (const std::optional<Choice> choice = find_choice(arena, store, variable)) {
    const auto side = [&](bool taken) {
      Substituter with(arena, {});
      with.replace(choice->condition, arena.constant(Scalar::of(DType::kBool, taken)));
      return as<Store>(with(Body{store})[0]);
    };
    Store *first = side(true), *second = side(false);
    if (!continues(arena, first, second, params)) break;
    // Two non-temporal stores to an address would write the cache line to memory twice.
    first->nontemporal = second->nontemporal = false;
    If* rest = new_if(arena, Sym(-1) - choice->is_true, {});
    target->insert(target->end(), {first, rest});
    target = &rest->body;
    store = second;
  }
  target->push_back(store);
  return result;
}

}  // namespace

void branch_stores(Arena& arena, Loop* loop, std::span<const Param> params) {
  Body result;
  for (Stmt* s : loop->body) {
    auto* store = as<Store>(s);
    const Body statements = store != nullptr ? branched(arena, store, variable_of(loop->variable), params) : Body{s};
    result.insert(result.end(), statements.begin(), statements.end());
  }
  loop->body = std::move(result);
}

}  // namespace harp::ir
