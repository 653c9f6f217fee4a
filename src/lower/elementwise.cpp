// The elementwise template lowers an elementwise kernel to one loop for each axis, in row-major order of the output. The loops are tagged
// as a nest: contiguous axes are fused into one loop, and a single long loop is split into chunks, which are distributed among threads. On
// a GPU the nest becomes one loop over all elements, and each thread computes one element (or a few). A reduction of few terms
// (schedule/few_terms.h) is part of the expression of an element. So is a scan, in a variant that runs only for sequences of one element.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/text.h"
#include "lower/accumulate.h"
#include "schedule/views.h"

namespace harp::lower {

using namespace ir;

void mark_in_place(KernelContext& c) {
  const std::vector<ValueBuilder::Argument>& arguments = c.values.arguments();
  const auto parameter = [&](int buffer, bool written) {
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].buffer == buffer && c.kernel.params[i].written == written) return static_cast<int>(i);
    return -1;
  };
  // pairs of a written buffer and a read buffer that may be the same memory, sorted by the written buffer
  const std::vector<InPlace>& pairs = c.program.in_place;
  for (Param& parameter : c.kernel.params) parameter.in_place.clear();
  for (const StorePlan& store : c.plan.stores)
    for (auto pair = std::lower_bound(pairs.begin(), pairs.end(), InPlace{store.buffer, 0});
         pair != pairs.end() && pair->written == store.buffer; ++pair)
      if (const int read = parameter(pair->read, false); read >= 0)
        c.kernel.params[static_cast<size_t>(read)].in_place.push_back(parameter(store.buffer, true));
}

Index node_index(const Shape& shape, const Index& position) {
  Index index;
  size_t next = 0;
  for (const Dim& d : shape) index.push_back(d.is_constant(1) ? Sym(0) : position[next++]);
  return index;
}

namespace {

/// Returns the position in the output's buffer, in elements, of the first element that this store writes.
Sym offset_of(const StorePlan& plan) { return plan.offset.empty() ? Sym(0) : flatten(plan.offset, plan.shape); }

/// Returns the offset in the buffer at which the parameter for this store begins. Usually that is offset_of(plan). But if an earlier store
/// of the kernel writes to the same buffer, at a constant distance, it is the offset of that store, so that both use the same parameter.
/// For example, real and imaginary parts are interleaved in memory; their stores can be combined only if the distance between them is a
/// constant in the code.
Sym shared_offset(const KernelPlan& kernel, const StorePlan& plan) {
  const Sym offset = offset_of(plan);
  for (const StorePlan& other : kernel.stores)
    if (other.buffer == plan.buffer && (offset - offset_of(other)).is_constant()) return offset_of(other);
  return offset;
}

}  // namespace

Body store_outputs(KernelContext& c, std::span<const size_t> numbers, const Index& position, const UOp* mask) {
  Body stores;
  for (size_t number : numbers) {
    const StorePlan& plan = c.plan.stores[number];
    const Index index = node_index(plan.node->shape, position);
    const Sym shared = shared_offset(c.plan, plan);
    auto* store = c.arena.statement<Store>();
    store->value = c.values.value(plan.node, index, mask);
    store->mask = mask;
    store->buffer = c.values.parameter(plan.buffer, true, shared);
    store->index = c.values.position_in(plan.buffer, index, plan.shape) + (offset_of(plan) - shared);
    store->nontemporal = c.schedule.nontemporal;
    stores.push_back(store);
  }
  return stores;
}

Body store_outputs(KernelContext& c, const Index& position, const UOp* mask) {
  std::vector<size_t> all(c.plan.stores.size());
  std::iota(all.begin(), all.end(), size_t(0));
  return store_outputs(c, all, position, mask);
}

Body inner_loop(const KernelContext& c, Loop* loop, int simd_width, bool overlap, int together) {
  loop->tags.vector = {.lanes = simd_width, .overlap = overlap, .partition = c.schedule.partition, .unswitch = true, .together = together};
  return {loop};
}

