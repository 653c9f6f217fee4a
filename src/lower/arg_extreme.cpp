// Implements a part of the class ArgExtremeLowering (arg_extreme_lowering.h): ArgMax and ArgMin along an axis that is contiguous in memory,
// and the search for the first NaN.
#include <algorithm>
#include <bit>
#include <limits>

#include "lower/arg_extreme_lowering.h"
#include "lower/gpu/arg_extreme.h"
#include "lower/gpu/rows.h"

namespace harp::lower {

using namespace ir;

namespace {

// Number of vectors in a block. It is a compromise. Blocks should be short, because the best block is scanned a second time. But there
// should be few blocks, because the extreme of each block is compared with the best one so far.
constexpr int64_t kBlockVectors = 4;

}  // namespace

ArgExtremeLowering::ArgExtremeLowering(KernelContext& context)
    : c_(context),
      arena_(context.arena),
      accumulators_(context.kernel),
      source_(*context.plan.reduces[0]->sources[0]),
      extreme_(combine_of(context.plan.reduces[0]->op)),
      dtype_(accumulator_dtype(source_)) {
  const size_t along = static_cast<size_t>(context.plan.reduces[0]->as<ReduceAttributes>().axes[0]);
  for (size_t axis = 0; axis < source_.shape.size(); ++axis)
    if (axis == along)
      along_ = axis;
    else if (!source_.shape[axis].is_constant(1))
      kept_.push_back(axis);
  count_ = source_.shape[along_];
  for (const AxisSchedule& a : c_.schedule.axes) lanes_ = std::max<int64_t>(lanes_, a.simd_width);
}

void ArgExtremeLowering::run() {
  const bool is_chain = c_.plan.reduces[0]->as<ReduceAttributes>().order == ReduceOrder::kChain && !kept_.empty();
  Body body = is_chain || copies_tiles() ? tiles() : along_axis();
  const bool threads = !c_.schedule.axes.empty() && c_.schedule.axes[0].kind == AxisKind::kThread;
  if (Loop* only = only_loop_in(body); threads && only != nullptr) {
    if (c_.program.target.gpu() != nullptr) body = {only = flatten(arena_, only)};
    only->loop = LoopKind::kThread;
  }
  c_.kernel.body = std::move(body);
}

// --- along the axis --------------------------------------------------------------------------------------------------------------

int64_t ArgExtremeLowering::interleaved_rows() const {
  return kept_.empty() || !proven_nonnegative(count_ - block_size()) ? 1 : c_.schedule.axes[kept_.size() - 1].unroll;
}

Body ArgExtremeLowering::along_axis() {
  const int64_t most = count_.is_constant() ? count_.constant() / lanes_ : kBlockVectors;
  vectors_ = std::min(kBlockVectors, static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(most))));
  const int64_t interleaved = vectors_ == 0 ? 1 : interleaved_rows();
  std::vector<Index> positions(static_cast<size_t>(interleaved));
  std::vector<Loop*> nest;
  for (size_t i = 0; i < kept_.size(); ++i) {
    const Sym count = source_.shape[kept_[i]], share = i + 1 == kept_.size() ? ceil_div(count, interleaved) : count;
    nest.push_back(new_loop(arena_, cat("oidx", i), 0, share));
    for (size_t row = 0; row < positions.size(); ++row) {
      // Several rows are processed at a time, one from each of the parts into which the last axis that is not reduced is divided. The last
      // parts may have fewer rows than the first one. In place of a missing row, the current row of the first part is processed and its
      // result stored a second time. That is harmless, because no output of this kernel aliases an input (schedule/in_place.h).
      const Sym ahead = i + 1 == kept_.size() ? share * static_cast<int64_t>(row) : Sym(0);
      const Sym exists = proven_at_most(ahead + share, count) ? Sym(1) : min(max(count - ahead - nest.back()->variable, 0), 1);
      positions[row].push_back(nest.back()->variable + ahead * exists);
    }
  }
  return nested(nest, rows_along(positions));
}

