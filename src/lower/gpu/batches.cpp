#include "lower/gpu/batches.h"

#include <algorithm>

#include "ir/group_accesses.h"
#include "ir/rewrite.h"

namespace harp::lower {

using namespace ir;

Body in_batches(Arena& arena, Sym begin, Sym end, int64_t together, const std::function<Body(Sym)>& make, bool may_unroll) {
  const Sym count = end - begin;
  if (proven_at_most(count, 0)) return {};
  if (count.is_constant() && together > 1 && count.constant() <= (may_unroll ? std::max(together, kMaxIterationsInFlight) : together)) {
    Loop* all = new_loop(arena, "step", 0, count, LoopKind::kUnroll);
    all->body = make(begin + all->variable);
    return {all};
  }
  Body body;
  const Sym batches = floor_div(count, together), rest = begin + batches * together;
  if (together > 1 && !proven_at_most(batches, 0)) {
    Loop *batch = new_loop(arena, "batch", 0, batches), *step = new_loop(arena, "step", 0, together, LoopKind::kUnroll);
    step->body = make(begin + batch->variable * together + step->variable);
    batch->body = {step};
    body.push_back(batch);
  }
  if (together == 1 || !proven_at_most(end, rest)) {
    const Sym left = together == 1 ? begin : rest;
    Loop* step = new_loop(arena, "step", left, end, together > 1 && (end - left).is_constant() ? LoopKind::kUnroll : LoopKind::kSequential);
    step->body = make(step->variable);
    body.push_back(step);
  }
  return body;
}

int64_t iterations_in_flight(int64_t bytes, int64_t cost) {
  constexpr int64_t kBytes = 128, kCheap = 64, kFew = 4;
  return std::clamp<int64_t>(kBytes / bytes, 1, cost > kCheap ? kFew : kMaxIterationsInFlight);
}

Body if_aligned(Arena& arena, const UOp* distances, int64_t elements, Body together, Body single) {
  auto* define = arena.statement<Define>();
  define->variable = arena.syms().loop("aligned", 0, 2);
  define->value = are_multiples(arena, distances, elements);
  define->body = {new_if(arena, define->variable - 1, std::move(together), std::move(single))};
  return {define};
}

}  // namespace harp::lower
