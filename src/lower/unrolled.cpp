// The unrolled template lowers kernels with axes of a few elements (short axes), such as a softmax of rows of three columns. The loops run
// over the other axes, and the innermost loop is vectorised, so each lane is a row. An iteration computes every element of the short axes
// as a separate expression. The reduction of a short axis is a tree of operations on values in registers, in the order of
// docs/semantics.md; the running values of a scan are computed in the same way. All elements are loaded before the first one is stored.
// Loads and stores of rows are interleaved accesses (ir/interleaved_accesses.cpp).
//
// In docs/semantics.md ("Sums") accumulators start at the identity, and accumulators to which no element is added keep it. This template
// does not combine values with the identity. The difference matters only where floats are added, by a sum or by logaddexp, and only for the
// sign of a zero: -0.0 + 0.0 is +0.0. Therefore +0.0 is added once, at the end of a sum, and to each running value of a scan that adds.
#include "lower/unrolled.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/text.h"
#include "lower/accumulate.h"
#include "schedule/kernel_structure.h"

namespace harp::lower {

using namespace ir;

namespace {

class UnrolledLowering {
 public:
  explicit UnrolledLowering(KernelContext& context)
      : c_(context), arena_(context.arena), space_(iteration_space(context.plan)), axes_(*unrolled_axes(context.program, context.plan)) {
    for (size_t axis = 0; axis < axes_.vectors; ++axis)
      axes_.unrolled[axis] = axes_.unrolled[axis] && context.schedule.axes[axis].unroll > 1;
  }

  void run() {
    std::vector<Loop*> nest;
    Index position(space_.size(), Sym(0));
    const auto loop_over = [&](size_t axis) {
      nest.push_back(new_loop(arena_, cat("ridx", axis), 0, space_[axis]));
      nest.back()->axis = static_cast<int>(axis);
      position[axis] = nest.back()->variable;
    };
    for (size_t axis = 0; axis < space_.size(); ++axis)
      if (axis != axes_.vectors && !axes_.unrolled[axis]) loop_over(axis);
    loop_over(axes_.vectors);
    Body body;
    for_each_unrolled(position, 0, [&] { append(element(position), body); });
    mark_in_place(c_);
    const bool is_in_place = std::ranges::any_of(c_.kernel.params, [](const Param& p) { return !p.in_place.empty(); });
    nest.back()->body = std::move(body);
    inner_loop(c_, nest.back(), c_.schedule.axes[axes_.vectors].simd_width, c_.schedule.may_overlap() && !is_in_place);
    nest.back()->tags.vector->narrow = true;  // if there are fewer rows than lanes, use narrower vectors
    for (size_t i = nest.size() - 1; i-- > 0;) nest[i]->body = {nest[i + 1]};
    if (c_.schedule.axes[0].kind == AxisKind::kThread) nest[0]->loop = LoopKind::kThread;
    nest[0]->tags.nest = {.is_block = c_.plan.blocks > 0,
                          .nonempty = c_.schedule.partition,
                          .chunks = nest[0]->loop == LoopKind::kThread,
                          .page_prefetches = true,
                          .gather_prefetches = true};
    c_.kernel.body = {nest[0]};
  }

 private:
  static void append(const Body& statements, Body& to) { to.insert(to.end(), statements.begin(), statements.end()); }

  /// Calls f for each combination of indices of the unrolled axes, starting with axis number `axis`; sets the entries of `position` before
  /// each call.
  template <class Visit>
  void for_each_unrolled(Index& position, size_t axis, Visit f) {
    if (axis == space_.size()) return f();
    // the scanned axis is left out, because its elements are computed together
    if (!axes_.unrolled[axis] || static_cast<int>(axis) == scan_axis(c_.plan)) return for_each_unrolled(position, axis + 1, f);
    for (int64_t i = 0; i < space_[axis].constant(); ++i) {
      position[axis] = i;
      for_each_unrolled(position, axis + 1, f);
    }
  }

  /// Returns all stores for one position of the iteration space: those of the results at this position and, in a row-wise kernel, those of
  /// each element of the row. If the kernel scans, returns all stores along the scanned axis.
  Body element(const Index& position) {
    if (!c_.plan.scans.empty()) return scanned(position);
    if (c_.plan.reduces.empty()) return store_outputs(c_, position);
    const std::vector<Index> row = row_at(position);
    Body body;
    for (const RowPass& pass : c_.plan.passes) {
      std::vector<const UOp*> results;
      for (const Node* reduce : pass.reduces)
        results.push_back(is_arg_extreme(reduce->op) ? first_extreme(*reduce, row) : reduced(*reduce, row));
      for (size_t r = 0; r < results.size(); ++r) c_.values.bind(pass.reduces[r], results[r]);
      for (const size_t store : pass.row_stores)
        for (const Index& index : row) append(store_outputs(c_, {&store, 1}, squeezed_index(index)), body);
      append(store_outputs(c_, pass.stores, position), body);
    }
    return body;
  }

