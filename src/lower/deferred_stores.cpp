#include "lower/deferred_stores.h"

#include <algorithm>
#include <unordered_set>

namespace harp::lower {

using namespace ir;

namespace {

/// Returns the reductions of the kernel on whose results the stored value depends. The search stops at values that the kernel loads, and at
/// row values, which earlier passes have computed and kept in arrays.
std::vector<const Node*> results_used(const KernelContext& c, const Node* stored) {
  std::unordered_set<const Node*> seen;
  for (const RowPass& pass : c.plan.passes) seen.insert(pass.row_values.begin(), pass.row_values.end());
  std::vector<const Node*> stack{stored}, used;
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (!seen.insert(node).second || is_loaded(c.program, c.plan, node)) continue;
    if (std::find(c.plan.reduces.begin(), c.plan.reduces.end(), node) != c.plan.reduces.end())
      used.push_back(node);
    else
      stack.insert(stack.end(), node->sources.begin(), node->sources.end());
  }
  return used;
}

}  // namespace

DeferredStores::DeferredStores(KernelContext& context, Accumulators& accumulators, RowValues& rows, const std::vector<size_t>& kept,
                               int simd_width)
    : c_(context),
      arena_(context.arena),
      rows_(rows),
      kept_(kept),
      pass_(context.plan.passes.back()),
      store_(context.plan.stores[pass_.row_stores[0]]),
      simd_width_(simd_width),
      line_(std::max<int64_t>(1, kLineBytes / static_cast<int64_t>(size_of(store_.node->dtype)))),
      length_(1) {
  const Shape& shape = context.plan.reduces[0]->sources[0]->shape;
  for (const size_t axis : rows.axes()) length_ *= shape[axis];
  for (const Node* reduce : results_used(context, store_.node))
    results_.push_back({reduce, accumulators.add_array(accumulator_dtype(*reduce), 1)});
}

void DeferredStores::declare(Body& body) {
  for (const Result& result : results_) body.push_back(declare_accumulator(arena_, result.accumulator));
}

void DeferredStores::store_row(Index position) {
  row_ = std::move(position);
  front_ = arena_.syms().loop("front", 0, line_);
}

void DeferredStores::begin_row(const Index& kept, Sym begin) {
  Index before = kept;
  before.back() = kept.back() - 1;
  follows_ = before.back() - begin;
  store_row(std::move(before));
}

/// Returns statements that store elements begin … begin + count - 1 of the previous row (row_). If `whole_lines` is true, these elements
/// must be whole cache lines; if it is false, no store is non-temporal.
Body DeferredStores::elements(Sym begin, Sym count, bool whole_lines) {
  Loop* loop = new_loop(arena_, "late", 0, count);
  const Shape& shape = c_.plan.reduces[0]->sources[0]->shape;
  Shape row_shape;
  for (const size_t axis : rows_.axes()) row_shape.push_back(shape[axis]);
  Index index = element(row_.back());
  const Index in_row = unflatten(begin + loop->variable, row_shape);
  for (size_t i = 0; i < in_row.size(); ++i) index[rows_.axes()[i]] = in_row[i];
  bind();
  loop->body = store_outputs(c_, pass_.row_stores, rows_.squeezed_index(index));
  release();
  for (Stmt* s : loop->body) as<Store>(s)->nontemporal &= whole_lines;
  return vector_lanes(loop, simd_width_);
}

Stmt* DeferredStores::stores_for_step(Sym first) {
  const Sym begin = front_ + first;
  return new_if(arena_, follows_, {new_if(arena_, length_ - kLanes - begin, elements(begin, kLanes, true))});
}

/// Stores the elements of the previous row that stores_for_step() does not store: those before its first whole cache line, and those after
/// its last whole step.
Body DeferredStores::ends() {
  const Sym front = min(front_, length_), behind = mod(length_ - front, kLanes);
  Body result = elements(0, front, false);
  for (Stmt* s : elements(length_ - behind, behind, false)) result.push_back(s);
  return result;
}

/// Returns the index, in the source of the reductions, of the first element of row number `row` along the last kept axis (axis that is not
/// reduced).
Index DeferredStores::element(Sym row) const {
  Index index(c_.plan.reduces[0]->sources[0]->shape.size(), Sym(0));
  for (size_t i = 0; i < kept_.size(); ++i) index[kept_[i]] = i + 1 < kept_.size() ? row_[i] : row;
  return index;
}

/// Returns a Define statement (the definition of a variable, with the statements that use it) that contains the given statements. The
/// variable is front_: the number of elements of row `row` before its first whole cache line.
Body DeferredStores::from_line(Body statements, Sym row) {
  const Index index = node_index(store_.node->shape, rows_.squeezed_index(element(row)));
  const UOp* before =
      arena_.line_offset(c_.values.parameter(store_.buffer, true), c_.values.position_in(store_.buffer, index, store_.shape));
  const UOp* most = arena_.constant(scalar_from_int(DType::kI64, line_ - 1));
  auto* define = arena_.statement<Define>();
  define->value = arena_.alu(Op::kBitAnd, DType::kI64, {arena_.alu(Op::kNeg, DType::kI64, {before}), most});
  define->variable = front_;
  define->body = std::move(statements);
  return {define};
}

Body DeferredStores::complete_row(Body statements, const Body& keeps) {
  const Sym row = row_.back();
  statements.push_back(new_if(arena_, follows_, ends()));
  statements.insert(statements.end(), keeps.begin(), keeps.end());
  return from_line(std::move(statements), max(row, row - follows_));
}

void DeferredStores::keep(const Node& reduce, const UOp* value, Body& body) {
  for (const Result& result : results_)
    if (result.reduce == &reduce) body.push_back(set_accumulator(arena_, result.accumulator, 0, value));
}

Body DeferredStores::last_row(const Index& kept, Sym exists) {
  store_row(kept);
  const Sym front = min(front_, length_);
  Body statements = elements(front, length_ - front - mod(length_ - front, kLanes), true);
  for (Stmt* s : ends()) statements.push_back(s);
  statements = from_line(std::move(statements), kept.back());
  return proven_nonnegative(exists) ? statements : Body{new_if(arena_, exists, std::move(statements))};
}

/// Makes expressions read the reductions' results and the row values of the previous row from the accumulators that hold them. The stores
/// of the last pass need this.
void DeferredStores::bind() {
  for (const Result& result : results_)
    c_.values.bind(result.reduce,
                   from_accumulator(arena_, *result.reduce, arena_.acc(accumulator_dtype(*result.reduce), result.accumulator, 0)));
  for (const RowPass& pass : c_.plan.passes) rows_.bind(pass);
}
/// Undoes bind() for row values, so that the passes over the current row compute them again.
void DeferredStores::release() {
  for (const RowPass& pass : c_.plan.passes)
    for (const Node* node : pass.row_values) c_.values.release(node);
}

}  // namespace harp::lower