Body ArgExtremeLowering::rows_along(const std::vector<Index>& positions) {
  Body body;
  std::vector<Row> rows;
  for (const Index& position : positions) {
    const int best = new_best(1, body);
    rows.push_back({position, best, new_numbers(DType::kI64, 1, body)});
  }
  sum_ = new_sum(1, body);
  if (vectors_ == 0) {
    add(one_by_one(rows, 0), body);
  } else if (const Sym enough = count_ - block_size(); proven_nonnegative(enough)) {
    add(by_blocks(rows), body);
  } else {
    body.push_back(new_if(arena_, enough, by_blocks(rows), one_by_one(rows, 0)));
  }
  if (has_nan()) {
    Body again;
    for (const Row& row : rows) add(first_nan(row), again);
    body.push_back(if_nan(acc(sum_, 0), std::move(again)));
  }
  for (const Row& row : rows) store(row.position, acc(row.index, 0), acc(row.best, 0), body);
  return body;
}

Body ArgExtremeLowering::one_by_one(const std::vector<Row>& rows, Sym begin) {
  Loop* loop = new_loop(arena_, next_name(), begin, count_);
  for (const Row& row : rows) {
    const UOp* x = element(row.position, loop->variable);
    update_best(row, x, arena_.index(loop->variable), loop->body);
    if (has_nan()) loop->body.push_back(update_accumulator(arena_, sum_, 0, x));
  }
  return {loop};
}

void ArgExtremeLowering::update_best(const Row& row, const UOp* x, const UOp* index, Body& body) {
  const UOp* best = acc(row.best, 0);
  body.push_back(set_accumulator(arena_, row.index, 0, choose(is_better(best, x), index, acc(row.index, 0))));
  body.push_back(set_accumulator(arena_, row.best, 0, better_of(best, x)));
}

Body ArgExtremeLowering::by_blocks(const std::vector<Row>& rows) {
  const Sym blocks = floor_div(count_, block_size());
  if (proven_at_most(blocks, kPiece)) return piece(rows, 0, blocks, true);
  Loop* pieces = new_loop(arena_, "piece", 0, ceil_div(blocks, kPiece));
  const Sym first = pieces->variable * kPiece;
  pieces->body = piece(rows, first, min(blocks - first, kPiece), false);
  Body body = {pieces};
  if (!mod(count_, block_size()).is_constant(0)) add(one_by_one(rows, blocks * block_size()), body);
  return body;
}

Body ArgExtremeLowering::piece(const std::vector<Row>& rows, Sym first, Sym blocks, bool is_only) {
  const int64_t parts = rows.size() > 1 ? 1 : c_.schedule.axes.back().unroll;
  // number of blocks of each group of lanes; the last group also processes the remaining blocks
  const Sym share = floor_div(blocks, parts);
  Body body;
  std::vector<LaneGroup> groups;
  for (const Row& row : rows)
    for (int64_t i = 0; i < parts; ++i) {
      const int best = new_best(lanes_, body), block = new_numbers(DType::kI32, lanes_, body);
      groups.push_back({&row, first + share * i, best, block, new_sum(lanes_, body)});
    }
  // Every lane of a vector has its own counter of blocks. Broadcasting a scalar counter in each step would take longer.
  const int counter = new_numbers(DType::kI32, lanes_, body);
  const auto block = [&](Sym start, const LaneGroup& group, Body& into) {
    each_lane(lanes_, into, [&](Sym lane, Body& statements) { visit_block(start + lane, group, counter, lane, statements); });
  };
  const auto blocks_of = [&](std::span<const LaneGroup> some, Sym begin, Sym end) {
    if (proven_at_most(end, begin)) return;
    Loop* loop = new_loop(arena_, next_name(), begin * block_size(), end * block_size());
    loop->step = block_size();
    for (const LaneGroup& group : some) block(group.first * block_size() + loop->variable, group, loop->body);
    each_lane(lanes_, loop->body,
              [&](Sym lane, Body& statements) { statements.push_back(update_accumulator(arena_, counter, lane, number(DType::kI32, 1))); });
    body.push_back(loop);
  };
  blocks_of(groups, 0, share);
  blocks_of({&groups.back(), 1}, share, blocks - share * (parts - 1));
  if (const Sym rest = mod(count_, block_size()); is_only && !rest.is_constant(0)) {
    Body overlapping;
    for (size_t i = static_cast<size_t>(parts) - 1; i < groups.size(); i += static_cast<size_t>(parts))
      block(count_ - block_size(), groups[i], overlapping);
    if (proven_at_most(1, rest))
      add(overlapping, body);
    else
      body.push_back(new_if(arena_, rest - 1, std::move(overlapping)));
  }
  if (has_nan()) {
    for (size_t i = 1; i < groups.size(); ++i)
      each_lane(lanes_, body, [&](Sym lane, Body& statements) {
        statements.push_back(update_accumulator(arena_, groups[0].sum, lane, acc(groups[i].sum, lane)));
      });
    body.push_back(folded(groups[0].sum));
    body.push_back(update_accumulator(arena_, sum_, 0, acc(groups[0].sum, 0)));
  }
  for (size_t i = 1; i < groups.size(); ++i)
    if (groups[i].row == groups[0].row) join(groups[i], groups[0], body);
  for (const LaneGroup& group : groups)
    if (&group == &groups[0] || group.row != groups[0].row) add(find_in_block(group, is_only), body);
  return body;
}