namespace {

/// Returns the axes in the order of the loops. Without non-temporal stores that is the order of the output. Non-temporal stores write whole
/// cache lines and are equally fast for any order of the lines, so the loops then take an order in which an input is contiguous. The first
/// axis (the thread axis) and the last one (the vector axis) stay in place.
std::vector<size_t> loop_order(const KernelContext& c, const Shape& space) {
  std::vector<size_t> order(space.size());
  std::iota(order.begin(), order.end(), size_t(0));
  if (!c.schedule.nontemporal || space.size() < 4) return order;
  const KernelViews views(c.program, c.plan);
  for (const StorePlan& store : c.plan.stores)
    for (const View& view : views.of(store.node)) {
      std::vector<int64_t> strides;
      for (size_t axis = 0; axis < view.shape.size(); ++axis)
        if (!view.shape[axis].is_constant(1)) strides.push_back(std::abs(range(view.strides[axis]).hi));
      if (strides.size() != space.size() || std::find(strides.begin(), strides.end(), 0) != strides.end()) continue;
      std::stable_sort(order.begin() + 1, order.end() - 1, [&](size_t a, size_t b) { return strides[a] > strides[b]; });
      return order;
    }
  return order;
}

/// The number of independent chains of operations in which terms are combined if any order gives the same bits. One chain of max, which
/// takes seven cycles for each term because of zeros and NaNs, would leave most units of the processor unused.
constexpr int64_t kChains = 4;

/// Returns the value of a reduction of few terms, at this position of its kept axes (those that are not reduced), as one expression. The
/// terms are combined one after the other, starting from the identity, as docs/semantics.md ("Sums") prescribes for a single block. If any
/// order gives the same bits, they are combined in several chains. For a sum of products +0.0 is added at the end, as in
/// ReduceLowering::result (reduce.cpp).
const UOp* expression_of(KernelContext& c, const Node& reduce, const Index& position) {
  const auto& attributes = reduce.as<ReduceAttributes>();
  const Node& source = *reduce.sources[0];
  Index index(source.shape.size(), Sym(0));
  Shape reduced;
  size_t next = 0;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    const bool is_reduced = std::ranges::find(attributes.axes, static_cast<int>(axis)) != attributes.axes.end();
    if (!is_reduced && !source.shape[axis].is_constant(1)) index[axis] = position[next++];
  }
  for (const int axis : attributes.axes) reduced.push_back(source.shape[static_cast<size_t>(axis)]);
  const DType dtype = accumulator_dtype(reduce);
  const int64_t terms = element_count(reduced).constant();
  const int64_t count = is_free_of_order(reduce.op, reduce.dtype) ? std::clamp<int64_t>(terms / 3, 1, kChains) : 1;
  std::vector<const UOp*> chains(static_cast<size_t>(count), c.arena.constant(accumulator_identity(reduce.op, reduce)));
  for (int64_t term = 0; term < terms; ++term) {
    const UOp*& result = chains[static_cast<size_t>(term % count)];
    const Index at = unflatten(term, reduced);
    for (size_t i = 0; i < at.size(); ++i) index[static_cast<size_t>(attributes.axes[i])] = at[i];
    std::vector<const UOp*> operands;
    for (const Node* operand : operands_of(reduce))
      operands.push_back(to_accumulator(c.arena, reduce, c.values.value(operand, operand->rank() == 0 ? Index{} : index)));
    result = operands.size() > 1 ? sum_of_product(c.arena, operands[0], operands[1], result)
                                 : c.arena.apply(combine_of(reduce.op), dtype, {result, operands[0]});
  }
  const UOp* result = chains[0];
  for (size_t i = 1; i < chains.size(); ++i) result = c.arena.apply(combine_of(reduce.op), dtype, {result, chains[i]});
  return from_accumulator(c.arena, reduce, attributes.product ? end_of_products(c.arena, result) : result);
}

