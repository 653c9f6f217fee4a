#include "lower/gpu/scatter.h"

#include <algorithm>
#include <optional>

#include "ir/walk.h"
#include "lower/accumulate.h"
#include "schedule/sorted_scatters.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kScatterThreads = 256, kChunk = 4096, kRun = 32, kRuns = kChunk / kRun;
// distance between two runs of indices in shared memory; it is odd, so that threads access different banks
constexpr int64_t kRunPitch = kRun + 1;
// Number of ranges of the scatter axis if the number of elements along the axes in front of it is unknown.
constexpr int64_t kGroupsOfUnknown = 16;

class GroupScatter {
 public:
  explicit GroupScatter(KernelContext& context)
      : c_(context), arena_(context.arena), node_(*context.plan.alone), axis_(static_cast<size_t>(node_.as<GatherAttributes>().axis)) {
    const Shape& updates = node_.sources[2]->shape;
    outer_ = Shape(node_.shape.begin(), node_.shape.begin() + static_cast<std::ptrdiff_t>(axis_));
    inner_ = Shape(updates.begin() + static_cast<std::ptrdiff_t>(axis_) + 1, updates.end());
    length_ = node_.shape[axis_], count_ = updates[axis_];
  }

  void run() {
    const Sym column = new_loop(arena_, "column", 0, element_count(inner_))->variable;
    if (are_atomic())
      by_updates();
    else if (node_.as<GatherAttributes>().is_sorted)
      by_sorted_updates();
    else if (is_without_columns() ||
             depends(position(Index(axis_, Sym(0)), new_loop(arena_, "update", 0, count_)->variable, column), column))
      by_columns();
    else
      by_ranges();
  }

 private:
  /// Tests whether the updates have the same result in every order and a GPU has atomic operations for them.
  bool are_atomic() const {
    const std::optional<Op> combine = combination(node_.op);
    return is_int(node_.dtype) && size_of(node_.dtype) >= 4 && (combine == Op::kAdd || combine == Op::kMax || combine == Op::kMin);
  }

  /// Tests whether there is nothing to update because an axis behind the scatter axis is empty. The indices may have no elements then, and
  /// by_ranges() would read beyond them. (If the size of that axis is unknown and the indices have the axis, positions depend on the
  /// column.)
  bool is_without_columns() const { return element_count(inner_).is_constant(0); }

  Index index_of(const Index& outer, Sym update, Sym column) const {
    Index index = outer;
    index.push_back(update);
    const Index inner = unflatten(column, inner_);
    index.insert(index.end(), inner.begin(), inner.end());
    return index;
  }
  /// Returns the position along the scatter axis to which update number `update` applies.
  const UOp* position(const Index& outer, Sym update, Sym column) {
    return arena_.position(c_.values.value(node_.sources[1], index_of(outer, update, column)), length_);
  }
  static bool depends(const UOp* value, Sym variable) {
    return any_uop({value}, [&](const UOp* u) {
      return (has_position(u) && depends_on(u->index, variable_of(variable))) ||
             (u->kind == UKind::kGather && depends_on(u->stride, variable_of(variable)));
    });
  }

  Scatter* update(const Index& outer, Sym number, Sym column, const UOp* position) {
    Index there = index_of(outer, 0, column);
    auto* s = arena_.statement<Scatter>();
    s->combine = combination(node_.op);
    s->value = c_.values.value(node_.sources[2], index_of(outer, number, column));
    s->position = position;
    s->buffer = c_.values.parameter(c_.plan.stores[0].buffer, true, 0);
    s->index = flatten(there, node_.shape);
    s->stride = element_count(Shape(node_.shape.begin() + static_cast<std::ptrdiff_t>(axis_) + 1, node_.shape.end()));
    return s;
  }