void ArgExtremeLowering::visit_block(Sym at, const LaneGroup& group, int counter, Sym lane, Body& body) {
  std::vector<const UOp*> elements;
  for (int64_t i = 0; i < vectors_; ++i) {
    const UOp* x = element(group.row->position, at + i * lanes_);
    // Both a comparison and a sum use the element. gcc would load it twice if it were not in a variable (in_register).
    elements.push_back(has_nan() && is_read(x) ? arena_.call(build_extreme_of_numbers(arena_, extreme_, dtype_).in_register, {x}) : x);
  }
  const auto together = [&](auto combine) {
    std::vector<const UOp*> values = elements;
    for (; values.size() > 1; values.resize(values.size() / 2))
      for (size_t i = 0; i < values.size() / 2; ++i) values[i] = combine(values[i], values[values.size() / 2 + i]);
    return values[0];
  };
  const UOp *x = together([&](auto a, auto b) { return better_of(a, b); }), *best = acc(group.best, lane);
  body.push_back(set_accumulator(arena_, group.block, lane, choose(is_better(best, x), acc(counter, lane), acc(group.block, lane))));
  body.push_back(set_accumulator(arena_, group.best, lane, better_of(best, x)));
  if (!has_nan()) return;
  const UOp* sum = together([&](auto a, auto b) { return plus(a, b); });
  body.push_back(update_accumulator(arena_, group.sum, lane, sum));
}

void ArgExtremeLowering::join(const LaneGroup& later, const LaneGroup& group, Body& body) {
  each_lane(lanes_, body, [&](Sym lane, Body& statements) {
    const UOp *best = acc(group.best, lane), *x = acc(later.best, lane);
    const UOp* moved = plus(acc(later.block, lane), number(DType::kI32, later.first - group.first));
    statements.push_back(set_accumulator(arena_, group.block, lane, choose(is_better(best, x), moved, acc(group.block, lane))));
    statements.push_back(set_accumulator(arena_, group.best, lane, better_of(best, x)));
  });
}

Body ArgExtremeLowering::find_in_block(const LaneGroup& group, bool is_only) {
  Body body;
  const int top = new_best(lanes_, body), first = new_indices(DType::kI32, lanes_, body);
  each_lane(lanes_, body, [&](Sym lane, Body& into) { into.push_back(set_accumulator(arena_, top, lane, acc(group.best, lane))); });
  body.push_back(folded(top));
  each_lane(lanes_, body, [&](Sym lane, Body& into) {
    const UOp* is_best = equal(acc(group.best, lane), acc(top, 0));
    into.push_back(set_accumulator(arena_, first, lane, choose(is_best, acc(group.block, lane), no_index(DType::kI32))));
  });
  body.push_back(folded(first));
  auto* define = arena_.statement<Define>();
  define->value = arena_.cast(DType::kI64, acc(first, 0));
  define->variable = arena_.syms().loop("block", 0, kPiece + 1);
  const Sym start = min((group.first + define->variable) * block_size(), count_ - block_size());
  const int index = new_indices(DType::kI32, block_size(), define->body);
  each_lane(block_size(), define->body, [&](Sym lane, Body& into) {
    const UOp* is_best = equal(element(group.row->position, start + lane), acc(top, 0));
    into.push_back(set_accumulator(arena_, index, lane, choose(is_best, number(DType::kI32, lane), no_index(DType::kI32))));
  });
  define->body.push_back(folded(index));
  const UOp* found = plus(arena_.index(start), arena_.cast(DType::kI64, acc(index, 0)));
  if (is_only) {
    define->body.push_back(set_accumulator(arena_, group.row->index, 0, found));
    define->body.push_back(set_accumulator(arena_, group.row->best, 0, acc(top, 0)));
  } else {
    update_best(*group.row, acc(top, 0), found, define->body);
  }
  body.push_back(define);
  return body;
}

