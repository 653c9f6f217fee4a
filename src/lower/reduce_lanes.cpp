// Lowers reductions in the order `lanes` (docs/semantics.md, "Sums"): a block of elements is reduced into an accumulator of 64 lanes, or
// fewer for short rows. The lanes are the vector axis. Rows are processed one after the other, or several at the same time (interleaved).
//
// A max over many floats must return NaN if an element is NaN. It uses two sets of lanes: lanes that compute the max of all elements other
// than NaN, and NaN lanes, which only detect NaN, two elements at a time. This is cheaper than a max that does both.
//
// The lanes of a step are scheduled here, before the rest of the kernel (ir::apply_tags), because the resulting vectors decide which cache
// lines the step prefetches. The steps of interleaved rows are also unrolled here (unroll_and_jam), because that depends on the number of
// rows.
#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>
#include <vector>

#include "lower/masked_end.h"
#include "lower/reduce_lowering.h"

namespace harp::lower {

using namespace ir;

Body ReduceLowering::lanes(const Index& kept) {
  return with_nan_retry([&] {
    Body body;
    rows_.declare(accumulators_, std::nullopt, body);
    for (Stmt* s : passes(kept, c_.plan.passes)) body.push_back(s);
    return body;
  });
}

// --- interleaved rows, and deferred stores ----------------------------------------------------------------------------------

int64_t ReduceLowering::interleaved_rows() const {
  const int64_t together = c_.schedule.axes[kept_.size() - 1].unroll;
  const bool have_only_sums = c_.plan.passes.size() == 1 && c_.plan.passes[0].row_values.empty() && c_.plan.passes[0].row_stores.empty();
  return have_only_sums && outer_.empty() && proven_at_most(element_count(sizes(inner_)), kLaneBlock) ? together : 1;
}

Sym ReduceLowering::index_of_stream(int64_t stream, Sym at, Sym share, Sym count) {
  // 1 if index share * stream + at exists, else 0
  const Sym exists = proven_at_most(share * (stream + 1), count) ? Sym(1) : min(max(count - share * stream - at, 0), 1);
  return at + share * stream * exists;
}

// If the number of rows is not a multiple of the number of streams, some streams run out of rows early. In place of the missing row such a
// stream processes the first stream's current row once more, on the same worker. That is harmless, because storing a result a second time
// overwrites nothing that is still read: only kernels that store a value for each element of a row (row_stores) may store in place, and
// their rows are never interleaved.
Body ReduceLowering::reduce_interleaved_rows(const Index& outer_kept, int64_t together) {
  const Sym rows = size(kept_.back()), count = element_count(sizes(inner_));
  const Sym share = ceil_div(rows, together);
  Loop* row = new_loop(arena_, cat("oidx", kept_.size() - 1), 0, share);
  std::vector<Index> kept;
  pass_ = c_.plan.passes.data();
  for (int64_t i = 0; i < together; ++i) {
    kept.push_back(outer_kept);
    kept.back().push_back(index_of_stream(i, row->variable, share, rows));
  }
  row->body = with_nan_retry([&] {
    Body body;
    std::vector<BlockLevel> levels;
    const auto index_at = [&](size_t i, Sym inner) { return source_index(kept[i], 0, inner); };
    const bool has_nan_lanes = nan_lanes_pay(count, [&](Sym inner) { return index_at(0, inner); });
    for (int64_t i = 0; i < together; ++i) {
      levels.push_back(lane_level(count, has_nan_lanes));
      declare(levels.back(), body);
    }
    lane_block(levels, 0, count, index_at, body);
    // The folds come directly after one another, so that the renderer can combine the vectors of two folds.
    for (const BlockLevel& level : levels) fold(level, std::nullopt, body);
    for (size_t i = 0; i < kept.size(); ++i) {
      results_ = {{pass_, levels[i], 1}};
      bind_results(0);
      for (Stmt* s : store_outputs(c_, pass_->stores, kept[i])) body.push_back(s);
    }
    return body;
  });
  return {row};
}

Body ReduceLowering::rows_with_deferred_stores(const Index& outer_kept) {
  constexpr int64_t kRowsOfShare = 16;
  Sym begin = 0, end = size(kept_.back());
  Loop* shares = nullptr;
  if (kept_.size() == 1) {
    shares = new_loop(arena_, "share", 0, ceil_div(end, kRowsOfShare));
    begin = shares->variable * kRowsOfShare;
    end = min(begin + kRowsOfShare, end);
  }
  rows_.alternate_along(kept_.back());
  Body body;
  rows_.declare(accumulators_, std::nullopt, body);
  deferred_.emplace(c_, accumulators_, rows_, kept_, simd_width_);
  deferred_->declare(body);
  Loop* row = new_loop(arena_, cat("oidx", kept_.size() - 1), begin, end);
  Index kept = outer_kept;
  kept.push_back(row->variable);
  deferred_->begin_row(kept, begin);
  const Body statements = passes(kept, std::span(c_.plan.passes).first(c_.plan.passes.size() - 1));
  Body keeps;
  for (const Results& done : results_)
    for (size_t r = 0; r < done.pass->reduces.size(); ++r) deferred_->keep(*done.pass->reduces[r], result(done, r, 0), keeps);
  row->body = deferred_->complete_row(statements, keeps);
  body.push_back(row);
  kept.back() = end - 1;
  for (Stmt* s : deferred_->last_row(kept, end - begin - 1)) body.push_back(s);
  if (shares == nullptr) return body;
  shares->body = std::move(body);
  return {shares};
}

// --- blocks ------------------------------------------------------------------------------------------------------------------

Body ReduceLowering::lane_pass(const Index& kept) {
  const Shape inner_shape = sizes(inner_), outer_shape = sizes(outer_);
  const Sym count = element_count(inner_shape);
  const bool has_nan_lanes = nan_lanes_pay(count, [&](Sym inner) { return source_index(kept, 0, inner); });
  std::vector<BlockLevel> levels;
  for (int l = levels_of(*pass_, count, kLaneBlock, 1, c_.holds); l-- > 0;)
    levels.push_back(levels.empty() ? lane_level(count, has_nan_lanes) : new_level(kLanes));
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
    const bool has_parts = is_free_of_order(*pass_) && parts_together() > 1 && lanes_of(count) == kLanes;
    return has_parts ? reduce_row_parts(levels[0], count, kept) : value_at(0);
  }
  const Sym outer_count = element_count(outer_shape);
  std::vector<BlockLevel> chain;
  for (int l = levels_of(*pass_, outer_count, kChainBlock, 1, c_.holds); l-- > 0;) chain.push_back(new_level(1));
  Body body;
  chain_blocks(
      chain, outer_count, 1,
      [&](Sym begin, Sym end, Body& into) {
        Loop* loop = new_loop(arena_, next_name(), begin, end);
        loop->body = value_at(loop->variable);
        carry(levels.back(), 0, chain[0], 0, loop->body);
        into.push_back(loop);
      },
      {}, body);
  results_.push_back({pass_, chain.back(), levels.size() + chain.size()});
  return body;
}