/// Specialises the kernel to the sizes for which `condition`, the guard of its variant, is >= 0. The condition is a minimum of differences
/// between sizes and constants.
void assume(KernelContext& c, Sym condition) {
  std::vector<Sym> parts = {condition}, extents;
  while (!parts.empty()) {
    const Sym part = parts.back();
    parts.pop_back();
    const bool is_atom = !part.is_constant() && part.node()->terms.size() == 1 && part.node()->terms[0].factors.size() == 1;
    const SymAtom* atom = is_atom ? part.node()->terms[0].factors[0] : nullptr;
    if (atom != nullptr && atom->kind == AtomKind::kMin && atom->alone == part)
      parts.insert(parts.end(), {atom->a, atom->b});
    else
      extents.push_back(part + 1);
  }
  assume_nonempty(c.arena, c.kernel.body, extents);
}

/// Binds each reduction of few terms to its value at this position, so that expressions that are made later use that value. The reductions
/// of a pass do not depend on each other, but on those of earlier passes.
void bind_reductions(KernelContext& c, const Index& position) {
  for (const RowPass& pass : c.plan.passes) {
    std::vector<const UOp*> values;
    for (const Node* reduce : pass.reduces) values.push_back(expression_of(c, *reduce, position));
    for (size_t i = 0; i < values.size(); ++i) c.values.bind(pass.reduces[i], values[i]);
  }
}

/// Binds each scan of a single element to its value at this position: to the element, or, for sums and logaddexp, which turn -0 into +0, to
/// the element + 0.
void bind_single_scans(KernelContext& c, const Index& position) {
  std::vector<const UOp*> values;
  for (const Node* scan : c.plan.scans) {
    const Node* source = scan->sources[0];
    const UOp* value = to_accumulator(c.arena, *scan, c.values.value(source, node_index(source->shape, position)));
    const Op combine = combine_of(scan->op);
    const DType dtype = accumulator_dtype(*scan);
    if (is_float(dtype) && (combine == Op::kAdd || combine == Op::kLogAddExp))
      value = c.arena.apply(Op::kAdd, dtype, {value, c.arena.constant(identity_of(Op::kSum, dtype))});
    values.push_back(from_accumulator(c.arena, *scan, value));
  }
  for (size_t i = 0; i < values.size(); ++i) c.values.bind(c.plan.scans[i], values[i]);
}

}  // namespace

void lower_elementwise(KernelContext& c) {
  const Shape space = iteration_space(c.plan);
  Index position(space.size());
  std::vector<Loop*> nest;
  for (const size_t axis : loop_order(c, space)) {
    nest.push_back(new_loop(c.arena, cat("ridx", axis), 0, space[axis]));
    nest.back()->axis = static_cast<int>(axis);
    position[axis] = nest.back()->variable;
  }
  const bool reduces = !c.plan.reduces.empty();
  if (reduces) bind_reductions(c, position);
  bind_single_scans(c, position);
  Body body = store_outputs(c, position);
  mark_in_place(c);
  if (nest.empty()) {
    c.kernel.body = std::move(body);
    return;
  }
  nest.back()->body = std::move(body);
  // A scan of single elements has its vectors across the rows.
  const bool scans = !c.plan.scans.empty();
  const AxisSchedule& vectors = c.schedule.axes[space.size() - (scans ? 2 : 1)];
  inner_loop(c, nest.back(), vectors.simd_width, c.schedule.may_overlap(), scans ? 1 : vectors.unroll);
  nest.back()->tags.vector->narrow = true;  // rows with fewer elements than lanes get narrower vectors
  for (size_t i = nest.size() - 1; i-- > 0;) nest[i]->body = {nest[i + 1]};

  const bool threads = c.schedule.axes[0].kind == AxisKind::kThread, is_gpu = c.program.target.gpu() != nullptr;
  if (threads) nest[0]->loop = LoopKind::kThread;
  if (threads && is_gpu) {
    nest[0]->tags.nest = NestTag{};
    c.kernel.body = {nest[0]};
    return;
  }
  nest[0]->tags.nest = {.is_block = c.plan.blocks > 0,
                        .nonempty = c.schedule.partition,
                        .chunks = threads || c.schedule.nontemporal,
                        .page_prefetches = !c.schedule.nontemporal && !reduces,
                        .gather_prefetches = true};
  c.kernel.body = {nest[0]};
  if (c.holds) assume(c, *c.holds);
}

}  // namespace harp::lower
