// Accumulators of the reduce and the scan templates.
#include "lower/accumulate.h"

#include <algorithm>
#include <bit>

namespace harp::lower {

using namespace ir;

namespace {

constexpr int64_t kMostElements = int64_t(1) << 48;  // more elements than a kernel can visit: 2^48 at a nanosecond each take three days
constexpr int64_t kMaxWrittenOut = 16;
constexpr int64_t kNarrowest = 4;    // fewest lanes for which a vector pays
constexpr int kMostStatements = 16;  // most interleaved vectors that are unrolled here; for 32, leaving the unrolling to gcc halves the
                                     // compile time

/// Returns the lanes of the widest vector that `count` elements fill. With fewer elements than the target's lanes this is a narrower vector
/// plus a remainder.
int fitting(Sym count, int simd_width) {
  if (!count.is_constant() || count.constant() < kNarrowest || count.constant() >= simd_width) return simd_width;
  return static_cast<int>(std::bit_floor(static_cast<uint64_t>(count.constant())));
}

}  // namespace

DType accumulator_dtype(const Node& node) { return is_bool(node.dtype) ? DType::kI32 : working_dtype(node.dtype); }

Scalar accumulator_identity(Op op, const Node& node) {
  const DType dtype = accumulator_dtype(node);
  return is_bool(node.dtype) ? scalar_from_int(dtype, identity_of(op, DType::kBool).as<bool>()) : identity_of(op, dtype);
}

const UOp* to_accumulator(Arena& arena, const Node& node, const UOp* element) { return arena.cast(accumulator_dtype(node), element); }
const UOp* from_accumulator(Arena& arena, const Node& node, const UOp* value) { return arena.cast(node.dtype, value); }

int levels_needed(Sym count, int64_t block, Sym others, const std::optional<Sym>& holds) {
  int64_t most = std::min(range(count).hi, kMostElements);
  if (holds && others.is_constant() && others.constant() > 0)
    if (const Sym limit = *holds + count * others; limit.is_constant()) most = std::min(most, limit.constant() / others.constant());
  int levels = 1;
  for (__int128 reach = block; reach < most; reach *= block) ++levels;
  return levels;
}

std::vector<int> Accumulators::add(std::span<const Node* const> nodes, int64_t count) {
  for (const Node* node : nodes) frame_bytes_ += count * static_cast<int64_t>(size_of(accumulator_dtype(*node)));
  std::vector<int> numbers;
  for (const Node* node : nodes) {
    numbers.push_back(static_cast<int>(kernel_.accumulators.size()));
    const bool fits = count < kLanes || frame_bytes_ <= kFrameBytes;
    kernel_.accumulators.push_back(
        {{accumulator_dtype(*node), 1}, count, combine_of(node->op), accumulator_identity(node->op, *node), !fits});
  }
  return numbers;
}

int Accumulators::add(DType dtype, int64_t count, Op combine, Scalar init) {
  frame_bytes_ += count * static_cast<int64_t>(size_of(dtype));
  const bool fits = count < kLanes || frame_bytes_ <= kFrameBytes;
  kernel_.accumulators.push_back({{dtype, 1}, count, combine, init, !fits});
  return static_cast<int>(kernel_.accumulators.size()) - 1;
}

void Accumulators::keep_beside(int accumulator, int parameter) {
  kernel_.accumulators[static_cast<size_t>(accumulator)].beside = parameter;
  const auto frame_bytes = [&] {
    int64_t bytes = 0;
    for (const ir::Accumulator& a : kernel_.accumulators)
      if (!a.in_scratch) bytes += a.count * a.type.lanes * static_cast<int64_t>(size_of(a.type.dtype)) + (a.beside >= 0 ? kPageBytes : 0);
    return bytes;
  };
  for (const bool is_beside : {false, true})  // accumulators without aliasing padding move first: they are accessed less often
    for (size_t i = kernel_.accumulators.size(); i-- > 0 && frame_bytes() > kFrameBytes;) {
      ir::Accumulator& a = kernel_.accumulators[i];
      if ((a.beside >= 0) == is_beside && a.count >= kLanes && !a.is_row) a.in_scratch = true;
    }
}

int Accumulators::add_array(DType dtype, int64_t count, int64_t most) {
  const int64_t bytes = count * static_cast<int64_t>(size_of(dtype));
  const bool fits_frame = count < kLanes || frame_bytes_ + bytes <= most;
  if (fits_frame) frame_bytes_ += bytes;
  kernel_.accumulators.push_back({.type = {dtype, 1},
                                  .count = count,
                                  .combine = Op::kAdd,
                                  .init = identity_of(Op::kSum, dtype),
                                  .in_scratch = !fits_frame,
                                  .is_row = true});
  return static_cast<int>(kernel_.accumulators.size()) - 1;
}

Prefetch* prefetch(Arena& arena, int buffer, Sym index) {
  auto* s = arena.statement<Prefetch>();
  s->buffer = buffer;
  s->index = index;
  return s;
}

void prefetch_next(Arena& arena, const Body& loops, int64_t step, Sym along, Sym next, bool is_near) {
  for (Stmt* s : loops) {
    auto* loop = as<Loop>(s);
    if (loop == nullptr) continue;
    if (loop->step != step) {
      prefetch_next(arena, loop->body, step, along, next, is_near);
      continue;
    }
    Body prefetches;
    for (const UOp* u : uops_of(arena, loop->body)) {
      if (u->kind != UKind::kLoad || u->type.lanes != step || !depends_on(u->index, variable_of(along))) continue;
      Prefetch* fetch = prefetch(arena, u->buffer, substitute(u->index, {{variable_of(along), next}}));
      fetch->is_near = is_near;
      prefetches.push_back(fetch);
    }
    loop->body.insert(loop->body.begin(), prefetches.begin(), prefetches.end());
  }
}

Body with_page_prefetches(Arena& arena, Loop* loop, bool is_only_row) {
  std::vector<const UOp*> loads;  // the first load of each row; not loads that are the same for every row
  int64_t page = kPageBytes;      // elements of a page
  const auto at = [&](const UOp* load, Sym place) { return substitute(load->index, {{variable_of(loop->variable), place}}); };
  for (const UOp* u : uops_of(arena, loop->body)) {
    const bool is_row = u->kind == UKind::kLoad && u->type.lanes > 1 && u->lane_step.is_constant(1) &&
                        depends_on(u->index, variable_of(loop->variable)) && (is_only_row || !at(u, 0).is_constant());
    const auto is_known = [&](const UOp* known) { return known->buffer == u->buffer && (known->index - u->index).is_constant(); };
    if (!is_row || std::any_of(loads.begin(), loads.end(), is_known)) continue;
    loads.push_back(u);
    page = std::min(page, kPageBytes / static_cast<int64_t>(size_of(u->type.dtype)));
  }
  page = std::max(loop->step, page / loop->step * loop->step);  // a multiple of the loop step
  const Sym length = loop->end - loop->begin;
  const bool has_loops = std::ranges::any_of(loop->body, [](const Stmt* s) { return as<Loop>(s) != nullptr; });
  if (loads.empty() || has_loops || proven_less(length, page / 2)) return {loop};
  const auto prefetch_at = [&](Sym first, Body& body) {
    for (const UOp* load : loads) {
      const Sym ahead = kPagesAhead * kPageBytes / static_cast<int64_t>(size_of(load->type.dtype));
      body.push_back(prefetch(arena, load->buffer, at(load, first) + ahead));
    }
  };
  Body body;
  if (proven_at_most(length, page)) {
    prefetch_at(loop->begin, body);
    body.push_back(loop);
    return body;
  }
  Loop* pages = new_loop(arena, "page", loop->begin, loop->end);
  pages->step = page;
  prefetch_at(pages->variable, pages->body);
  loop->begin = pages->variable;
  loop->end = min(pages->variable + page, loop->end);
  pages->body.push_back(loop);
  return {pages};
}

Stmt* declare_accumulator(Arena& arena, int accumulator, const UOp* value) {
  auto* s = arena.statement<AccDeclare>();
  s->accumulator = accumulator;
  s->value = value;
  return s;
}

Stmt* set_accumulator(Arena& arena, int accumulator, Sym element, const UOp* value) {
  auto* s = arena.statement<AccSet>();
  s->accumulator = accumulator;
  s->index = element;
  s->value = value;
  return s;
}

Stmt* update_accumulator(Arena& arena, int accumulator, Sym element, const UOp* value, const UOp* factor) {
  auto* s = arena.statement<AccUpdate>();
  s->accumulator = accumulator;
  s->index = element;
  s->value = value;
  s->factor = factor;
  return s;
}

Body unroll_and_jam(Arena& arena, const Body& loops, int together) {
  Body result;
  for (Stmt* s : loops) {
    if (auto* loop = as<Loop>(s); loop != nullptr && loop->step > 1) {
      const int64_t step = loop->step * together;
      const Sym whole = loop->begin + floor_div(loop->end - loop->begin, step) * step;
      if (!proven_at_most(whole, loop->begin)) {
        Loop* many = new_loop(arena, variable_of(loop->variable)->name, loop->begin, whole);
        many->step = step;
        const auto written_at = [&](Sym offset, Body& body) {
          Substituter at(arena, {{variable_of(loop->variable), many->variable + offset}});
          for (Stmt* written : at(loop->body)) body.push_back(written);
        };
        if (together > kMostStatements) {
          Loop* one = new_loop(arena, "vector", 0, step, LoopKind::kUnroll);
          one->step = loop->step;
          written_at(one->variable, one->body);
          many->body.push_back(one);
        } else {
          for (int64_t i = 0; i < step; i += loop->step) written_at(i, many->body);
        }
        result.push_back(many);
        if (proven_at_most(loop->end, whole)) continue;
        loop->begin = whole;
      }
    }
    result.push_back(s);
  }
  return result;
}

bool in_registers(Sym width, int simd_width, int64_t most_vectors) {
  return width.is_constant() && width.constant() <= most_vectors * simd_width && width.constant() % simd_width == 0;
}

Body vector_columns(Arena& arena, Loop* columns, int simd_width, int together, int64_t most_vectors) {
  const int width = fitting(columns->end, simd_width);
  const bool writes_out = in_registers(columns->end, width, most_vectors);
  Body loops = vectorise(arena, columns, width, false);
  if (!writes_out) return together > 1 ? unroll_and_jam(arena, loops, together) : loops;
  Body result;
  for (Stmt* s : loops) {
    const auto* loop = as<Loop>(s);
    const Body written = loop != nullptr ? unroll(arena, loop) : Body{s};  // (a single column is not a loop any more)
    result.insert(result.end(), written.begin(), written.end());
  }
  return result;
}

Body vector_nest(Arena& arena, Loop* outermost, int simd_width) {
  Loop *outer = collapse(arena, outermost), *parent = nullptr, *inner = outer;
  while (Loop* next = first_loop_in(inner->body)) parent = inner, inner = next;
  Body vectors = vectorise(arena, inner, simd_width, false);
  if (parent == nullptr) return vectors;
  parent->body = std::move(vectors);
  return {outer};
}

Body vector_lanes(Arena& arena, Loop* lanes, int simd_width) {
  const Sym count = lanes->end;
  Body loops = vectorise(arena, lanes, fitting(count, simd_width), false);
  const Loop* only = only_loop_in(loops);
  if (count.is_constant() && only != nullptr && count.constant() / only->step <= kMaxWrittenOut) return unroll(arena, only);
  return loops;
}

}  // namespace harp::lower
