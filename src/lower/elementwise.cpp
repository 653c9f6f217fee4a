// Elementwise template: one loop for each axis, in row-major order of the output. Contiguous axes are fused into one loop; a single long
// loop is split into chunks to distribute among threads.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include "base/text.h"
#include "lower/accumulate.h"
#include "lower/gather_prefetch.h"
#include "lower/lower.h"
#include "schedule/views.h"

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kChunk = 4096;  // in elements: the smallest share of a thread, which also stays in L1 between kernels of a later tiling
constexpr int kMaxParts = 6;      // most parts of a partitioned inner loop

}  // namespace

void mark_in_place(KernelContext& c) {
  const std::vector<ValueBuilder::Argument>& arguments = c.values.arguments();
  const auto parameter = [&](int buffer, bool written) {
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].buffer == buffer && c.kernel.params[i].written == written) return static_cast<int>(i);
    return -1;
  };
  const std::vector<InPlace>& pairs = c.program.in_place;  // sorted by the written buffer
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

/// Returns the offset in elements from the start of the buffer to the first stored element.
Sym offset_of(const StorePlan& plan) { return plan.offset.empty() ? Sym(0) : flatten(plan.offset, plan.shape); }

/// Returns one common base offset for stores to the same buffer at a constant distance. For example, real and imaginary parts are
/// interleaved in memory, and stores can only be paired if their distance is visible.
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
    auto* store = c.arena.statement<Store>();
    store->value = c.values.value(plan.node, index);
    store->buffer = c.values.parameter(plan.buffer, true, shared);
    store->index = c.values.position_in(plan.buffer, index, plan.shape) + (offset_of(plan) - shared);
    store->stream = c.schedule.stream;
    stores.push_back(store);
  }
  return stores;
}

Body store_outputs(KernelContext& c, const Index& position) {
  std::vector<size_t> all(c.plan.stores.size());
  std::iota(all.begin(), all.end(), size_t(0));
  return store_outputs(c, all, position);
}

Body finish_inner_loop(KernelContext& c, Loop* loop, int simd_width, bool overlap, int together) {
  const std::vector<Loop*> parts = c.schedule.partition ? partition(c.arena, loop, kMaxParts) : std::vector<Loop*>{loop};
  Body result;
  // unswitch returns ifs with loops inside; vectorise those loops
  const auto finish = [&](auto& self, const Body& body) -> Body {
    Body done;
    for (Stmt* s : body) {
      if (auto* branch = as<If>(s)) {
        branch->body = self(self, branch->body);
        branch->otherwise = self(self, branch->otherwise);
        done.push_back(branch);
      } else {
        for (Stmt* v : vectorise(c.arena, as<Loop>(s), simd_width, overlap, c.kernel.params, together)) done.push_back(v);
      }
    }
    return done;
  };
  for (Loop* part : parts)
    for (Stmt* s : finish(finish, unswitch(c.arena, part))) result.push_back(s);
  return result;
}