int64_t ReduceLowering::parts_together() const { return c_.schedule.axes.back().unroll; }

// Requires a reduction that may combine elements in any order. The remainder of the row must be processed before the other parts are merged
// into `level`: the merge may set lanes of `level` to NaN, and number_lanes() would ignore that NaN.
Body ReduceLowering::reduce_row_parts(const BlockLevel& level, Sym count, const Index& kept) {
  const int64_t together = parts_together();
  const Sym part = floor_div(count, kLanes * together) * kLanes;
  Body body;
  std::vector<BlockLevel> parts = {level};
  while (std::ssize(parts) < together) parts.push_back(lane_level(count, !level.nans.empty()));
  for (const BlockLevel& one : parts) declare(one, body);
  lane_block(
      parts, 0, part, [&](size_t i, Sym inner) { return source_index(kept, 0, part * static_cast<int64_t>(i) + inner); }, body);
  lane_block(
      {&level, 1}, part * together, count, [&](size_t, Sym inner) { return source_index(kept, 0, inner); }, body);
  Loop* lane = new_loop(arena_, "lane", 0, kLanes);
  for (size_t i = 1; i < parts.size(); ++i) carry(parts[i], lane->variable, level, lane->variable, lane->body);
  for (Stmt* s : vector_lanes(lane, simd_width_)) body.push_back(s);
  fold(level, std::nullopt, body);
  return body;
}