// --- NaN, and results ------------------------------------------------------------------------------------------------------------

Stmt* ArgExtremeLowering::if_nan(const UOp* sum, Body then) {
  auto* define = arena_.statement<Define>();
  define->value = is_nan(sum);
  define->variable = arena_.syms().loop("nan", 0, 2);
  define->body = {new_if(arena_, define->variable - 1, std::move(then))};
  return define;
}

Body ArgExtremeLowering::first_nan(const Row& row) {
  Body body;
  const int64_t lanes = wide_lanes();
  const int nan = new_indices(DType::kI64, lanes, body);
  const auto visit = [&](Sym at, int indices, Sym lane, Body& into) {
    const UOp* x = element(row.position, at);
    into.push_back(update_accumulator(arena_, indices, lane, choose(is_nan(x), arena_.index(at), no_index(DType::kI64))));
  };
  const Sym whole = floor_div(count_, lanes) * lanes;
  if (!proven_at_most(whole, 0)) {
    Loop* loop = new_loop(arena_, next_name(), 0, whole);
    loop->step = lanes;
    each_lane(lanes, loop->body, [&](Sym lane, Body& into) { visit(loop->variable + lane, nan, lane, into); });
    body.push_back(loop);
  }
  body.push_back(folded(nan));
  const UOp* first = acc(nan, 0);
  if (!proven_at_most(count_, whole)) {
    const int rest = new_indices(DType::kI64, 1, body);
    Loop* loop = new_loop(arena_, next_name(), whole, count_);
    visit(loop->variable, rest, 0, loop->body);
    body.push_back(loop);
    first = arena_.apply(Op::kMin, DType::kI64, {first, acc(rest, 0)});
  }
  replace_by_nan(first, row.best, row.index, 0, body);
  return body;
}

void ArgExtremeLowering::replace_by_nan(const UOp* first, int best, int index, Sym at, Body& body) {
  const UOp* is_none = equal(first, no_index(DType::kI64));
  const UOp *number = acc(index, at), *nan = arena_.constant(scalar_from_double(dtype_, std::numeric_limits<double>::quiet_NaN()));
  body.push_back(set_accumulator(arena_, index, at, choose(is_none, number, arena_.cast(number->type.dtype, first))));
  body.push_back(set_accumulator(arena_, best, at, choose(is_none, acc(best, at), nan)));
}

void ArgExtremeLowering::store(const Index& position, const UOp* index, const UOp* best, Body& body) {
  // 1 if the axis is empty, else 0. The result for an empty axis is INT32_MAX (docs/semantics.md). `index` is still 0 for an empty axis, so
  // INT32_MAX is added to it.
  const Sym is_empty = Sym(1) - min(count_, 1);
  if (!is_empty.is_constant(0)) index = plus(index, arena_.index(is_empty * std::numeric_limits<int32_t>::max()));
  for (const Node* reduce : c_.plan.reduces) c_.values.bind(reduce, is_arg_extreme(reduce->op) ? index : arena_.cast(reduce->dtype, best));
  add(store_outputs(c_, c_.plan.passes[0].stores, position), body);
}

void lower_arg_extreme(KernelContext& context) {
  if (is_on_groups(context.schedule)) return GroupArgExtreme(context).run();
  ArgExtremeLowering(context).run();
}

}  // namespace harp::lower
