// The routine template lowers kernels that sort or Fourier-transform rows. The rows, which are at equal distances in memory, are divided
// into blocks. A function of the generated source (render/routines/sort.cpp, argsort.cpp, dft.cpp) processes the rows of a block. Each
// block has its own scratch memory.
#include "schedule/routine.h"

#include <algorithm>

#include "lower/accumulate.h"
#include "lower/lower.h"
#include "lower/row_parts.h"

namespace harp::lower {

using namespace ir;

namespace {

/// Returns a Routine statement with its inputs, output and length, and with the scratch memory of block number `block`, if it needs any;
/// the caller sets the range of rows.
Routine* new_routine(KernelContext& c, std::span<const Node* const> sources, Sym block) {
  const Node& node = *c.plan.alone;
  auto* routine = c.arena.statement<Routine>();
  routine->routine = node.op;
  routine->descending = node.op == Op::kSort && node.as<SortAttributes>().descending;
  routine->kept = kept_of_sort(node);
  for (const Node* source : sources) routine->inputs.push_back(c.values.parameter(c.program.buffer_of.at(source), false));
  routine->buffer = c.values.parameter(c.plan.stores[0].buffer, true);
  routine->length = node.sources[0]->shape.back();
  if (!routine->kept.is_constant(0)) return routine;
  if (c.plan.scratch >= 0) {
    routine->spare = c.values.parameter(c.plan.scratch, true);
    routine->spare_index = block * routine_scratch(node, c.program.transforms);
  } else {
    // The scratch memory must be an array even for rows of length 0, and an accumulator of one element would be a scalar; so it has at
    // least 2 elements.
    const int64_t elements = std::max<int64_t>(2, routine_scratch(node, c.program.transforms).constant());
    if (c.kernel.accumulators.empty()) Accumulators(c.kernel).add_array(node.dtype, elements);
    routine->accumulator = 0;
  }
  return routine;
}

/// Returns the statement. If its scratch memory is an accumulator instead of a workspace buffer, the declaration of the accumulator comes
/// first.
Body with_memory(KernelContext& c, Stmt* statement) {
  return c.kernel.accumulators.empty() ? Body{statement} : Body{declare_accumulator(c.arena, 0), statement};
}

Loop* new_block_loop(KernelContext& c, Sym blocks) {
  Loop* loop = new_loop(c.arena, "ridx0", 0, blocks);
  if (!c.schedule.axes.empty() && c.schedule.axes[0].kind == AxisKind::kThread) loop->loop = LoopKind::kThread;
  return loop;
}

/// Divides `count` rows among `blocks` blocks, and sets the range of the loop or routine to the share of block number `block`.
void share(Sym count, Sym block, Sym blocks, Is<Loop, Routine> auto* statement) {
  statement->begin = floor_div(block * count, blocks);
  statement->end = floor_div((block + 1) * count, blocks);
}

/// Lowers a Fourier transform. If its rows extend along a single axis, that axis is divided among the blocks. Otherwise the other row axes,
/// flattened, are divided among the blocks, and each Routine statement processes the rows along the last row axis.
void lower_transform(KernelContext& c, const Transform& t) {
  const auto routine_at = [&](Sym block, Sym position) {
    Routine* routine = new_routine(c, t.from, block);
    routine->columns = t.columns;
    routine->kept = t.kept;
    routine->parts = parts_of(t, position);
    const auto layout = [&](size_t first) {
      const Routine::Part &re = routine->parts[first], &im = routine->parts[first + 1];
      return complex_layout(t.columns > 0 ? re.row_step : re.step, re.start, im.start);
    };
    routine->layout = t.is_real ? ComplexLayout::kReal : t.from[0] == t.from[1] ? layout(0) : ComplexLayout::kSeparate;
    routine->to_layout = layout(2);
    routine->end = t.rows.empty() ? Sym(1) : t.rows.back().size;
    return routine;
  };
  if (t.rows.empty()) {
    c.kernel.body = with_memory(c, routine_at(0, 0));
    return;
  }
  const Sym blocks = transform_blocks(t);
  Loop* loop = new_block_loop(c, blocks);
  if (t.rows.size() == 1) {
    Routine* routine = routine_at(loop->variable, 0);
    share(t.rows[0].size, loop->variable, blocks, routine);
    loop->body = with_memory(c, routine);
  } else {
    Sym others = 1;
    for (size_t axis = 0; axis + 1 < t.rows.size(); ++axis) others = others * t.rows[axis].size;
    // The range of the variable is that of the rows of all blocks, because share() sets only the bounds of the loop.
    Loop* inner = new_loop(c.arena, "ridx1", 0, others);
    share(others, loop->variable, blocks, inner);
    inner->body = {routine_at(loop->variable, inner->variable)};
    loop->body = with_memory(c, inner);
  }
  c.kernel.body = {loop};
}

}  // namespace

std::vector<Routine::Part> parts_of(const Transform& t, Sym position) {
  const TransformAxis last = t.rows.empty() ? TransformAxis{1, 0, 0} : t.rows.back();
  Sym from = 0, to = 0;
  for (size_t axis = t.rows.empty() ? 0 : t.rows.size() - 1; axis-- > 0;) {
    const TransformAxis& outer = t.rows[axis];
    const Sym at = axis == 0 ? position : mod(position, outer.size);
    from = from + at * outer.from_step;
    to = to + at * outer.to_step;
    position = floor_div(position, outer.size);
  }
  return {{t.from_start[0] + from, last.from_step, t.element.from_step},
          {t.from_start[1] + from, last.from_step, t.element.from_step},
          {t.to_start[0] + to, last.to_step, t.element.to_step},
          {t.to_start[1] + to, last.to_step, t.element.to_step}};
}

void lower_routine(KernelContext& c) {
  const Node& node = *c.plan.alone;
  if (const auto transform = c.program.transforms.find(&node); transform != c.program.transforms.end())
    return lower_transform(c, transform->second);
  const Shape& shape = node.sources[0]->shape;
  const Shape kept(shape.begin(), shape.end() - 1);
  if (squeezed(kept).empty()) {
    Routine* routine = new_routine(c, node.sources, 0);
    routine->end = 1;
    c.kernel.body = with_memory(c, routine);
    return;
  }
  const Sym blocks = routine_blocks(node);
  Loop* loop = new_block_loop(c, blocks);
  Routine* routine = new_routine(c, node.sources, loop->variable);
  share(element_count(kept), loop->variable, blocks, routine);
  loop->body = with_memory(c, routine);
  c.kernel.body = {loop};
}

}  // namespace harp::lower
