// Routine template: rows lie in memory one after the other, and a routine of the unit (render/sort.cpp, render/dft.cpp) works on blocks of
// them, each block with memory of its own.
#include "schedule/routine.h"
#include "lower/lower.h"

namespace harp::lower {

using namespace ir;

void lower_routine(KernelContext& c) {
  const Node& node = *c.plan.alone;
  const Shape& shape = node.sources[0]->shape;
  const Shape kept(shape.begin(), shape.end() - 1);
  const Sym rows = element_count(kept), blocks = routine_blocks(node);
  Stmt* routine = c.arena.statement(StmtKind::kRoutine);
  routine->routine = node.op;
  for (const Node* source : node.sources) routine->inputs.push_back(c.values.parameter(c.program.buffer_of.at(source), false));
  routine->buffer = c.values.parameter(c.plan.stores[0].buffer, true);
  routine->spare = c.values.parameter(c.plan.spare, true);
  routine->length = shape.back();
  routine->index = rows * shape.back();
  if (squeezed(kept).empty()) {
    routine->end = 1;
    c.kernel.body = {routine};
    return;
  }
  Stmt* loop = new_loop(c.arena, "ridx0", 0, blocks);
  if (!c.schedule.axes.empty() && c.schedule.axes[0].kind == AxisKind::kThread) loop->loop = LoopKind::kThread;
  routine->begin = floor_div(loop->variable * rows, blocks);
  routine->end = floor_div((loop->variable + 1) * rows, blocks);
  routine->spare_index = loop->variable * routine_spare(node);
  loop->body = {routine};
  c.kernel.body = {loop};
}

}  // namespace harp::lower
