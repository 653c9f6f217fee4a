// Sort template: the rows of an array of integers lie in memory one after the other, and a routine of the unit sorts each
// (render/sort.cpp).
#include "lower/lower.h"

namespace harp::lower {

using namespace ir;

void lower_sort(KernelContext& c) {
  const Node& node = *c.plan.alone;
  const Sym length = node.shape.back();
  const Shape kept(node.shape.begin(), node.shape.end() - 1);
  const Sym rows = element_count(kept);
  Stmt* sort = c.arena.statement(StmtKind::kSortRow);
  sort->keys = c.values.parameter(c.program.buffer_of.at(node.sources[0]), false);
  sort->buffer = c.values.parameter(c.plan.stores[0].buffer, true);
  sort->spare = c.values.parameter(c.plan.spare, true);
  sort->end = length;
  if (squeezed(kept).empty()) {
    c.kernel.body = {sort};
    return;
  }
  Stmt* loop = new_loop(c.arena, "ridx0", 0, rows);
  if (!c.schedule.axes.empty() && c.schedule.axes[0].kind == AxisKind::kThread) loop->loop = LoopKind::kThread;
  sort->index = loop->variable * length;
  loop->body = {sort};
  c.kernel.body = {loop};
}

}  // namespace harp::lower
