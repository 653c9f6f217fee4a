#include "lower/custom_chains.h"

#include <algorithm>
#include <optional>

#include "ir/rewrite.h"
#include "ir/walk.h"
#include "lower/accumulate.h"
#include "lower/custom_body.h"
#include "lower/lower.h"

namespace harp::lower {
namespace {

using namespace ir;

/// accumulator = op(accumulator, added)
struct Combination {
  int accumulator;
  Op op;
  DType dtype;
  const UOp* added;
};

bool is_accumulator(const UOp* u, int accumulator) { return u->kind == UKind::kAcc && u->buffer == accumulator; }

std::optional<Op> operation(const UOp& u) {
  if (u.kind == UKind::kCall) return u.function->op;
  return u.kind == UKind::kAlu ? std::optional(u.op) : std::nullopt;
}

/// Tests whether lanes can compute the value of consecutive iterations: it depends on no accumulator, checks no index, and its positions
/// are linear in the loop's variable.
bool fits_lanes(const UOp* value, const SymAtom* variable) {
  return !any_uop({value}, [&](const UOp* u) {
    return u->kind == UKind::kAcc || u->kind == UKind::kCheck || depends_on(u->stride, variable) ||
           (has_position(u) && !linear_in(u->index, variable));
  });
}

std::optional<Combination> combination_of(const Kernel& kernel, const Loop& loop) {
  const auto* set = loop.body.size() == 1 ? as<AccSet>(loop.body[0]) : nullptr;
  if (set == nullptr || kernel.accumulators[static_cast<size_t>(set->accumulator)].count != 1) return std::nullopt;
  const std::optional<Op> op = operation(*set->value);
  if (!op || !is_int(set->value->type.dtype)) return std::nullopt;
  if (*op != Op::kAdd && *op != Op::kMul && *op != Op::kMax && *op != Op::kMin) return std::nullopt;
  const UOp *a = set->value->sources[0], *b = set->value->sources[1];
  if (!is_accumulator(a, set->accumulator)) std::swap(a, b);
  if (!is_accumulator(a, set->accumulator) || !fits_lanes(b, variable_of(loop.variable))) return std::nullopt;
  return Combination{set->accumulator, *op, set->value->type.dtype, b};
}

Op reduction(Op op) {
  switch (op) {
    case Op::kMul: return Op::kProd;
    case Op::kMax: return Op::kReduceMax;
    case Op::kMin: return Op::kReduceMin;
    default: return Op::kSum;
  }
}

}  // namespace

Stmt* with_chains(Kernel& kernel, Arena& arena, Loop* loop, int lanes) {
  const Sym iterations = loop->end - loop->begin;
  if (lanes < 2 || range(iterations).hi < 2 * lanes) return loop;
  const std::optional<Combination> found = combination_of(kernel, *loop);
  if (!found) return loop;

  const auto parts = static_cast<int>(kernel.accumulators.size());
  kernel.accumulators.push_back(
      {.type = {found->dtype, 1}, .count = lanes, .combine = found->op, .init = identity_of(reduction(found->op), found->dtype)});
  const Sym blocks = floor_div(iterations, lanes);
  Loop* block = new_loop(arena, "block", 0, blocks);
  block->poll_interval = loop->poll_interval == 0 ? 0 : std::max<int64_t>(1, loop->poll_interval / lanes);
  const Lanes in{lanes, arena.syms().loop("lane", 0, lanes)};
  Substituter in_block(arena, {{variable_of(loop->variable), loop->begin + block->variable * lanes + in.at}});
  block->body = {in_each_lane(arena, in, {update_accumulator(arena, parts, in.at, in_block(found->added))})};
  auto* fold = arena.statement<AccFold>();
  fold->accumulator = parts;
  const UOp *before = arena.acc(found->dtype, found->accumulator, 0), *added = arena.acc(found->dtype, parts, 0);
  Stmt* joined = set_accumulator(arena, found->accumulator, 0, arena.apply(found->op, found->dtype, {before, added}));
  Loop* rest = new_loop(arena, "rest", loop->begin + blocks * lanes, loop->end);
  rest->body = Substituter(arena, {{variable_of(loop->variable), rest->variable}})(loop->body);
  return new_if(arena, iterations - 2 * lanes, {declare_accumulator(arena, parts), block, fold, joined, rest}, {loop});
}

}  // namespace harp::lower