// In lane i of the level above, the results of blocks i, i + 64, i + 128 … are combined. For each lane, parts_together() of its blocks are
// processed at the same time.
Sym ReduceLowering::reduce_interleaved_blocks(const BlockLevel& blocks_of, Sym begin, Sym end, Sym elements, const IndexAt& index_at,
                                              Body& body) {
  const int64_t group = kLanes * parts_together();
  const Sym whole = min(end, floor_div(elements, kLaneBlock)), done = begin + max(floor_div(whole - begin, group), 0) * group;
  Loop* groups = new_loop(arena_, "group", begin, done);
  groups->step = group;
  Loop* block = new_loop(arena_, "block", 0, kLanes);
  std::vector<BlockLevel> rows;
  const auto index_of_row = [&](size_t i, Sym inner) {
    return index_at((groups->variable + block->variable + kLanes * static_cast<int64_t>(i)) * kLaneBlock + inner);
  };
  const bool has_nan_lanes = nan_lanes_pay(kLaneBlock, [&](Sym inner) { return index_of_row(0, inner); });
  for (int64_t i = 0; i < parts_together(); ++i) {
    rows.push_back(lane_level(kLaneBlock, has_nan_lanes));
    declare(rows.back(), block->body);
  }
  lane_block(rows, 0, kLaneBlock, index_of_row, block->body);
  for (const BlockLevel& row : rows) fold(row, std::nullopt, block->body);
  for (const BlockLevel& row : rows) carry(row, 0, blocks_of, block->variable, block->body);
  groups->body = {block};
  body.push_back(groups);
  return done;
}

void ReduceLowering::lane_blocks(const std::vector<BlockLevel>& levels, const std::vector<Sym>& counts, size_t level, Sym begin, Sym end,
                                 const IndexAt& index_at, Body& body) {
  declare(levels[level], body);
  std::optional<Sym> used;  // number of lanes in use, if that may be 1: a single lane needs no fold
  if (level == 0) {
    lane_block(
        {levels.data(), 1}, begin, end, [&](size_t, Sym inner) { return index_at(inner); }, body);
  } else {
    const bool are_interleaved = level == 1 && parts_together() > 1 && pass_->row_values.empty() && pass_->row_stores.empty();
    const Sym rest = are_interleaved ? reduce_interleaved_blocks(levels[1], begin, end, counts[0], index_at, body) : begin;
    Loop* blocks = new_loop(arena_, cat("block", level), rest, end);
    const Sym first = blocks->variable * kLaneBlock;
    lane_blocks(levels, counts, level - 1, first, min(first + kLaneBlock, counts[level - 1]), index_at, blocks->body);
    carry(levels[level - 1], 0, levels[level], mod(blocks->variable - begin, kLanes), blocks->body);
    body.push_back(blocks);
    if (!proven_less(1, end - begin)) used = end - begin;
  }
  fold(levels[level], used, body);
}

// --- lanes -------------------------------------------------------------------------------------------------------------------

ReduceLowering::BlockLevel ReduceLowering::lane_level(Sym count, bool has_nan_lanes) {
  BlockLevel level = new_level(lanes_of(count));
  if (has_nan_lanes) level.nans = accumulators_.add(pass_->reduces, kLanes / 2);
  return level;
}

// The lanes are a power of two, because folds halve them. There are enough for a vector of 16 bytes, the narrowest that folds use, and for
// the masked vector of first_lanes().
int64_t ReduceLowering::lanes_of(Sym count) const {
  constexpr size_t kNarrowestBytes = 16;
  if (c_.program.target.gpu() != nullptr || !count.is_constant() || count.constant() > kLanes / 2) return kLanes;
  auto lanes = static_cast<size_t>(std::max<int64_t>(count.constant(), 1));
  for (const Node* reduce : pass_->reduces) lanes = std::max(lanes, kNarrowestBytes / size_of(accumulator_dtype(*reduce)));
  return static_cast<int64_t>(std::bit_ceil(lanes));
}