  /// The element of the updates that a thread processes.
  struct Own {
    Index outer;  // its index along the axes in front of the scatter axis
    Sym number, column;
  };
  /// Makes a loop with a thread for each element of the updates, which executes the statements that body_of() returns.
  template <class BodyOf>
  void for_each_update(BodyOf body_of) {
    Shape space = outer_;
    space.push_back(count_);
    space.insert(space.end(), inner_.begin(), inner_.end());
    Loop* threads = new_loop(arena_, "update", 0, element_count(space), LoopKind::kThread);
    const Index index = unflatten(threads->variable, space);
    const auto at = index.begin() + static_cast<std::ptrdiff_t>(axis_);
    const Own own{Index(index.begin(), at), *at, flatten(Index(at + 1, index.end()), inner_)};
    threads->body = where_not_empty(body_of(own));
    c_.kernel.body = {threads};
  }

  /// Makes a kernel in which each thread applies one update.
  void by_updates() {
    for_each_update([&](const Own& own) {
      Scatter* atomic = update(own.outer, own.number, own.column, position(own.outer, own.number, own.column));
      atomic->atomic = true;
      return Body{atomic};
    });
  }

  /// Makes a kernel in which the thread of the first update of a row applies all updates of the row, in one column. The updates must be
  /// sorted by the row to which they apply.
  void by_sorted_updates() {
    for_each_update([&](const Own& own) {
      auto *row = arena_.statement<Define>(), *before = arena_.statement<Define>();
      row->variable = arena_.syms().loop("place", 0, length_);
      row->value = arena_.cast(DType::kI64, position(own.outer, own.number, own.column));
      before->variable = arena_.syms().loop("previous", 0, length_);
      before->value = arena_.cast(DType::kI64, position(own.outer, max(own.number - 1, 0), own.column));
      // The update is the first one of its row if it is the first one of all, or if the update before it applies to a lower row.
      const Sym is_first = max(row->variable - before->variable - 1, Sym(0) - own.number);
      before->body = {new_if(arena_, is_first, applied(own, row->variable))};
      row->body = {before};
      return Body{row};
    });
  }

  /// Returns the statements that apply all updates of this row, from the thread's own one on, to one element of the row.
  Body applied(const Own& own, Sym row) {
    const auto add_accumulator = [&](DType dtype, Op combine) {
      c_.kernel.accumulators.push_back(
          {.type = {dtype, 1}, .combine = combine, .init = scalar_from_int(dtype, 0), .space = Space::kRegister});
      return static_cast<int>(c_.kernel.accumulators.size()) - 1;
    };
    const int sum = add_accumulator(node_.dtype, *combination(node_.op)), ends = add_accumulator(DType::kI32, Op::kMax);
    const Sym place = flatten(index_of(own.outer, row, own.column), node_.shape);
    const int result = c_.values.parameter(c_.plan.stores[0].buffer, true, 0);

    Loop* updates = new_loop(arena_, "next", own.number, count_);
    auto* end = arena_.statement<Break>();
    end->accumulator = ends;
    const UOp* other = arena_.cast(DType::kI64, position(own.outer, updates->variable, own.column));
    const UOp* is_other = arena_.apply(Op::kNe, DType::kBool, {other, arena_.index(row)});
    updates->body = {
        set_accumulator(arena_, ends, 0, arena_.cast(DType::kI32, is_other)), end,
        update_accumulator(arena_, sum, 0, c_.values.value(node_.sources[2], index_of(own.outer, updates->variable, own.column)))};
    auto* store = arena_.statement<Store>();
    store->value = arena_.acc(node_.dtype, sum, 0);
    store->buffer = result;
    store->index = place;
    return {declare_accumulator(arena_, sum, arena_.load(node_.dtype, result, place)), declare_accumulator(arena_, ends), updates, store};
  }

  /// Makes a kernel in which each thread applies the updates for one index of the axes in front of the scatter axis and one index of the
  /// axes behind it.
  void by_columns() {
    Shape space = outer_;
    space.insert(space.end(), inner_.begin(), inner_.end());
    Loop *threads = new_loop(arena_, "column", 0, element_count(space), LoopKind::kThread),
         *updates = new_loop(arena_, "update", 0, count_);
    Index outer = unflatten(threads->variable, space);
    const Index inner(outer.begin() + static_cast<std::ptrdiff_t>(axis_), outer.end());
    outer.resize(axis_);
    const Sym column = flatten(inner, inner_);
    updates->body = {update(outer, updates->variable, column, position(outer, updates->variable, column))};
    threads->body = where_not_empty({updates});
    c_.kernel.body = {threads};
  }
  Body where_not_empty(Body body) {
    return proven_positive(length_) ? std::move(body) : Body{new_if(arena_, length_ - 1, std::move(body))};
  }

