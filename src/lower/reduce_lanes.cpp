// Reductions by lanes: blocks of elements in accumulators that are the vector axis, row after row, or of several rows side by side.
//
// A maximum of many floats, NaN if one is, is kept by lanes of numbers and lanes that find NaN, two elements at a time: that takes less
// than a maximum which does both.
#include <algorithm>

#include "lower/reduce_lowering.h"

namespace harp::lower {

using namespace ir;

Body ReduceLowering::lanes(const Index& kept) {
  Body body;
  rows_.declare(accumulators_, std::nullopt, body);
  for (Stmt* s : passes(kept, c_.plan.passes)) body.push_back(s);
  return body;
}

// --- rows apart, and late ones -----------------------------------------------------------------------------------------------

int64_t ReduceLowering::rows_apart() const {
  const int64_t together = c_.schedule.axes[kept_.size() - 1].unroll;
  const Dim &rows = size(kept_.back()), count = element_count(sizes(inner_));
  const bool have_only_sums = c_.plan.passes.size() == 1 && c_.plan.passes[0].row_values.empty() && c_.plan.passes[0].row_stores.empty();
  const bool are_even = rows.is_constant() && rows.constant() % together == 0;
  return have_only_sums && are_even && outer_.empty() && proven_at_most(count, kLaneBlock) ? together : 1;
}

Body ReduceLowering::lanes_of_rows_apart(const Index& outer_kept, int64_t together) {
  const Sym share = size(kept_.back()).constant() / together, count = element_count(sizes(inner_));
  Stmt* row = new_loop(arena_, cat("oidx", kept_.size() - 1), 0, share);
  std::vector<Level> levels;
  std::vector<Index> kept;
  pass_ = c_.plan.passes.data();
  for (int64_t i = 0; i < together; ++i) {
    levels.push_back(new_level(kLanes));
    declare(levels.back(), row->body);
    kept.push_back(outer_kept);
    kept.back().push_back(row->variable + share * i);
  }
  const auto lane_of_each = [&](Sym lanes, Sym first) {
    Stmt* lane = new_loop(arena_, "lane", 0, lanes);
    for (size_t i = 0; i < kept.size(); ++i) visit(levels[i], lane->variable, source_index(kept[i], 0, first + lane->variable), lane->body);
    return vector_lanes(arena_, lane, simd_width_);
  };
  const Sym full = floor_div(count, kLanes) * kLanes;
  if (!proven_at_most(full, 0)) {
    Stmt* steps = new_loop(arena_, next_name(), 0, full);
    steps->step = kLanes;
    steps->body = lane_of_each(kLanes, steps->variable);
    row->body.push_back(steps);
  }
  if (!proven_at_most(count, full))
    for (Stmt* s : lane_of_each(count - full, full)) row->body.push_back(s);
  for (size_t i = 0; i < kept.size(); ++i) {
    fold(levels[i], std::nullopt, row->body);
    results_ = {{pass_, levels[i], 1}};
    bind_results(0);
    for (Stmt* s : store_outputs(c_, pass_->stores, kept[i])) row->body.push_back(s);
  }
  return {row};
}

Body ReduceLowering::late_rows(const Index& outer_kept) {
  constexpr int64_t kRowsOfShare = 16;
  Sym begin = 0, end = size(kept_.back());
  Stmt* shares = nullptr;
  if (kept_.size() == 1) {
    shares = new_loop(arena_, "share", 0, ceil_div(end, kRowsOfShare));
    begin = shares->variable * kRowsOfShare;
    end = min(begin + kRowsOfShare, end);
  }
  rows_.alternate_along(kept_.back());
  Body body;
  rows_.declare(accumulators_, std::nullopt, body);
  late_.emplace(c_, accumulators_, rows_, kept_, simd_width_);
  late_->declare(body);
  Stmt* row = new_loop(arena_, cat("oidx", kept_.size() - 1), begin, end);
  Index kept = outer_kept;
  kept.push_back(row->variable);
  late_->begin_row(kept, begin);
  const Body statements = passes(kept, std::span(c_.plan.passes).first(c_.plan.passes.size() - 1));
  Body keeps;
  for (const Results& done : results_)
    for (size_t r = 0; r < done.pass->reduces.size(); ++r) late_->keep(*done.pass->reduces[r], result(done, r, 0), keeps);
  row->body = late_->around(statements, keeps);
  body.push_back(row);
  kept.back() = end - 1;
  for (Stmt* s : late_->last_row(kept, end - begin - 1)) body.push_back(s);
  if (shares == nullptr) return body;
  shares->body = std::move(body);
  return {shares};
}

// --- blocks ------------------------------------------------------------------------------------------------------------------

Body ReduceLowering::lane_pass(const Index& kept) {
  const Shape inner_shape = sizes(inner_), outer_shape = sizes(outer_);
  const Sym count = element_count(inner_shape);
  std::vector<Level> levels;
  for (int l = levels_of(*pass_, count, kLaneBlock); l-- > 0;) levels.push_back(new_level(kLanes));
  if (finds_nan_apart(count)) levels[0].nans = accumulators_.add(pass_->reduces, simd_width_);
  std::vector<Sym> counts = {count};
  while (counts.size() < levels.size()) counts.push_back(ceil_div(counts.back(), kLaneBlock));

  const auto value_at = [&](Sym outer) {
    Body body;
    lane_blocks(
        levels, counts, levels.size() - 1, 0, counts.back(), [&](Sym inner) { return source_index(kept, outer, inner); }, body);
    return body;
  };
  if (outer_.empty()) {
    results_.push_back({pass_, levels.back(), levels.size()});
    return value_at(0);
  }
  const Sym outer_count = element_count(outer_shape);
  std::vector<Level> chain;
  for (int l = levels_of(*pass_, outer_count, kChainBlock); l-- > 0;) chain.push_back(new_level(1));
  Body body;
  chain_blocks(
      chain, outer_count, 1,
      [&](Sym begin, Sym end, Body& into) {
        Stmt* loop = new_loop(arena_, next_name(), begin, end);
        loop->body = value_at(loop->variable);
        carry(levels.back(), 0, chain[0], 0, loop->body);
        into.push_back(loop);
      },
      body);
  results_.push_back({pass_, chain.back(), levels.size() + chain.size()});
  return body;
}

void ReduceLowering::lane_blocks(const std::vector<Level>& levels, const std::vector<Sym>& counts, size_t level, Sym begin, Sym end,
                                 const IndexAt& index_at, Body& body) {
  declare(levels[level], body);
  std::optional<Sym> used;  // lanes, where it may be one only
  if (level == 0) {
    const Sym full = begin + floor_div(end - begin, kLanes) * kLanes;
    if (!proven_at_most(full, begin)) {
      Stmt* steps = new_loop(arena_, next_name(), begin, full);
      steps->step = kLanes;
      steps->body = levels[0].nans.empty() ? lane_loop(levels[0], kLanes, steps->variable, index_at)
                                           : number_lanes(levels[0], steps->variable, index_at);
      if (simd_width_ > 1 && !pass_->row_values.empty() && outer_.empty()) ask_while_computing(index_at(steps->variable), steps->body);
      if (late_ && pass_ + 2 == c_.plan.passes.data() + c_.plan.passes.size()) {
        steps->body.push_back(late_->beside(steps->variable));
        bind_results(0);
        for (const RowPass* done = c_.plan.passes.data(); done != pass_; ++done) rows_.bind(*done);
      }
      for (Stmt* s : asking_for_pages(steps)) body.push_back(s);
    }
    if (!proven_at_most(end, full)) {
      // an extreme may meet an element twice
      const bool may_overlap = !levels[0].nans.empty() && proven_at_most(kLanes, end - begin) && pass_->row_stores.empty();
      const Body rest = may_overlap ? number_lanes(levels[0], end - kLanes, index_at) : lane_loop(levels[0], end - full, full, index_at);
      body.insert(body.end(), rest.begin(), rest.end());
    }
    for (size_t r = 0; r < levels[0].nans.size(); ++r) {
      Stmt* lane = new_loop(arena_, "lane", 0, simd_width_);
      const UOp* found = arena_.acc(accumulator_dtype(*pass_->reduces[r]), levels[0].nans[r], lane->variable);
      lane->body = {update_accumulator(arena_, levels[0].accumulators[r], lane->variable, found)};
      for (Stmt* s : vector_lanes(arena_, lane, simd_width_)) body.push_back(s);
    }
  } else {
    Stmt* blocks = new_loop(arena_, cat("block", level), begin, end);
    const Sym first = blocks->variable * kLaneBlock;
    lane_blocks(levels, counts, level - 1, first, min(first + kLaneBlock, counts[level - 1]), index_at, blocks->body);
    carry(levels[level - 1], 0, levels[level], mod(blocks->variable - begin, kLanes), blocks->body);
    body.push_back(blocks);
    if (!proven_less(1, end - begin)) used = end - begin;
  }
  fold(levels[level], used, body);
}

// --- lanes -------------------------------------------------------------------------------------------------------------------

Body ReduceLowering::lane_loop(const Level& level, Sym count, Sym start, const IndexAt& index_at) {
  Stmt* lane = new_loop(arena_, "lane", 0, count);
  visit(level, lane->variable, index_at(start + lane->variable), lane->body);
  return vector_lanes(arena_, lane, simd_width_);
}

// With the vectors of AVX-512, which has the instructions, where the lanes meet often enough.
bool ReduceLowering::finds_nan_apart(Sym count) const {
  constexpr int64_t kFew = 256;
  const auto is_extreme_of_floats = [&](const Node* reduce) {
    const DType dtype = accumulator_dtype(*reduce);
    return (reduce->op == Op::kReduceMax || reduce->op == Op::kReduceMin) && is_float(dtype) &&
           simd_width_ * static_cast<int64_t>(size_of(dtype)) == kLineBytes;
  };
  return std::all_of(pass_->reduces.begin(), pass_->reduces.end(), is_extreme_of_floats) && !proven_at_most(count, kFew);
}

// Of two that are looked at together one is loaded for both uses; with both that would be slower from beyond the second cache (0.9 of
// the speed), as gcc does it, with neither, from within (0.92).
Body ReduceLowering::number_lanes(const Level& level, Sym start, const IndexAt& index_at) {
  Body body;
  const auto each_lane = [&](Sym count, auto visit_lane) {
    Stmt* lane = new_loop(arena_, "lane", 0, count);
    visit_lane(lane->variable, lane->body);
    for (Stmt* s : vector_lanes(arena_, lane, simd_width_)) body.push_back(s);
  };
  const auto element = [&](size_t r, Sym lane, bool loads_once) {
    const UOp* value = operands(r, index_at(start + lane))[0];
    return loads_once && is_read(value) ? arena_.call(numbers_of(r).in_register, {value}) : value;
  };
  const auto set = [&](int accumulator, Sym lane, const Function* function, std::vector<const UOp*> more, Body& into) {
    more.insert(more.begin(), arena_.acc(function->result, accumulator, lane));
    into.push_back(set_accumulator(arena_, accumulator, lane, arena_.call(function, std::move(more))));
  };
  for (const int64_t half : {int64_t{0}, kLanes / 2})
    each_lane(kLanes / 2, [&](Sym lane, Body& into) {
      const Index index = index_at(start + half + lane);
      rows_.keep(*pass_, index, into);
      for (size_t r = 0; r < pass_->reduces.size(); ++r)
        set(level.accumulators[r], half + lane, numbers_of(r).extreme, {element(r, half + lane, half == 0)}, into);
      for (Stmt* s : store_outputs(c_, pass_->row_stores, rows_.squeezed_index(index))) into.push_back(s);
    });
  for (int64_t first = 0; first < kLanes / 2; first += simd_width_)
    each_lane(simd_width_, [&](Sym lane, Body& into) {
      for (size_t r = 0; r < pass_->reduces.size(); ++r) {
        set(level.nans[r], lane, numbers_of(r).found_nan, {element(r, first + lane, true), element(r, first + kLanes / 2 + lane, false)},
            into);
      }
    });
  return body;
}

ExtremeOfNumbers ReduceLowering::numbers_of(size_t r) {
  const Node& reduce = *pass_->reduces[r];
  return build_extreme_of_numbers(arena_, combine_of(reduce.op), accumulator_dtype(reduce));
}

}  // namespace harp::lower