void ReduceLowering::lane_block(std::span<const BlockLevel> rows, Sym begin, Sym end, const IndexOfRow& index_at, Body& body) {
  std::vector<ElementRows> found;
  // lane_block_by_rows() combines elements into all 64 lanes. A reduction of at most 32 elements has fewer lanes, so it must not use that
  // function. Nor must a level with NaN lanes: if it processed some of its blocks by rows and others by steps, the max of the steps
  // (number_lanes()) would ignore a NaN that the rows have found.
  if (lanes_of(element_count(sizes(inner_))) == kLanes && rows[0].nans.empty())
    for (size_t i = 0; i < rows.size() && found.size() == i; ++i)
      if (const auto of_row = rows_of_elements(begin, end, [&](Sym inner) { return index_at(i, inner); })) found.push_back(*of_row);
  if (found.size() < rows.size()) return lane_block_by_steps(rows, begin, end, index_at, body);
  for (size_t i = 0; i < rows.size(); ++i) {
    Body by_rows, by_steps;
    lane_block_by_rows(
        rows[i], found[i], begin, end, [&](Sym inner) { return index_at(i, inner); }, by_rows);
    // The rows may turn out to be empty at run time, while the block still has elements that are in no row: those that a pad or concat
    // adds to an empty array. In that case the block is processed by steps.
    if (proven_positive(found[i].length) || mod(element_count(sizes(inner_)), found[i].length).is_constant(0)) {
      body.insert(body.end(), by_rows.begin(), by_rows.end());
    } else {
      lane_block_by_steps(
          rows.subspan(i, 1), begin, end, [&](size_t, Sym inner) { return index_at(i, inner); }, by_steps);
      body.push_back(new_if(arena_, found[i].length - 1, std::move(by_rows), std::move(by_steps)));
    }
  }
}

void ReduceLowering::lane_block_by_steps(std::span<const BlockLevel> rows, Sym begin, Sym end, const IndexOfRow& index_at, Body& body) {
  const bool has_nan_lanes = !rows[0].nans.empty();
  const auto add = [](const Body& statements, Body& to) { to.insert(to.end(), statements.begin(), statements.end()); };
  const auto all_lanes = [&](Sym start, Body& to) {
    if (!has_nan_lanes) return add(lane_loop(rows, kLanes, start, index_at), to);
    for (size_t i = 0; i < rows.size(); ++i) add(number_lanes(rows[i], start, [&](Sym inner) { return index_at(i, inner); }), to);
  };
  const Sym full = begin + floor_div(end - begin, kLanes) * kLanes;
  if (!proven_at_most(full, begin)) {
    const std::string name = next_name();
    Loop* steps = new_loop(arena_, name, begin, full);
    steps->step = kLanes;
    // This bound tells proofs that all lanes of a step are elements, so that elements of rows of whole steps need no division.
    steps->variable = arena_.syms().loop(name, begin, full - kLanes + 1);
    all_lanes(steps->variable, steps->body);
    steps->body = apply_tags(arena_, c_.kernel, steps->body);
    if (simd_width_ > 1 && outer_.empty() && is_compute_bound(steps->body))
      prefetch_while_computing(index_at(0, steps->variable), steps->body);
    if (deferred_ && pass_ + 2 == c_.plan.passes.data() + c_.plan.passes.size()) {
      steps->body.push_back(deferred_->stores_for_step(steps->variable));
      bind_results(0);
      for (const RowPass* done = c_.plan.passes.data(); done != pass_; ++done) rows_.bind(*done);
    }
    // For data in the third-level cache every additional instruction matters: with one group of 64 lanes in each step, a loop over several
    // rows reaches 0.95 of the speed of reading the data, and with two groups 0.98. A step has only one group if there is a single row, if
    // there are NaN lanes (lanes that only detect NaN), or if an odd number of groups would leave a remainder.
    const bool by_two = rows.size() > 1 && !has_nan_lanes && mod(full - begin, 2 * kLanes).is_constant(0);
    add(rows.size() == 1 ? Body{steps} : unroll_and_jam(arena_, {steps}, by_two ? 2 : 1), body);
  }
  if (!proven_at_most(end, full)) {
    // a max or min does not change if an element is processed twice, so the remainder may overlap the previous step
    if (has_nan_lanes && proven_at_most(kLanes, end - begin) && pass_->row_stores.empty())
      all_lanes(end - kLanes, body);
    else
      add(first_lanes(rows, end - full, full, index_at), body);
  }
  for (const BlockLevel& level : rows)
    for (size_t r = 0; r < level.nans.size(); ++r) {
      Loop* lane = new_loop(arena_, "lane", 0, kLanes / 2);
      const UOp* found = arena_.acc(accumulator_dtype(*pass_->reduces[r]), level.nans[r], lane->variable);
      lane->body = {update_accumulator(arena_, level.accumulators[r], lane->variable, found)};
      add(vector_lanes(lane, simd_width_), body);
    }
}

