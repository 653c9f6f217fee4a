#include "lower/gpu/arg_extreme.h"

#include <limits>

#include "ir/group_accesses.h"
#include "lower/gpu/batches.h"
#include "schedule/kernel_structure.h"

namespace harp::lower {

using namespace ir;

GroupArgExtreme::GroupArgExtreme(KernelContext& context)
    : ArgExtremeLowering(context),
      elements_(context.schedule.axes.back().simd_width),
      threads_(lanes_in_use(*context.plan.reduces[0]) / elements_),
      index_(proven_less(count_, std::numeric_limits<int32_t>::max()) ? DType::kI32 : DType::kI64) {}

void GroupArgExtreme::run() {
  Shape kept;
  for (const size_t axis : kept_) kept.push_back(source_.shape[axis]);
  c_.kernel.body = {loop_over_rows(arena_, kept, elements_, distances_, is_wide_, [&](const Index& position) { return row(position); })};
}

int GroupArgExtreme::new_lanes(DType dtype, Op combine, Scalar init, Body& body) {
  const int added = new_accumulator(dtype, threads_ * elements_, combine, init, body);
  ir::Accumulator& lanes = c_.kernel.accumulators[static_cast<size_t>(added)];
  lanes.space = Space::kRegister, lanes.spread = elements_;
  return added;
}

int GroupArgExtreme::new_unset_lanes(DType dtype, Op combine, Body& body) {
  const int added = new_lanes(dtype, combine, scalar_from_int(dtype, 0), body);
  c_.kernel.accumulators[static_cast<size_t>(added)].is_row = true;
  return added;
}

template <class Visit>
void GroupArgExtreme::each_own_lane(Sym count, Body& body, Visit visit, bool access) {
  Loop *group = new_loop(arena_, "thread", 0, threads_, LoopKind::kGroup),
       *lane = new_loop(arena_, "lane", 0, elements_, LoopKind::kUnroll);
  const Sym own = group->variable * elements_;
  const auto where = [&](Sym condition, Body statements) {
    return proven_nonnegative(condition) ? std::move(statements) : Body{new_if(arena_, condition, std::move(statements))};
  };
  body.push_back(group);
  if (elements_ == 1) {
    Body statements;
    visit(own, statements);
    group->body = where(count - 1 - own, std::move(statements));
    return;
  }
  Body statements;
  visit(own + lane->variable, statements);
  if (!mod(count, elements_).is_constant(0)) {
    lane->body = where(count - 1 - own - lane->variable, std::move(statements));
    group->body = {lane};
    return;
  }
  lane->body = std::move(statements);
  Body all = {lane};
  if (access && is_wide_)
    if (auto whole = access_together(arena_, c_.kernel, lane)) {
      distances_ = joined_distances(arena_, distances_, whole->distances);
      all = std::move(whole->body);
    }
  group->body = where(count - elements_ - own, std::move(all));
}

const UOp* GroupArgExtreme::folded_lanes(int accumulator, Body& body) {
  body.push_back(folded(accumulator));
  const DType dtype = c_.kernel.accumulators[static_cast<size_t>(accumulator)].type.dtype;
  const int result = accumulators_.add(dtype, 1, Op::kAdd, scalar_from_int(dtype, 0));
  body.push_back(declare_accumulator(arena_, result, acc(accumulator, 0)));
  return acc(result, 0);
}

Body GroupArgExtreme::row(const Index& position) {
  const int64_t lanes = threads_ * elements_;
  const auto both = [&](Op op, const UOp* a, const UOp* b) { return arena_.apply(op, DType::kBool, {a, b}); };
  const auto is_not = [&](const UOp* a) { return arena_.apply(Op::kBitNot, DType::kBool, {a}); };
  Body body;
  const int best = new_lanes(dtype_, extreme_, accumulator_identity(c_.plan.reduces[0]->op, source_), body);
  const int index = new_unset_lanes(index_, Op::kMin, body);
  // Initially, the index of a lane is that of its first element. If all elements of the lane equal the identity, none is better than the
  // initial value of `best`. The index of the first element then remains, which is correct.
  each_own_lane(lanes, body, [&](Sym lane, Body& into) {
    const UOp* first = number(index_, lane);
    if (!proven_at_most(lanes, count_)) first = choose(arena_.in_range(count_ - 1 - lane), first, no_index(index_));
    into.push_back(set_accumulator(arena_, index, lane, first));
  });
  const auto step = [&](Sym start, Sym count) {
    Body statements;
    each_own_lane(
        count, statements,
        [&](Sym lane, Body& into) {
          const UOp *x = element(position, start + lane), *before = acc(best, lane), *wins = is_better(before, x);
          if (has_nan()) wins = both(Op::kBitOr, wins, both(Op::kBitAnd, is_nan(x), is_not(is_nan(before))));
          into.push_back(set_accumulator(arena_, index, lane, choose(wins, number(index_, start + lane), acc(index, lane))));
          into.push_back(set_accumulator(arena_, best, lane, arena_.apply(extreme_, dtype_, {before, x})));
        },
        true);
    return statements;
  };
  const Sym steps = floor_div(count_, kLanes), rest = count_ - steps * kLanes;
  const int64_t bytes = elements_ * static_cast<int64_t>(size_of(source_.dtype));
  add(in_batches(arena_, 0, steps, iterations_in_flight(bytes, 0), [&](Sym number) { return step(number * kLanes, kLanes); }), body);
  if (!proven_at_most(rest, 0)) add(step(steps * kLanes, rest), body);

  const int top = new_unset_lanes(dtype_, extreme_, body);
  each_own_lane(lanes, body, [&](Sym lane, Body& into) { into.push_back(set_accumulator(arena_, top, lane, acc(best, lane))); });
  const UOp* extreme = folded_lanes(top, body);
  const int first = new_unset_lanes(index_, Op::kMin, body);
  each_own_lane(lanes, body, [&](Sym lane, Body& into) {
    const UOp *own = acc(best, lane), *is_best = equal(own, extreme);
    if (has_nan()) is_best = both(Op::kBitOr, is_best, both(Op::kBitAnd, is_nan(own), is_nan(extreme)));
    into.push_back(set_accumulator(arena_, first, lane, choose(is_best, acc(index, lane), no_index(index_))));
  });
  const UOp* found = arena_.cast(DType::kI64, folded_lanes(first, body));
  if (!proven_positive(count_)) found = choose(arena_.in_range(count_ - 1), found, number(DType::kI64, 0));
  Loop* group = new_loop(arena_, "thread", 0, threads_, LoopKind::kGroup);
  Body stores;
  store(position, found, extreme, stores);
  group->body = {new_if(arena_, -group->variable, std::move(stores))};
  body.push_back(group);
  return body;
}

}  // namespace harp::lower