  /// Returns the indices, in the reductions' source, of the elements of the row that is reduced at this position, in the order in which
  /// docs/semantics.md ("Sums") combines them.
  std::vector<Index> row_at(const Index& position) const {
    const Node& reduce = *c_.plan.reduces[0];
    const Shape& shape = reduce.sources[0]->shape;
    std::vector<size_t> axes;
    for (const int axis : reduce.as<ReduceAttributes>().axes) axes.push_back(static_cast<size_t>(axis));
    // In lanes order, elements are taken in memory order.
    if (reduce.as<ReduceAttributes>().order == ReduceOrder::kLanes) std::ranges::sort(axes);
    Index index(shape.size(), Sym(0));
    size_t next = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (std::ranges::find(axes, axis) == axes.end() && !shape[axis].is_constant(1)) index[axis] = position[next++];
    std::vector<Index> row = {index};
    for (const size_t axis : axes) {
      std::vector<Index> longer;
      for (const Index& one : row)
        for (int64_t i = 0; i < shape[axis].constant(); ++i) {
          longer.push_back(one);
          longer.back()[axis] = i;
        }
      row = std::move(longer);
    }
    return row;
  }

  Index squeezed_index(const Index& index) const {
    const Shape& shape = c_.plan.reduces[0]->sources[0]->shape;
    Index result;
    for (size_t axis = 0; axis < index.size(); ++axis)
      if (!shape[axis].is_constant(1)) result.push_back(index[axis]);
    return result;
  }

  const UOp* reduced(const Node& reduce, const std::vector<Index>& row) {
    const DType dtype = accumulator_dtype(reduce);
    const Op combine = combine_of(reduce.op);
    const bool is_product = operands_of(reduce).size() > 1, is_chain = reduce.as<ReduceAttributes>().order == ReduceOrder::kChain;
    std::vector<const UOp*> terms;
    for (const Index& index : row) {
      std::vector<const UOp*> factors;
      for (const Node* operand : operands_of(reduce))
        factors.push_back(to_accumulator(arena_, reduce, c_.values.value(operand, operand->rank() == 0 ? Index{} : index)));
      if (is_product && is_chain && !terms.empty())
        terms[0] = sum_of_product(arena_, factors[0], factors[1], terms[0]);
      else
        terms.push_back(is_product ? arena_.apply(Op::kMul, dtype, factors) : factors[0]);
    }
    if (!is_chain) terms = halved_runs(reduce, terms, combine, dtype);
    const UOp* result = chain(terms, combine, dtype);
    if (combine == Op::kAdd && is_float(dtype))
      result = arena_.apply(Op::kAdd, dtype, {result, arena_.constant(identity_of(Op::kSum, dtype))});
    return from_accumulator(arena_, reduce, result);
  }

  /// Returns the stores of all elements along the scanned axis, at this position of the other axes.
  Body scanned(Index position) {
    const auto axis = static_cast<size_t>(scan_axis(c_.plan));
    const int64_t count = space_[axis].constant();
    const bool is_reverse = c_.plan.scans[0]->as<ScanAttributes>().reverse;
    const auto go_to = [&](int64_t i) { position[axis] = is_reverse ? count - 1 - i : i; };
    std::vector<std::vector<const UOp*>> results;
    for (const Node* scan : c_.plan.scans) {
      const Node* source = scan->sources[0];
      std::vector<const UOp*>& elements = results.emplace_back();
      for (int64_t i = 0; i < count; ++i) {
        go_to(i);
        elements.push_back(to_accumulator(arena_, *scan, c_.values.value(source, node_index(source->shape, position))));
      }
      make_running(*scan, elements);
    }
    Body body;
    for (int64_t i = 0; i < count; ++i) {
      go_to(i);
      for (size_t s = 0; s < results.size(); ++s)
        c_.values.bind(c_.plan.scans[s], from_accumulator(arena_, *c_.plan.scans[s], results[s][static_cast<size_t>(i)]));
      append(store_outputs(c_, position), body);
    }
    return body;
  }