namespace {

/// Calls visit(atom) for each quotient and remainder in the expression, also inside other operations.
void for_each_division(Sym e, const auto& visit) {
  if (e.is_constant()) return;
  for (const SymTerm& term : e.node()->terms)
    for (const SymAtom* atom : term.factors) {
      if (atom->kind == AtomKind::kVariable) continue;
      for (const Sym operand : {atom->a, atom->b, atom->c}) for_each_division(operand, visit);
      if (atom->kind == AtomKind::kFloorDiv || atom->kind == AtomKind::kMod) visit(*atom);
    }
}

/// If the expression is a remainder of x modulo a multiple of `divisor`, returns x, which has the same remainder modulo `divisor`.
Sym without_remainder(Sym e, Sym divisor) {
  if (e.is_constant() || e.node()->constant != 0 || e.node()->terms.size() != 1) return e;
  const SymTerm& term = e.node()->terms[0];
  if (term.coefficient != 1 || term.factors.size() != 1 || term.factors[0]->kind != AtomKind::kMod) return e;
  return mod(term.factors[0]->b, divisor).is_constant(0) ? term.factors[0]->a : e;
}

bool are_linear(Arena& arena, const Body& body, const SymAtom* variable) {
  return std::ranges::all_of(uops_of(arena, body), [&](const UOp* u) { return linear_in(u->index, variable).has_value(); });
}

}  // namespace

std::optional<ReduceLowering::ElementRows> ReduceLowering::rows_of_elements(Sym begin, Sym end, const IndexAt& index_at) {
  // Elements are not processed row by row if rows are shorter than this: computing where each row begins would cost more than a division by
  // a constant for each element.
  constexpr int64_t kShortRow = 16;
  if (!pass_->row_values.empty() || !pass_->row_stores.empty()) return std::nullopt;
  const auto elements_at = [&](Sym position) {
    Body body;
    for (size_t r = 0; r < pass_->reduces.size(); ++r)
      for (const UOp* value : operands(r, index_at(position))) body.push_back(set_accumulator(arena_, 0, 0, value));
    return body;
  };
  const Sym position = arena_.syms().loop("position", begin, end);
  const Body elements = elements_at(position);
  if (are_linear(arena_, elements, variable_of(position))) return std::nullopt;
  std::vector<ElementRows> candidates;
  for (const UOp* u : uops_of(arena_, elements))
    for_each_division(u->index, [&](const SymAtom& division) {
      const auto dividend = linear_in(without_remainder(division.a, division.b), variable_of(position));
      if (!dividend || !dividend->coefficient.is_constant(1) || depends_on(division.b, variable_of(position))) return;
      if (division.b.is_constant() && division.b.constant() < kShortRow) return;
      const auto is_same = [&](const ElementRows& rows) { return rows.length == division.b && rows.offset == dividend->rest; };
      if (std::ranges::none_of(candidates, is_same)) candidates.push_back({division.b, dividend->rest});
    });
  for (const ElementRows& rows : candidates) {
    const Sym row = arena_.syms().loop("row", floor_div(begin + rows.offset, rows.length), ceil_div(end + rows.offset, rows.length));
    const Sym column = arena_.syms().loop("column", 0, rows.length);
    if (are_linear(arena_, elements_at(row * rows.length + column - rows.offset), variable_of(column))) return rows;
  }
  return std::nullopt;
}