  /// Makes a kernel in which each group of threads applies the updates of one range of the scatter axis, for one index of the axes in front
  /// of it.
  void by_ranges() {
    const Sym outer_count = element_count(outer_);
    const int64_t wanted =
        outer_count.is_constant() ? std::max<int64_t>(1, kScatterGroups / std::max<int64_t>(1, outer_count.constant())) : kGroupsOfUnknown;
    const int64_t ranges = std::min(wanted, std::max<int64_t>(1, range(length_).hi));
    // If there is only one index of the axes in front of the scatter axis, the number of groups is limited to the length of the scatter
    // axis.
    const bool is_alone = outer_count.is_constant(1);
    Loop* blocks = new_loop(arena_, "block", 0, is_alone ? min(length_, ranges) : outer_count * ranges, LoopKind::kThread);
    const Index outer = unflatten(is_alone ? Sym(0) : floor_div(blocks->variable, ranges), outer_);
    const Sym number = is_alone ? blocks->variable : mod(blocks->variable, ranges);
    const Sym size = ceil_div(length_, ranges), first = number * size;
    rows_ = shared(kRuns * kRunPitch), hits_ = shared(kRuns);
    blocks->body = {declare_accumulator(arena_, rows_), declare_accumulator(arena_, hits_)};

    Loop* chunks = new_loop(arena_, "chunk", 0, ceil_div(count_, kChunk));
    const Sym begin = chunks->variable * kChunk;
    chunks->body = {find_rows(outer, begin, first, size), arena_.statement<Barrier>(), find_runs(),
                    arena_.statement<Barrier>(),          apply(outer, begin, first),  arena_.statement<Barrier>()};
    blocks->body.push_back(chunks);
    c_.kernel.body = {blocks};
  }

  int shared(int64_t count) {
    c_.kernel.accumulators.push_back(
        {.type = {DType::kI32, 1}, .count = count, .init = scalar_from_int(DType::kI32, 0), .space = Space::kShared, .is_row = true});
    return static_cast<int>(c_.kernel.accumulators.size()) - 1;
  }
  Loop* new_group() { return new_loop(arena_, "thread", 0, kScatterThreads, LoopKind::kGroup); }
  const UOp* zero() { return arena_.constant(scalar_from_int(DType::kI32, 0)); }

  /// Sets one element of the shared array rows_ for each index of a chunk: to 1 + the row, counted from the start of the group's range, if
  /// the index is in that range, and to 0 if it is not.
  Stmt* find_rows(const Index& outer, Sym begin, Sym first, Sym size) {
    const auto all = [&](bool is_whole) {
      Loop *group = new_group(), *step = new_loop(arena_, "step", 0, kChunk / kScatterThreads, LoopKind::kUnroll);
      const Sym at = step->variable * kScatterThreads + group->variable, place = floor_div(at, kRun) * kRunPitch + mod(at, kRun);
      const UOp* along = arena_.cast(DType::kI64, position(outer, begin + at, 0));
      const UOp* row = arena_.apply(Op::kAdd, DType::kI64, {along, arena_.index(-first)});
      const UOp *is_from = arena_.apply(Op::kLe, DType::kBool, {arena_.index(0), row}),
                *is_to = arena_.apply(Op::kLt, DType::kBool, {row, arena_.index(size)}),
                *is_inside = arena_.apply(Op::kBitAnd, DType::kBool, {is_from, is_to});
      const UOp* mark = arena_.cast(DType::kI32, arena_.apply(Op::kAdd, DType::kI64, {row, arena_.index(1)}));
      Stmt* found = set_accumulator(arena_, rows_, place, arena_.alu(Op::kWhere, DType::kI32, {is_inside, mark, zero()}));
      if (!is_whole) found = new_if(arena_, count_ - 1 - begin - at, {found}, {set_accumulator(arena_, rows_, place, zero())});
      step->body = {found};
      group->body = {step};
      return group;
    };
    if (proven_less(count_, kChunk)) return all(false);
    return new_if(arena_, count_ - begin - kChunk, {all(true)}, {all(false)});
  }

