// Implements a part of the class GroupRows (rows.h): distributes the 64 lanes of a block over the threads of a group.
#include <algorithm>

#include "ir/group_accesses.h"
#include "lower/gpu/batches.h"
#include "lower/gpu/rows.h"
#include "schedule/kernel_structure.h"

namespace harp::lower {

using namespace ir;

bool is_on_groups(const Schedule& schedule) { return !schedule.axes.empty() && schedule.axes.back().kind == AxisKind::kThreadGroup; }

GroupRows::GroupRows(KernelContext& context)
    : ReduceLowering(context),
      threads_(lanes_in_use(first_) / context.schedule.axes.back().simd_width),
      elements_(context.schedule.axes.back().simd_width) {
  rows_.share_among({threads_, elements_});
  context.kernel.row_bytes = rows_.register_bytes();
}

ReduceLowering::BlockLevel GroupRows::new_level(int64_t count) {
  BlockLevel level = ReduceLowering::new_level(count == kLanes ? threads_ * elements_ : count);
  if (count == kLanes)
    for (const int a : level.accumulators) {
      ir::Accumulator& lanes = c_.kernel.accumulators[static_cast<size_t>(a)];
      lanes.space = Space::kRegister, lanes.spread = elements_;
    }
  return level;
}

void GroupRows::carry(const BlockLevel& from, Sym from_element, const BlockLevel& to, Sym to_element, Body& body) {
  const auto accumulator = [&](int a) -> const ir::Accumulator& { return c_.kernel.accumulators[static_cast<size_t>(a)]; };
  if (accumulator(to.accumulators[0]).spread == 0) return ReduceLowering::carry(from, from_element, to, to_element, body);
  std::vector<const UOp*> results;
  for (const int a : from.accumulators) results.push_back(uniform(arena_.acc(accumulator(a).type.dtype, a, from_element), body));
  Loop *group = new_group(), *lane = new_loop(arena_, "lane", 0, elements_, LoopKind::kUnroll);
  const auto update = [&](Sym own) {
    Body updates;
    for (size_t r = 0; r < results.size(); ++r) updates.push_back(update_accumulator(arena_, to.accumulators[r], own, results[r]));
    return Body{new_if(arena_, min(own - to_element, to_element - own), std::move(updates))};
  };
  if (elements_ == 1) {
    group->body = update(group->variable);
  } else {
    lane->body = update(group->variable * elements_ + lane->variable);
    group->body = {lane};
  }
  body.push_back(group);
}

void GroupRows::lane_block(std::span<const BlockLevel> rows, Sym begin, Sym end, const IndexOfRow& index_at, Body& body) {
  const Body all = rounds(begin, end, [&](Sym start, Sym count) {
    Loop* group = new_group();
    group->body = round(group->variable, rows[0], start, count, index_at);
    return Body{group};
  });
  body.insert(body.end(), all.begin(), all.end());
}

Body GroupRows::rounds(Sym begin, Sym end, const std::function<Body(Sym start, Sym count)>& make) {
  const Sym whole = floor_div(end - begin, kLanes), rest = end - begin - whole * kLanes;
  const int64_t bytes = elements_ * static_cast<int64_t>(size_of(first_.sources[0]->dtype));
  const bool is_unrolled = rows_.register_bytes() > 0;
  const int64_t together = is_unrolled ? std::max<int64_t>(1, whole.constant()) : iterations_in_flight(bytes, cost_of_element());
  const auto round = [&](Sym number) { return make(begin + number * kLanes, kLanes); };
  Body body = in_batches(arena_, 0, whole, together, round, !rows_.is_too_long());
  if (proven_at_most(rest, 0)) return body;
  const Body last = make(begin + whole * kLanes, rest);
  body.insert(body.end(), last.begin(), last.end());
  return body;
}

Body GroupRows::round(Sym thread, const BlockLevel& level, Sym start, Sym count, const IndexOfRow& index_at) {
  const Sym own = thread * elements_;
  const auto element = [&](Sym lane) {
    Body statements;
    visit(level, lane, index_at(0, start + lane), statements);
    return statements;
  };
  const auto where = [&](Sym condition, Body statements) {
    return proven_nonnegative(condition) ? std::move(statements) : Body{new_if(arena_, condition, std::move(statements))};
  };
  if (elements_ == 1) return where(count - 1 - own, element(own));
  Loop* lane = new_loop(arena_, "lane", 0, elements_, LoopKind::kUnroll);
  if (mod(count, elements_).is_constant(0)) {
    lane->body = element(own + lane->variable);
    return where(count - elements_ - own, together(lane));
  }
  lane->body = where(count - 1 - own - lane->variable, element(own + lane->variable));
  return {lane};
}

Body GroupRows::together(Loop* elements) {
  if (is_wide_)
    if (auto whole = access_together(arena_, c_.kernel, elements)) {
      distances_ = joined_distances(arena_, distances_, whole->distances);
      return std::move(whole->body);
    }
  return {elements};
}

}  // namespace harp::lower
