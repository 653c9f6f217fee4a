#include "lower/panel.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "ir/rewrite.h"

namespace harp::lower {

using namespace ir;

namespace {

using Factor = std::function<const UOp*(Sym lane, Sym term)>;

/// If `value` is an unmasked load that is contiguous along the terms and not along the lanes, returns a Copy statement that packs the panel
/// by transposing it. Otherwise returns null.
Stmt* transposed(Arena& arena, const Panel& panel, const UOp* value, const Loop* lane, const Loop* term) {
  if (value->kind != UKind::kLoad || mask_of(value) != nullptr) return nullptr;
  const auto along_terms = linear_in(value->index, variable_of(term->variable));
  if (!along_terms || !along_terms->coefficient.is_constant(1)) return nullptr;
  const auto along_lanes = linear_in(along_terms->rest, variable_of(lane->variable));
  if (!along_lanes || along_lanes->coefficient.is_constant(1)) return nullptr;
  auto* s = arena.statement<Copy>();
  s->inputs = {value->buffer};
  s->from = along_lanes->rest + panel.first;
  s->from_stride = along_lanes->coefficient;
  s->rows = term->end - term->begin;
  s->length = lane->end;
  s->accumulator = panel.array;
  s->index = panel.begin + panel.first * panel.lanes;
  s->stride = panel.lanes;
  return s;
}

/// Tests whether adjacent lanes read elements that are far apart in memory, as in a row of a matrix that is contiguous along the terms.
bool reads_apart(Arena& arena, const Loop* lane) {
  // Maximum distance, in elements, between the elements of adjacent lanes for which generated code still loads whole vectors and shuffles
  // them.
  constexpr int64_t kMaxStep = 4;
  bool reads = false;
  for (const UOp* u : uops_of(arena, lane->body)) {
    if ((u->kind != UKind::kLoad && u->kind != UKind::kAcc) || !depends_on(u->index, variable_of(lane->variable))) continue;
    const auto along = linear_in(u->index, variable_of(lane->variable));
    if (along && along->coefficient.is_constant() && std::abs(along->coefficient.constant()) <= kMaxStep) return false;
    reads = true;
  }
  return reads;
}

/// Tests whether the positions from which a panel is read are linear along the terms, but not along the lanes.
bool is_uneven(Arena& arena, const Loop* lane, const Loop* term) {
  bool is_uneven = false;
  for (const UOp* u : uops_of(arena, lane->body)) {
    if (u->kind != UKind::kLoad && u->kind != UKind::kAcc) continue;
    const auto along = linear_in(u->index, variable_of(term->variable));
    if (!along || depends_on(along->coefficient, variable_of(lane->variable))) return false;
    is_uneven |= !linear_in(u->index, variable_of(lane->variable)).has_value();
  }
  return is_uneven;
}

/// Replaces the variable of the loop by a new variable with the same value, which is defined inside the loop. The common part of all
/// addresses in an iteration then becomes a pointer, to which only constants are added. Compilers load adjacent bytes by one instruction
/// only in that form.
void name_iteration(Arena& arena, Loop* loop) {
  auto* define = arena.statement<Define>();
  define->value = arena.index(loop->variable);
  define->variable = arena.syms().loop("lane", 0, loop->end);
  Substituter named(arena, {{variable_of(loop->variable), define->variable}});
  define->body = named(loop->body);
  loop->body = {define};
}

/// Packs a factor that is computed from elements that are contiguous along the terms: computes vectors of its elements along the terms, and
/// then transposes them.
Body pack_staged(KernelContext& c, const Panel& panel, Sym lanes, Sym count, const Factor& factor) {
  Loop* part = new_loop(c.arena, "part", 0, ceil_div(count, kStagedTerms));
  const Sym begin = part->variable * kStagedTerms, here = min(Sym(kStagedTerms), count - begin);
  Loop *lane = new_loop(c.arena, "lane", 0, lanes), *term = new_loop(c.arena, "term", 0, here);
  term->body = {set_accumulator(c.arena, panel.staged, lane->variable * kStagedTerms + term->variable,
                                factor(lane->variable, begin + term->variable))};
  lane->body = inner_loop(c, term, panel.simd_width, c.schedule.overlap);
  auto* transpose = c.arena.statement<Copy>();
  transpose->source = panel.staged;
  transpose->from = 0;
  transpose->from_stride = kStagedTerms;
  transpose->rows = here;
  transpose->length = lanes;
  transpose->accumulator = panel.array;
  transpose->index = panel.begin + begin * panel.lanes;
  transpose->stride = panel.lanes;
  part->body = {lane, transpose};
  return {part};
}

bool has_conditions(Arena& arena, const Loop* loop) {
  return std::ranges::any_of(uops_of(arena, loop->body), [](const UOp* u) { return u->kind == UKind::kInRange; });
}

Body pack_lanes(KernelContext& c, const Panel& panel, Sym lanes, Sym count, const Factor& factor) {
  if (panel.staged >= 0) return pack_staged(c, panel, lanes, count, factor);
  Loop *term = new_loop(c.arena, "term", panel.first, panel.first + count), *lane = new_loop(c.arena, "lane", 0, lanes);
  const UOp* value = factor(lane->variable, term->variable);
  if (Stmt* squares = transposed(c.arena, panel, value, lane, term)) return {squares};
  lane->body = {set_accumulator(c.arena, panel.array, panel.begin + term->variable * panel.lanes + lane->variable, value)};
  // The position of a lane that is not linear takes divisions, so it is computed once for all terms.
  if (is_uneven(c.arena, lane, term)) {
    term->body = std::move(lane->body);
    lane->body = inner_loop(c, term, 1, c.schedule.overlap);
    return {lane};
  }
  // If adjacent lanes read integers that are far apart in memory, the loop is not vectorised. With two i8 in each lane it then takes 0.1 to
  // 0.2 ns an element; with vectors, which compilers assemble from single elements, it would take 0.35 to 0.5 ns.
  const bool by_elements = is_int(panel.dtype) && reads_apart(c.arena, lane);
  if (by_elements && panel.joins_bytes && !has_conditions(c.arena, lane)) {
    name_iteration(c.arena, lane);
    term->body = {lane};
  } else {
    term->body = inner_loop(c, lane, by_elements ? 1 : panel.simd_width, c.schedule.overlap);
  }
  return {term};
}

}  // namespace

Body pack(KernelContext& c, const Panel& panel, Sym left, Sym count, const Factor& factor) {
  const Sym missing = left - panel.lanes;
  if (proven_nonnegative(missing)) return pack_lanes(c, panel, panel.lanes, count, factor);
  Body part;
  if (panel.reads_padding) {
    // Whole vectors of zeros, also where the lanes exist: the number of the others is unknown, and loops over a few lanes take longer.
    Loop* zeros = new_loop(c.arena, "zero", 0, count * panel.lanes);
    const Sym begin = panel.begin + panel.first * panel.lanes;
    zeros->body = {set_accumulator(c.arena, panel.array, begin + zeros->variable, c.arena.constant(identity_of(Op::kSum, panel.dtype)))};
    part = vector_loop(zeros, panel.simd_width);
  }
  // The min changes nothing, because `left` is smaller here. It bounds the size of the copy, which decides how the copy is made.
  const Body lanes = pack_lanes(c, panel, min(left, panel.lanes), count, factor);
  part.insert(part.end(), lanes.begin(), lanes.end());
  if (proven_nonnegative(Sym(-1) - missing)) return part;
  return {new_if(c.arena, missing, pack_lanes(c, panel, panel.lanes, count, factor), std::move(part))};
}

}  // namespace harp::lower