// Element p of a block goes to lane p % 64, so the first element of a row may go to any lane. For each row the generated code first
// processes the elements up to the next one that goes to lane 0, then steps of 64 elements, then the rest.
void ReduceLowering::lane_block_by_rows(const BlockLevel& level, const ElementRows& rows, Sym begin, Sym end, const IndexAt& index_at,
                                        Body& body) {
  const Sym length = rows.length;
  Loop* row = new_loop(arena_, next_name(), floor_div(begin + rows.offset, length), ceil_div(end + rows.offset, length));
  const Sym first = row->variable * length - rows.offset;  // the position of the row's first element
  Body* into = &row->body;
  const auto define = [&](std::string_view name, Sym value, Sym upper) {
    auto* define = arena_.statement<Define>();
    define->variable = arena_.syms().loop(name, 0, upper);
    define->value = arena_.index(value);
    into->push_back(define);
    into = &define->body;
    return define->variable;
  };
  const Sym any_column = arena_.syms().loop("column", 0, length), any_lane = arena_.syms().loop("lane", 0, kLanes);
  Body element;
  visit(level, any_lane, index_at(first + any_column), element);
  const auto add_lanes = [&](Sym first_lane, Sym count, Sym column, Body& to) {
    Loop* lane = new_loop(arena_, "lane", first_lane, first_lane + count);
    lane->body = Substituter(
        arena_, {{variable_of(any_column), column + lane->variable - first_lane}, {variable_of(any_lane), lane->variable}})(element);
    const Body statements = first_lane.is_constant(0) ? vector_lanes(lane, simd_width_) : Body{lane};
    to.insert(to.end(), statements.begin(), statements.end());
  };
  const Sym column = define("column", max(begin - first, 0), length + 1);
  const Sym count = define("count", min(end - first, length) - column, length + 1);
  const Sym first_lane = define("first_lane", mod(first + column - begin, kLanes), kLanes);
  const Sym head = define("head", min(mod(kLanes - first_lane, kLanes), count), kLanes);
  const Sym rest = define("rest", mod(count - head, kLanes), kLanes);
  add_lanes(first_lane, head, column, *into);
  Loop* steps = new_loop(arena_, next_name(), column + head, column + count - rest);
  steps->step = kLanes;
  add_lanes(0, kLanes, steps->variable, steps->body);
  steps->body = apply_tags(arena_, c_.kernel, steps->body);
  into->push_back(steps);
  add_lanes(0, rest, column + count - rest, *into);
  body.push_back(row);
}

Body ReduceLowering::lane_loop(std::span<const BlockLevel> rows, Sym count, Sym start, const IndexOfRow& index_at) {
  Loop* lane = new_loop(arena_, "lane", 0, count);
  for (size_t i = 0; i < rows.size(); ++i) visit(rows[i], lane->variable, index_at(i, start + lane->variable), lane->body);
  return vector_lanes(lane, simd_width_);
}

// The remainder uses a masked vector where possible, also for what the pass keeps and stores for each element. Otherwise narrower vectors
// and single elements (a row of 1000 floats leaves 40 elements) would access parts of the accumulators' vectors, so that the compiler would
// keep the accumulators in memory. (That would reduce the speed, relative to merely reading the data, from 0.96 to 0.82.) Rows of unknown
// length gain most: with rows of 37 and 100 elements of f32, sums and maxima are 2.2 to 4 times as fast with masked vectors, and
// softmax 1.2 to 1.6 times. On a machine that only has loads with a vector as mask (AVX2), sums of rows of 17 to 37 elements are 3.7 to 4.6
// times as fast, 1.9 to 3.3 times if their length is unknown.
Body ReduceLowering::first_lanes(std::span<const BlockLevel> rows, Sym count, Sym start, const IndexOfRow& index_at) {
  const int64_t vector = simd_width_, whole = count.is_constant() ? count.constant() / vector * vector : 0;
  const bool by_loads = !may_mask_ends() && may_mask_loads(count);
  if ((!by_loads && !may_mask_ends()) || count.is_constant(whole) || proven_less(count, vector))
    return lane_loop(rows, count, start, index_at);
  const auto vectors_to = [&](Sym end) {
    Loop* lane = new_loop(arena_, "lane", whole, end);
    const UOp* mask = arena_.in_range(count - 1 - lane->variable);
    for (size_t i = 0; i < rows.size(); ++i) visit(rows[i], lane->variable, index_at(i, start + lane->variable), lane->body, mask);
    return lane;
  };
  Loop* lane = vectors_to(ceil_div(count, vector) * vector);
  if (!is_accessed_whole(arena_, lane, simd_width_)) return lane_loop(rows, count, start, index_at);
  if (by_loads && !is_only_loaded(arena_, c_.program.target, lane, simd_width_)) return lane_loop(rows, count, start, index_at);
  if (!count.is_constant() && is_short(uops_of(arena_, lane->body)))
    // A loop over all kLanes lanes has a constant trip count, so it is unrolled. That pays only for a short body, because the vectors
    // beyond the remainder are executed, too.
    lane = vectors_to(kLanes);
  Body body = whole > 0 ? lane_loop(rows, whole, start, index_at) : Body{};
  for (Stmt* s : vector_lanes(lane, simd_width_)) body.push_back(s);
  return body;
}

