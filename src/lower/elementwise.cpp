// Elementwise template: one loop an axis, in row-major order of what is stored. Contiguous axes become one loop; a single long loop is
// cut into chunks, so that threads have something to share out.
#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "lower/lower.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kChunk = 4096;  // elements: a thread's least share, and what stays in L1 between kernels of a later tiling
constexpr int kMaxParts = 6;      // of a partitioned inner loop

}  // namespace

void mark_in_place(KernelContext& c) {
  const std::vector<ValueBuilder::Argument>& arguments = c.values.arguments();
  const auto parameter = [&](int buffer, bool written) {
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].buffer == buffer && c.kernel.params[i].written == written) return static_cast<int>(i);
    return -1;
  };
  const std::vector<InPlace>& pairs = c.program.in_place;  // sorted by what is written
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

/// Elements from the start of its buffer at which what is stored begins.
Sym offset_of(const StorePlan& plan) { return plan.offset.empty() ? Sym(0) : flatten(plan.offset, plan.shape); }

/// One that the others of the same buffer, a known number of elements away, are counted from: parts of complex numbers, say, lie side by
/// side, and are stored so if that shows.
Sym shared_offset(const KernelPlan& kernel, const StorePlan& plan) {
  const Sym offset = offset_of(plan);
  for (const StorePlan& other : kernel.stores)
    if (other.buffer == plan.buffer && (offset - offset_of(other)).is_constant()) return offset_of(other);
  return offset;
}

}  // namespace

Body store_outputs(KernelContext& c, std::span<const size_t> numbers, const Index& position) {
  Body stores;
  for (size_t number : numbers) {
    const StorePlan& plan = c.plan.stores[number];
    const Index index = node_index(plan.node->shape, position);
    const Sym shared = shared_offset(c.plan, plan);
    Stmt* store = c.arena.statement(StmtKind::kStore);
    store->value = c.values.value(plan.node, index);
    store->buffer = c.values.parameter(plan.buffer, true, shared);
    store->index = flatten(index, plan.shape) + (offset_of(plan) - shared);
    stores.push_back(store);
  }
  return stores;
}

Body store_outputs(KernelContext& c, const Index& position) {
  std::vector<size_t> all(c.plan.stores.size());
  std::iota(all.begin(), all.end(), size_t(0));
  return store_outputs(c, all, position);
}

Body finish_inner_loop(KernelContext& c, Stmt* loop, int simd_width, bool overlap) {
  Body parts = c.schedule.partition ? partition(c.arena, loop, kMaxParts) : Body{loop};
  Body result;
  // unswitch gives ifs with loops inside: vectorise those
  const auto finish = [&](auto& self, const Body& body) -> Body {
    Body done;
    for (Stmt* s : body) {
      if (s->kind == StmtKind::kIf) {
        s->body = self(self, s->body);
        s->otherwise = self(self, s->otherwise);
        done.push_back(s);
      } else {
        for (Stmt* v : vectorise(c.arena, s, simd_width, overlap, c.kernel.params)) done.push_back(v);
      }
    }
    return done;
  };
  for (Stmt* part : parts)
    for (Stmt* s : finish(finish, unswitch(c.arena, part))) result.push_back(s);
  return result;
}

void lower_elementwise(KernelContext& c) {
  const Shape space = iteration_space(c.plan);
  Index position;
  std::vector<Stmt*> nest;
  for (size_t i = 0; i < space.size(); ++i) {
    nest.push_back(new_loop(c.arena, cat("ridx", i), 0, space[i]));
    position.push_back(nest.back()->variable);
  }
  Body body = store_outputs(c, position);
  mark_in_place(c);
  if (nest.empty()) {
    c.kernel.body = std::move(body);
    return;
  }
  nest.back()->body = std::move(body);
  for (size_t i = nest.size() - 1; i-- > 0;) nest[i]->body = {nest[i + 1]};

  Body all = {nest[0]};
  if (c.schedule.partition && has_borders(c.arena, all)) c.guard = assume_nonempty(c.arena, all, space);
  Stmt* outer = collapse(c.arena, all[0]);
  const bool threads = c.schedule.axes[0].kind == AxisKind::kThread;
  if (outer->body[0]->kind != StmtKind::kLoop && threads && range(outer->end).hi > kChunk) {
    Stmt* chunks = new_loop(c.arena, "chunk", 0, ceil_div(outer->end, kChunk));
    const Sym begin = chunks->variable * kChunk;
    Stmt* inner = new_loop(c.arena, "ridx0", begin, min(begin + kChunk, outer->end));
    Substituter over(c.arena, {{variable_of(outer->variable), inner->variable}});
    inner->body = over(outer->body);
    chunks->body = {inner};
    outer = chunks;
  }
  Stmt *parent = nullptr, *inner = outer;
  while (inner->body[0]->kind == StmtKind::kLoop) parent = inner, inner = inner->body[0];
  Body finished = finish_inner_loop(c, inner, c.schedule.axes.back().simd_width, c.schedule.overlap);
  if (parent == nullptr) {
    c.kernel.body = std::move(finished);
    return;
  }
  parent->body = std::move(finished);
  if (threads) outer->loop = LoopKind::kThread;
  c.kernel.body = {outer};
}

}  // namespace harp::lower