  /// Replaces the elements by their running values, in the order of docs/semantics.md ("Scans"). There are no more elements than in one
  /// group of a scan (64).
  void make_running(const Node& scan, std::vector<const UOp*>& elements) {
    constexpr auto kQuad = static_cast<size_t>(ir::kQuad);
    static_assert(kMaxShortAxis <= kScannedGroup);
    const DType dtype = accumulator_dtype(scan);
    const Op combine = combine_of(scan.op);
    const auto combined = [&](const UOp* a, const UOp* b) { return arena_.apply(combine, dtype, {a, b}); };
    if (scan.as<ScanAttributes>().order == ScanOrder::kChain || is_free_of_order(scan.op, scan.dtype)) {
      for (size_t i = 1; i < elements.size(); ++i) elements[i] = combined(elements[i - 1], elements[i]);
    } else {
      const auto hillis_steele = [&](std::span<const UOp*> values) {
        for (size_t step = 1; step < values.size(); step *= 2)
          for (size_t i = values.size(); i-- > step;) values[i] = combined(values[i - step], values[i]);
      };
      std::vector<const UOp*> totals;  // the total of each quad (4 elements) except the last one
      for (size_t first = 0; first < elements.size(); first += kQuad) {
        const std::span<const UOp*> quad = std::span(elements).subspan(first, std::min(kQuad, elements.size() - first));
        hillis_steele(quad);
        if (first + kQuad < elements.size()) totals.push_back(quad.back());
      }
      hillis_steele(totals);
      for (size_t i = kQuad; i < elements.size(); ++i) elements[i] = combined(elements[i], totals[i / kQuad - 1]);
    }
    if (!is_float(dtype) || (combine != Op::kAdd && combine != Op::kLogAddExp)) return;
    const UOp* zero = arena_.constant(identity_of(Op::kSum, dtype));
    for (const UOp*& element : elements) element = arena_.apply(Op::kAdd, dtype, {element, zero});
  }

  /// Returns the index of the first NaN of the row, or, if there is no NaN, of the first element that is the max (or min).
  const UOp* first_extreme(const Node& reduce, const std::vector<Index>& row) {
    const Node& source = *reduce.sources[0];
    const DType dtype = accumulator_dtype(source);
    const bool is_max = combine_of(reduce.op) == Op::kMax;
    const UOp *best = nullptr, *number = arena_.constant(scalar_from_int(DType::kI32, 0));
    for (size_t i = 0; i < row.size(); ++i) {
      const UOp* x = to_accumulator(arena_, source, c_.values.value(&source, row[i]));
      if (i == 0) {
        best = x;
        continue;
      }
      // `best` is kept if it is NaN, or if x <= best (for an argmax) or best <= x (for an argmin). Both comparisons are false if x is NaN,
      // so a NaN replaces a number.
      const UOp* is_worse = arena_.apply(Op::kLe, DType::kBool, is_max ? std::vector{x, best} : std::vector{best, x});
      if (is_float(dtype)) is_worse = arena_.apply(Op::kBitOr, DType::kBool, {is_worse, arena_.apply(Op::kIsNan, DType::kBool, {best})});
      number =
          arena_.apply(Op::kWhere, DType::kI32, {is_worse, number, arena_.constant(scalar_from_int(DType::kI32, static_cast<int64_t>(i)))});
      best = arena_.apply(Op::kWhere, dtype, {is_worse, best, x});
    }
    return arena_.cast(reduce.dtype, number);
  }

  const UOp* chain(const std::vector<const UOp*>& terms, Op combine, DType dtype) {
    const UOp* result = terms[0];
    for (size_t i = 1; i < terms.size(); ++i) result = arena_.apply(combine, dtype, {result, terms[i]});
    return result;
  }
  /// In lanes order, a row consists of the elements of one or more runs of adjacent reduced axes. Returns the result of each run.
  std::vector<const UOp*> halved_runs(const Node& reduce, std::span<const UOp*> terms, Op combine, DType dtype) {
    const auto length = static_cast<size_t>(run_length(reduce).constant());
    std::vector<const UOp*> results;
    for (size_t first = 0; first < terms.size(); first += length) {
      const std::span<const UOp*> run = terms.subspan(first, length);
      results.push_back(halved(arena_, {run.begin(), run.end()}, combine, dtype));
    }
    return results;
  }

  KernelContext& c_;
  Arena& arena_;
  const Shape space_;
  UnrolledAxes axes_;
};

}  // namespace

void lower_unrolled(KernelContext& context) { UnrolledLowering(context).run(); }

}  // namespace harp::lower