namespace {

/// Returns the axes in the order of the loops: the order of the output, or, with non-temporal stores, which have no preferred order of
/// whole lines, the order in which most inputs lie in memory. The first axis (the thread axis) and the last one (the vector axis) stay in
/// place.
std::vector<size_t> loop_order(const KernelContext& c, const Shape& space) {
  std::vector<size_t> order(space.size());
  std::iota(order.begin(), order.end(), size_t(0));
  if (!c.schedule.stream || space.size() < 4) return order;
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

/// Strip-mines a long loop into chunks. With non-temporal stores chunks begin at cache lines. Returns the loop over chunks and the inner
/// loop.
std::pair<Loop*, Loop*> in_chunks(KernelContext& c, Loop* loop) {
  const Store& store = *as<Store>(loop->body[0]);
  const int64_t line = c.schedule.stream ? std::max<int64_t>(1, kLineBytes / static_cast<int64_t>(size_of(store.value->type.dtype))) : 1;
  Loop* chunks = new_loop(c.arena, "chunk", 0, ceil_div(loop->end + (line - 1), kChunk));
  Sym begin = chunks->variable * kChunk, end = min(begin + kChunk, loop->end);
  Define* define = nullptr;
  if (c.schedule.stream) {
    define = c.arena.statement<Define>();
    define->value = c.arena.line_offset(store.buffer, substitute(store.index, {{variable_of(loop->variable), 0}}));
    define->variable = c.arena.syms().loop("before", 0, line);
    end = min(begin + kChunk - define->variable, loop->end);
    begin = min(max(begin - define->variable, 0), loop->end);  // the last chunk may be empty
  }
  Loop* inner = new_loop(c.arena, "ridx0", begin, end);
  Substituter over(c.arena, {{variable_of(loop->variable), inner->variable}});
  inner->body = over(loop->body);
  (define != nullptr ? define->body : chunks->body) = {inner};
  if (define != nullptr) chunks->body = {define};
  return {chunks, inner};
}

/// Makes prefetches for arrays that are read at the loop position: one cache line of each page, for a row kPagesAhead pages ahead
/// (lower.h). `body` processes one row of `length` elements. (A step of Gray-Scott on 1024 x 1024 runs 1.05 to 1.08 times as fast.)
Body page_prefetches(KernelContext& c, const Loop* row, Sym length, const Body& body) {
  constexpr int64_t kMostPages = 8;  // pages in a row
  Body prefetches;
  if (!length.is_constant() || c.schedule.stream) return prefetches;
  std::vector<int> known;  // arrays with a prefetch already
  for (const UOp* u : uops_of(c.arena, body)) {
    if (u->kind != UKind::kLoad || u->type.lanes == 1 || !u->lane_step.is_constant(1)) continue;
    const Sym begin = row->variable * length;
    const int64_t size = static_cast<int64_t>(size_of(u->type.dtype)), bytes = length.constant() * size;
    const bool is_here = !depends_on(u->index - begin, variable_of(row->variable));
    if (!is_here || bytes < kPageBytes / 2 || bytes > kPageBytes * kMostPages || std::count(known.begin(), known.end(), u->buffer) > 0)
      continue;
    known.push_back(u->buffer);
    for (int64_t at = kPageBytes * kPagesAhead; at < kPageBytes * kPagesAhead + bytes; at += kPageBytes)
      prefetches.push_back(prefetch(c.arena, u->buffer, begin + at / size));
  }
  return prefetches;
}

}  // namespace

void lower_elementwise(KernelContext& c) {
  const Shape space = iteration_space(c.plan);
  Index position(space.size());
  std::vector<Loop*> nest;
  for (const size_t axis : loop_order(c, space)) {
    nest.push_back(new_loop(c.arena, cat("ridx", axis), 0, space[axis]));
    position[axis] = nest.back()->variable;
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
  Loop* outer = first_loop_in(all);
  if (c.plan.blocks > 0)
    outer->body = {collapse(c.arena, first_loop_in(outer->body))};  // the outer loop runs over blocks of the chain
  else
    outer = collapse(c.arena, outer);
  const bool threads = c.schedule.axes[0].kind == AxisKind::kThread;
  Loop *row = nullptr, *inner = outer;  // row: the loop directly around the inner one
  Body* around = nullptr;               // the body that contains the inner loop
  if (first_loop_in(outer->body) == nullptr && (threads || c.schedule.stream) && range(outer->end).hi > kChunk) {
    std::tie(outer, inner) = in_chunks(c, outer);
    auto* define = as<Define>(outer->body[0]);
    if (define == nullptr) row = outer;
    around = define != nullptr ? &define->body : &outer->body;
  }
  while (Loop* next = first_loop_in(inner->body)) row = inner, around = &inner->body, inner = next;
  const AxisSchedule& last = c.schedule.axes.back();
  const Sym length = inner->end;
  Body finished = finish_inner_loop(c, inner, last.simd_width, c.schedule.may_overlap(), last.unroll);
  if (around == nullptr) {
    c.kernel.body = std::move(finished);
    return;
  }
  around->clear();
  if (row != nullptr) {
    *around = page_prefetches(c, row, length, finished);
    for (Stmt* s : prefetch_gathers(c, row, finished)) around->push_back(s);
  }
  around->insert(around->end(), finished.begin(), finished.end());
  if (threads) outer->loop = LoopKind::kThread;
  c.kernel.body = {outer};
}

}  // namespace harp::lower
