// Scatter template: copies the array, then applies the updates (set, add, multiply, max or min) at the positions that the indices give, in
// the order of the scatter axis.
//
//   for each index before the scatter axis
//     for each element along the scatter axis, and each index after it: store x
//     for each update along the scatter axis:                           compute its position
//       for each index after the scatter axis:                          apply the update
//
// If the indices do not vary along the axes after the scatter axis, as when they select rows of a table, an index is read once for each
// row, and the row is updated as vectors. Updates of the same element are applied one after the other, as docs/semantics.md prescribes.
#include "base/text.h"
#include "lower/lower.h"

namespace harp::lower {

using namespace ir;

namespace {

class ScatterLowering {
 public:
  explicit ScatterLowering(KernelContext& context)
      : c_(context),
        arena_(context.arena),
        node_(*context.plan.alone),
        axis_(static_cast<size_t>(node_.as<GatherAttributes>().axis)),
        index_(node_.shape.size(), Sym(0)) {}

  void run() {
    std::vector<Loop*> outer;
    for (size_t axis = 0; axis < axis_; ++axis) open(axis, node_.shape[axis], outer);
    Body body = copied();
    for (Stmt* s : updated()) body.push_back(s);
    body = nested(outer, std::move(body));
    if (!outer.empty() && c_.schedule.axes[0].kind == AxisKind::kThread) first_loop_in(body)->loop = LoopKind::kThread;
    c_.kernel.body = std::move(body);
  }

 private:
  /// Adds a loop over this axis to `loops`, and makes index_[axis] its variable. An axis of size 1 gets no loop.
  void open(size_t axis, Dim size, std::vector<Loop*>& loops) {
    index_[axis] = 0;
    if (size.is_constant(1)) return;
    loops.push_back(new_loop(arena_, cat("ridx", axis), 0, size));
    index_[axis] = loops.back()->variable;
  }
  static Body nested(const std::vector<Loop*>& loops, Body body) {
    for (size_t i = loops.size(); i-- > 0;) {
      loops[i]->body = std::move(body);
      body = {loops[i]};
    }
    return body;
  }
  /// Puts the statement into these loops. Loops over contiguous axes will be fused, and the innermost loop vectorised.
  Body in_loops(const std::vector<Loop*>& loops, Stmt* statement) {
    if (!loops.empty()) {
      inner_loop(c_, loops.back(), c_.schedule.axes.empty() ? 1 : c_.schedule.axes.back().simd_width, c_.schedule.overlap);
      loops[0]->tags.nest = {.gather_prefetches = true};
    }
    return nested(loops, {statement});
  }
  int result() { return c_.values.parameter(c_.plan.stores[0].buffer, true, 0); }

  Body copied() {
    std::vector<Loop*> loops;
    for (size_t axis = axis_; axis < index_.size(); ++axis) open(axis, node_.shape[axis], loops);
    auto* store = arena_.statement<Store>();
    store->value = c_.values.value(node_.sources[0], index_);
    store->buffer = result();
    store->index = flatten(index_, node_.shape);
    return in_loops(loops, store);
  }

  Body updated() {
    const Node &indices = *node_.sources[1], &updates = *node_.sources[2];
    std::vector<Loop*> loops;
    for (size_t axis = axis_; axis < index_.size(); ++axis) open(axis, updates.shape[axis], loops);
    const Dim size = node_.shape[axis_];
    Index there = index_;
    there[axis_] = 0;
    auto* update = arena_.statement<Scatter>();
    update->combine = combination(node_.op);
    update->value = c_.values.value(&updates, index_);
    update->position = arena_.position(c_.values.value(&indices, index_), size);
    update->buffer = result();
    update->index = flatten(there, node_.shape);
    update->stride = element_count(Shape(node_.shape.begin() + static_cast<long>(axis_) + 1, node_.shape.end()));
    Body body = in_loops(loops, update);
    // If the axis is empty, no update is applied.
    return proven_positive(size) ? body : Body{new_if(arena_, size - 1, std::move(body))};
  }

  KernelContext& c_;
  Arena& arena_;
  const Node& node_;
  size_t axis_;
  Index index_;  // index into the updates or into the array; its entries are the variables of the loops around the current statement
};

}  // namespace

void lower_scatter(KernelContext& context) { ScatterLowering(context).run(); }

}  // namespace harp::lower