  /// Sets one element of the shared array hits_ for each run of 32 indices of the chunk: to a positive number if the run contains an index
  /// in the group's range, and to 0 if it does not.
  Loop* find_runs() {
    Loop *group = new_group(), *index = new_loop(arena_, "index", 0, kRun, LoopKind::kUnroll);
    c_.kernel.accumulators.push_back(
        {.type = {DType::kI32, 1}, .combine = Op::kMax, .init = scalar_from_int(DType::kI32, 0), .space = Space::kRegister});
    const int any = static_cast<int>(c_.kernel.accumulators.size()) - 1;
    index->body = {update_accumulator(arena_, any, 0, arena_.acc(DType::kI32, rows_, group->variable * kRunPitch + index->variable))};
    group->body = {new_if(
        arena_, Sym(kRuns - 1) - group->variable,
        {declare_accumulator(arena_, any), index, set_accumulator(arena_, hits_, group->variable, arena_.acc(DType::kI32, any, 0))})};
    return group;
  }

  /// Applies those updates of the chunk whose index is in the range, in order.
  Loop* apply(const Index& outer, Sym begin, Sym first) {
    Loop *group = new_group(), *runs = new_loop(arena_, "run", 0, min(Sym(kRuns), ceil_div(count_ - begin, kRun))),
         *index = new_loop(arena_, "index", 0, kRun);
    auto *any = arena_.statement<Define>(), *mark = arena_.statement<Define>();
    any->variable = arena_.syms().loop("any", 0, INT32_MAX);
    any->value = arena_.cast(DType::kI64, arena_.acc(DType::kI32, hits_, runs->variable));
    mark->variable = arena_.syms().loop("mark", 0, INT32_MAX);
    mark->value = arena_.cast(DType::kI64, arena_.acc(DType::kI32, rows_, runs->variable * kRunPitch + index->variable));

    const Sym columns = element_count(inner_), number = begin + runs->variable * kRun + index->variable;
    const UOp* position = arena_.index(first + mark->variable - 1);
    Body updates;
    if (proven_at_most(columns, kScatterThreads)) {
      updates = {update(outer, number, group->variable, position)};
      if (!proven_at_most(kScatterThreads, columns)) updates = {new_if(arena_, columns - 1 - group->variable, std::move(updates))};
    } else {
      Loop* step = new_loop(arena_, "step", 0, ceil_div(columns - group->variable, kScatterThreads));
      step->body = {update(outer, number, step->variable * kScatterThreads + group->variable, position)};
      updates = {step};
    }
    mark->body = {new_if(arena_, mark->variable - 1, std::move(updates))};
    index->body = {mark};
    any->body = {new_if(arena_, any->variable - 1, {index})};
    runs->body = {any};
    group->body = {runs};
    return group;
  }

  KernelContext& c_;
  Arena& arena_;
  const Node& node_;
  const size_t axis_;
  Shape outer_, inner_;  // outer_: shape of the axes before the scatter axis; inner_: shape of those after it
  Sym length_, count_;   // length_: number of elements along the scatter axis; count_: number of updates along it
  int rows_ = -1, hits_ = -1;
};

}  // namespace

bool scatters_by_groups(const KernelPlan& plan, const Schedule& schedule) {
  const int axis = scatter_axis(plan);
  return axis >= 0 && schedule.axes[static_cast<size_t>(axis)].kind == AxisKind::kThreadGroup;
}

void lower_scatter_copy(KernelContext& c) {
  const Node& node = *c.plan.alone;
  Loop* loop = new_loop(c.arena, "element", 0, element_count(node.shape), LoopKind::kThread);
  auto* store = c.arena.statement<Store>();
  store->value = c.values.value(node.sources[0], unflatten(loop->variable, node.shape));
  store->buffer = c.values.parameter(c.plan.stores[0].buffer, true, 0);
  store->index = loop->variable;
  loop->body = {store};
  c.kernel.body = {loop};
}

void lower_scatter_updates(KernelContext& context) { GroupScatter(context).run(); }

}  // namespace harp::lower