bool ReduceLowering::may_mask_ends() const {
  return std::ranges::all_of(c_.plan.reduces,
                             [&](const Node* reduce) { return has_masked_vectors(c_.program.target, *reduce, simd_width_); });
}

// If the length is unknown, first_lanes() executes the vectors of all lanes. For the max or min of f64 these are 16 vectors with a select
// and a test for NaN each, which take 1.2 times as long as single elements.
bool ReduceLowering::may_mask_loads(Sym count) const {
  constexpr int64_t kMostVectors = 8;
  const bool are_many = !count.is_constant() && kLanes / simd_width_ > kMostVectors;
  return std::ranges::all_of(c_.plan.reduces, [&](const Node* reduce) {
    const bool is_extreme = reduce->op == Op::kReduceMax || reduce->op == Op::kReduceMin;
    return has_masked_loads(c_.program.target, *reduce, simd_width_) && !(are_many && is_extreme);
  });
}

// Separate NaN lanes (accumulators that only detect NaN) are faster only on a machine with mask registers, where one masked instruction
// sets the lanes in which a NaN is found.
bool ReduceLowering::nan_lanes_pay(Sym count, const IndexAt& index_at) {
  constexpr int64_t kFew = 256;
  const auto is_extreme_of_floats = [&](const Node* reduce) {
    const bool is_extreme = reduce->op == Op::kReduceMax || reduce->op == Op::kReduceMin;
    return is_extreme && is_float(accumulator_dtype(*reduce)) && has_masked_vectors(c_.program.target, *reduce, simd_width_);
  };
  const Machine& target = c_.program.target;
  return target.gpu() == nullptr && target.cpu().mask_registers && !c_.schedule.nan_flag &&
         std::ranges::all_of(pass_->reduces, is_extreme_of_floats) && !proven_at_most(count, kFew) && !rows_of_elements(0, count, index_at);
}

// A single instruction checks two elements for NaN, so each element is used twice: in a max and in a check. Of the two elements, one is
// loaded into a register for both uses, and the other is a memory operand of both instructions. If both were in registers, data beyond the
// second-level cache would be processed at 0.9 of the speed; if both were memory operands, as gcc prefers, data inside that cache would be
// processed at 0.92 of the speed.
Body ReduceLowering::number_lanes(const BlockLevel& level, Sym start, const IndexAt& index_at) {
  Body body;
  const auto each_lane = [&](Sym count, auto visit_lane) {
    Loop* lane = new_loop(arena_, "lane", 0, count);
    visit_lane(lane->variable, lane->body);
    for (Stmt* s : vector_lanes(lane, simd_width_)) body.push_back(s);
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
  each_lane(kLanes / 2, [&](Sym lane, Body& into) {
    for (size_t r = 0; r < pass_->reduces.size(); ++r)
      set(level.nans[r], lane, numbers_of(r).found_nan, {element(r, lane, true), element(r, kLanes / 2 + lane, false)}, into);
  });
  return body;
}

ExtremeOfNumbers ReduceLowering::numbers_of(size_t r) {
  const Node& reduce = *pass_->reduces[r];
  return build_extreme_of_numbers(arena_, combine_of(reduce.op), accumulator_dtype(reduce));
}

}  // namespace harp::lower
