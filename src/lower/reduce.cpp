// Implements a part of the class ReduceLowering (reduce_lowering.h): the loops over the kept axes (those that are not reduced), the
// accumulators and results, and the passes over a row.
#include <algorithm>

#include "lower/gpu/columns.h"
#include "lower/gpu/group_columns.h"
#include "lower/gpu/rows.h"
#include "lower/masked_end.h"
#include "lower/reduce_lowering.h"
#include "schedule/contraction.h"
#include "schedule/kernel_structure.h"

namespace harp::lower {

using namespace ir;

ReduceLowering::ReduceLowering(KernelContext& context)
    : c_(context),
      arena_(context.arena),
      first_(*context.plan.reduces[0]),
      attributes_(first_.as<ReduceAttributes>()),
      accumulators_(context.kernel),
      rows_(context) {
  const Shape& shape = first_.sources[0]->shape;
  std::vector<bool> reduced(shape.size(), false);
  for (int axis : attributes_.axes) reduced[static_cast<size_t>(axis)] = true;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (!reduced[axis] && !shape[axis].is_constant(1)) kept_.push_back(axis);
  if (attributes_.order == ReduceOrder::kChain) {
    outer_.assign(attributes_.axes.begin(), attributes_.axes.end());
  } else {
    const LaneAxes axes = lane_axes(first_);
    outer_ = axes.outer, inner_ = axes.inner;
  }
  simd_width_ = 1;
  for (const AxisSchedule& a : c_.schedule.axes) simd_width_ = std::max(simd_width_, a.simd_width);
}

void ReduceLowering::run() {
  const bool chain = attributes_.order == ReduceOrder::kChain, by_columns = chain || has_lane_columns(),
             deferred = c_.schedule.defer_stores;
  std::vector<Loop*> nest;
  Index position;  // position along the kept axes
  const int64_t interleaved = by_columns || deferred || kept_.empty() ? 1 : interleaved_rows();
  const int64_t tiles = chain && !deferred ? interleaved_tiles() : 1;
  // whether the functions called below make the loop over the last kept axis (axis that is not reduced)
  const bool keeps_last = (by_columns || deferred || interleaved > 1) && !kept_.empty();
  const size_t loops = kept_.size() - (tiles > 1 ? 2 : keeps_last ? 1 : 0);
  for (size_t i = 0; i < loops; ++i) {
    nest.push_back(new_loop(arena_, cat("oidx", i), 0, size(kept_[i])));
    position.push_back(nest.back()->variable);
  }
  Body body = tiles > 1         ? reduce_interleaved_tiles(position, tiles)
              : by_columns      ? columns(position)
              : deferred        ? rows_with_deferred_stores(position)
              : interleaved > 1 ? reduce_interleaved_rows(position, interleaved)
                                : lanes(position);
  for (size_t i = nest.size(); i-- > 0;) {
    nest[i]->body = std::move(body);
    body = {nest[i]};
  }
  const bool threads = !c_.schedule.axes.empty() && c_.schedule.axes[0].kind == AxisKind::kThread;
  if (Loop* only = only_loop_in(body); threads && only != nullptr) {
    if (c_.program.target.gpu() != nullptr) body = {only = flatten(arena_, only)};
    only->loop = LoopKind::kThread;
  }
  c_.kernel.body = std::move(body);
}

Shape ReduceLowering::sizes(const std::vector<size_t>& axes) const {
  Shape result;
  for (size_t axis : axes) result.push_back(size(axis));
  return result;
}

// --- accumulators ------------------------------------------------------------------------------------------------------------

ReduceLowering::BlockLevel ReduceLowering::new_level(int64_t count) {
  const BlockLevel level{accumulators_.add(pass_->reduces, count)};
  for (const int a : level.accumulators)
    if (ir::Accumulator& made = c_.kernel.accumulators[static_cast<size_t>(a)]; in_nan_retry_)
      made.function = build_flagged_maximum(arena_, made.type.dtype).greater;
  return level;
}

void ReduceLowering::declare(const BlockLevel& level, Body& body) {
  for (const std::vector<int>& all : {level.accumulators, level.nans})
    for (int a : all) body.push_back(declare_accumulator(arena_, a));
}

void ReduceLowering::fold(const BlockLevel& level, std::optional<Sym> used, Body& body) {
  for (int a : level.accumulators) {
    auto* s = arena_.statement<AccFold>();
    s->accumulator = a;
    s->used = used;
    body.push_back(s);
  }
}

void ReduceLowering::bind_results(Sym element) {
  for (const Results& done : results_)
    for (size_t r = 0; r < done.pass->reduces.size(); ++r)
      c_.values.bind(done.pass->reduces[r], from_accumulator(arena_, *done.pass->reduces[r], result(done, r, element)));
}

// docs/semantics.md adds +0.0 to a sum of products at the end. With several levels of blocks the addition of a block result to the next
// level has this effect; with one level this function adds +0.0. Without it, products that underflow would have the sum -0 with one level
// and +0 with two.
const UOp* ReduceLowering::result(const Results& done, size_t r, Sym element) {
  const Node& reduce = *done.pass->reduces[r];
  const UOp* value = arena_.acc(accumulator_dtype(reduce), done.level.accumulators[r], element);
  if (in_nan_retry_) return arena_.call(build_flagged_maximum(arena_, value->type.dtype).checked, {value});
  if (!reduce.as<ReduceAttributes>().product || done.levels > 1) return value;
  return end_of_products(arena_, value);
}

void ReduceLowering::carry(const BlockLevel& from, Sym from_element, const BlockLevel& to, Sym to_element, Body& body) {
  for (size_t r = 0; r < pass_->reduces.size(); ++r) {
    const DType dtype = accumulator_dtype(*pass_->reduces[r]);
    body.push_back(update_accumulator(arena_, to.accumulators[r], to_element, arena_.acc(dtype, from.accumulators[r], from_element)));
  }
}

Body ReduceLowering::with_nan_retry(const std::function<Body()>& make) {
  if (!c_.schedule.nan_flag) return make();
  in_nan_retry_ = true;
  Body quick = make();
  in_nan_retry_ = false;
  results_.clear();
  windows_.clear();
  return {new_retry(arena_, std::move(quick), make())};
}

// --- elements ----------------------------------------------------------------------------------------------------------------

Index ReduceLowering::source_index(const Index& kept, Sym outer, Sym inner) const {
  Index index(first_.sources[0]->shape.size(), Sym(0));
  for (size_t i = 0; i < kept_.size(); ++i) index[kept_[i]] = kept[i];
  const Index outer_index = unflatten(outer, sizes(outer_)), inner_index = unflatten(inner, sizes(inner_));
  for (size_t i = 0; i < outer_.size(); ++i) index[outer_[i]] = outer_index[i];
  for (size_t i = 0; i < inner_.size(); ++i) index[inner_[i]] = inner_index[i];
  return index;
}

std::vector<const UOp*> ReduceLowering::operands(size_t r, const Index& index, const UOp* mask) {
  const Node& reduce = *pass_->reduces[r];
  std::vector<const UOp*> result;
  const UOp* const mask_of_all = mask;
  for (const Node* operand : operands_of(reduce)) {
    // An operand that is the same for all columns needs no mask of columns.
    mask = masks_columns_ && (operand->rank() == 0 || !varies(operand, kept_.back())) ? nullptr : mask_of_all;
    const auto copied = windows_.find(operand);
    const UOp* value = copied != windows_.end() ? copied->second.value(operand, index)
                                                : c_.values.value(operand, operand->rank() == 0 ? Index{} : index, mask);
    const bool is_zero_without = mask == nullptr || (is_read(value) && combine_of(reduce.op) == Op::kAdd);
    value = to_accumulator(arena_, reduce, value);
    if (!is_zero_without)
      value = arena_.apply(Op::kWhere, value->type.dtype, {mask, value, arena_.constant(identity_of(reduce.op, value->type.dtype))});
    result.push_back(value);
  }
  return result;
}

void ReduceLowering::visit(const BlockLevel& level, Sym element, const Index& index, Body& body, const UOp* mask) {
  rows_.keep(*pass_, index, body, mask);
  for (size_t r = 0; r < pass_->reduces.size(); ++r) {
    const std::vector<const UOp*> combined = operands(r, index, mask);
    body.push_back(update_accumulator(arena_, level.accumulators[r], element, combined[0], combined.size() > 1 ? combined[1] : nullptr));
  }
  if (transposed_) return transposed_->keep(pass_->row_stores, index, body);
  for (Stmt* s : store_outputs(c_, pass_->row_stores, rows_.squeezed_index(index), mask)) body.push_back(s);
}

// Combines the elements in registers and sets each accumulator only once. If each element updated the accumulator, a compiler that cannot
// exclude that the next load aliases the accumulators would store them after each element. (The product x @ b of 4096 x 4096, with 8 rows
// at a time, would then run at 0.93 of the speed.)
void ReduceLowering::visit_all(const BlockLevel& level, Sym element, const std::vector<Index>& indices, Body& body, const UOp* mask) {
  if (mask == nullptr)
    for (const Index& index : indices) rows_.keep(*pass_, index, body);
  for (size_t r = 0; r < pass_->reduces.size(); ++r) {
    const int accumulator = level.accumulators[r];
    const DType dtype = accumulator_dtype(*pass_->reduces[r]);
    const UOp* sum = arena_.acc(dtype, accumulator, element);
    for (const Index& index : indices) {
      const std::vector<const UOp*> combined = operands(r, index, mask);
      sum = in_nan_retry_         ? arena_.call(build_flagged_maximum(arena_, dtype).greater, {sum, combined[0]})
            : combined.size() > 1 ? sum_of_product(arena_, combined[0], combined[1], sum)
                                  : arena_.apply(combine_of(pass_->reduces[r]->op), dtype, {sum, combined[0]});
    }
    body.push_back(set_accumulator(arena_, accumulator, element, sum));
  }
  if (mask != nullptr) return;
  if (transposed_) {
    for (const Index& index : indices) transposed_->keep(pass_->row_stores, index, body);
    return;
  }
  for (const Index& index : indices)
    for (Stmt* s : store_outputs(c_, pass_->row_stores, rows_.squeezed_index(index))) body.push_back(s);
}

// --- passes over a row -------------------------------------------------------------------------------------------------------

Body ReduceLowering::passes(const Index& kept, std::span<const RowPass> all) {
  Body body;
  for (const RowPass& pass : all) {
    pass_ = &pass;
    const Body statements = pass.reduces.empty() ? row_loops(kept) : lane_pass(kept);
    body.insert(body.end(), statements.begin(), statements.end());
    finish_pass(pass, kept, body);
  }
  return body;
}

void ReduceLowering::finish_pass(const RowPass& pass, const Index& kept, Body& body) {
  bind_results(0);
  rows_.bind(pass);
  for (Stmt* s : store_outputs(c_, pass.stores, kept)) body.push_back(s);
}

Body ReduceLowering::row_loops(const Index& kept) {
  std::vector<Loop*> nest;
  Index index(first_.sources[0]->shape.size(), Sym(0));
  for (size_t i = 0; i < kept_.size(); ++i) index[kept_[i]] = kept[i];
  for (size_t axis : rows_.axes()) {
    nest.push_back(new_loop(arena_, next_name(), 0, size(axis)));
    index[axis] = nest.back()->variable;
  }
  visit({}, 0, index, nest.back()->body);
  Body end = nest.size() == 1 ? end_of_row(index, rows_.axes()[0], nest[0]) : Body{};
  for (size_t i = nest.size() - 1; i-- > 0;) nest[i]->body = {nest[i + 1]};
  if (const int64_t rows = prefetch_distance(); rows > 0)
    nest.back()->tags.ahead = {.along = kept.back(), .distance = rows, .is_near = true};
  Body body = vector_nest(nest[0], simd_width_);
  body.insert(body.end(), end.begin(), end.end());
  return body;
}

Body ReduceLowering::end_of_row(Index index, size_t axis, Loop* row) {
  const Sym count = size(axis), whole = floor_div(count, simd_width_) * simd_width_;
  if (simd_width_ == 1 || !may_mask_ends() || proven_at_most(count, whole) || proven_less(count, simd_width_)) return {};
  Loop* lane = new_loop(arena_, "lane", whole, whole + simd_width_);
  index[axis] = lane->variable;
  visit({}, 0, index, lane->body, arena_.in_range(count - 1 - lane->variable));
  if (!is_accessed_whole(arena_, lane, simd_width_)) return {};
  row->end = whole;
  return vector_lanes(lane, simd_width_);
}

bool ReduceLowering::is_free_of_order(const RowPass& pass) const {
  return std::all_of(pass.reduces.begin(), pass.reduces.end(),
                     [](const Node* reduce) { return harp::is_free_of_order(reduce->op, reduce->dtype); });
}

int ReduceLowering::levels_of(const RowPass& pass, Sym count, int64_t block, Sym others, const std::optional<Sym>& holds) const {
  return is_free_of_order(pass) ? 1 : levels_needed(count, block, others, holds);
}

int64_t ReduceLowering::cost_of_element() const {
  int64_t cost = 0;
  for (const Node* node : computed_nodes(c_.program, c_.plan)) cost += info(node->op).cost;
  return cost;
}

void lower_reduce(KernelContext& context) {
  const bool is_chain = context.plan.reduces[0]->as<ReduceAttributes>().order == ReduceOrder::kChain;
  if (is_on_groups(context.schedule)) return is_chain ? GroupColumns(context).run() : GroupRows(context).run();
  if (context.program.target.gpu() != nullptr && has_columns(*context.plan.reduces[0])) return ColumnThreads(context).run();
  ReduceLowering(context).run();
}

}  // namespace harp::lower
