// Makes the kernel of one phase of a routine. The iterations of the thread loop are the blocks among which the phase divides its work. All
// threads of a block execute one Routine statement together; the renderer provides its source text (render/cuda/sort.cpp, fourier.cpp).
#include "lower/gpu/routine.h"

#include "lower/lower.h"
#include "lower/row_parts.h"

namespace harp::lower {

using namespace ir;

namespace {

/// Sets the addresses and layouts of the arrays that a Fourier transform reads and writes. `position` is the flattened index along all row
/// axes except the last one.
void set_parts(Routine& routine, const Transform& t, Sym position) {
  routine.parts = parts_of(t, position);
  routine.kept = t.kept;
  routine.layout = t.is_real ? ComplexLayout::kReal : ComplexLayout::kSeparate;
  routine.end = t.rows.empty() ? Sym(1) : t.rows.back().size;
}

}  // namespace

void lower_phase(KernelContext& c, const GridRoutine& whole, const RoutinePhase& phase) {
  const Node& node = *c.plan.alone;
  const auto transform = c.program.transforms.find(&node);
  const bool transforms = transform != c.program.transforms.end();
  auto* routine = c.arena.statement<Routine>();
  routine->routine = node.op;
  routine->descending = node.op == Op::kSort && node.as<SortAttributes>().descending;
  routine->threads = phase.threads;
  routine->phase = phase.number;
  routine->blocks = phase.blocks;
  routine->length = node.sources[0]->shape.back();
  const auto add_input = [&](const Node* source) { routine->inputs.push_back(c.values.parameter(c.program.buffer_of.at(source), false)); };
  if (transforms)
    for (const Node* source : transform->second.from) add_input(source);
  else
    add_input(node.sources[0]);
  routine->buffer = c.values.parameter(c.plan.stores[0].buffer, true);
  if (c.plan.scratch >= 0) routine->spare = c.values.parameter(c.plan.scratch, true);

  const bool by_position = !phase.is_once && !whole.positions.is_constant(1);
  Loop* loop = new_loop(c.arena, "block", 0, by_position ? whole.positions * phase.blocks : phase.blocks, LoopKind::kThread);
  const Sym position = by_position ? floor_div(loop->variable, phase.blocks) : Sym(0);
  routine->block = by_position ? mod(loop->variable, phase.blocks) : loop->variable;
  routine->spare_index = whole.tables + position * whole.memory;
  if (transforms) {
    set_parts(*routine, transform->second, position);
  } else {
    const Shape& shape = node.sources[0]->shape;
    routine->end = element_count(Shape(shape.begin(), shape.end() - 1));
  }
  loop->body = {routine};
  c.kernel.body = {loop};
}

}  // namespace harp::lower
