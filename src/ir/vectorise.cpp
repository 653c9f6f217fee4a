// Implements the rewrite `vectorise`, which turns one loop into steps of `width` lanes. Loads and stores at positions that are linear in
// the loop variable become vector loads and stores with a lane step, and an index becomes a vector of indices. Invariant values stay scalar
// and are broadcast (splat) where they are combined with a vector.
#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/error.h"
#include "ir/rewrite.h"
#include "ir/walk.h"

namespace harp::ir {
namespace {

class Vectoriser {
 public:
  Vectoriser(Arena& arena, const SymAtom* variable, int width) : arena_(arena), variable_(variable), width_(width) {}

  /// Tests whether the loop can be vectorised: every position is linear in the loop variable, so that it has a lane step, and no
  /// accumulator passes a value from one iteration to the next.
  bool is_possible(const Body& body) {
    for (const UOp* u : uops_of(arena_, body)) {
      if (has_position(u) && !step_of(u->index)) return false;
      if (depends_on(u->stride, variable_)) return false;
    }
    return std::ranges::all_of(statements_of(body), [&](const Stmt* s) { return is_possible(*s); });
  }

  Body body(const Body& statements) {
    Body result;
    for (const Stmt* s : statements) result.push_back(statement(s));
    return result;
  }

 private:
  bool is_possible(const Stmt& statement) const {
    return visit(
        statement,
        Overloaded{
            // a group loop cannot be inside a vectorised loop, because its iterations are threads
            [&](const Loop& s) { return s.loop != LoopKind::kGroup && !depends_on(s.begin, variable_) && !depends_on(s.end, variable_); },
            [&](const If& s) { return !depends_on(s.condition, variable_); },
            [&](const Store& s) { return step_of(s.index).has_value(); },
            [&](Is<AccSet, AccUpdate> auto& s) { return is_beside(s.index); },
            // lanes must update adjacent elements: if two lanes updated the same element, one update would be lost
            [&](const Scatter& s) { return is_beside(s.index) && !depends_on(s.stride, variable_) && !varies(s.position); },
            // These statements have no vector form. An AccFold, for example, would need separate accumulators for each lane.
            [](Is<Define, Copy, CopyAsync, Wait, Prefetch, AccFold, AccScan, AccDeclare, Barrier, Mma> auto&) { return false; },
            [](Is<StoreGroup, Retry, Routine, Break, Comment> auto&) { return true; },
        });
  }

  std::optional<Sym> step_of(Sym position) const {
    const auto linear = linear_in(position, variable_);
    if (!linear) return std::nullopt;
    return linear->coefficient;
  }

  bool is_beside(Sym index) const {
    const auto step = step_of(index);
    return step && step->is_constant(1);
  }
  /// Tests whether the value may differ between iterations of the loop.
  bool varies(const UOp* root) const {
    return any_uop({root}, [&](const UOp* u) { return has_position(u) && depends_on(u->index, variable_); });
  }

  Stmt* statement(const Stmt* s) {
    return visit(*s, [&](const auto& of) -> Stmt* {
      auto* result = arena_.statement(of);
      for_each_body(*result, [&](Body& inside) { inside = body(inside); });
      if constexpr (requires { result->lane_step; }) {
        result->lane_step = *step_of(of.index);
        for_each_value(*result, [&](const UOp*& u) { u = wide(vector_of(u)); });
        // The position stays scalar, because all lanes use the same position.
        if constexpr (requires { result->position; }) result->position = of.position;
      }
      return result;
    });
  }

  const UOp* wide(const UOp* u) { return u->type.lanes == width_ ? u : arena_.splat(u, width_); }

  const UOp* vector_of(const UOp* root) {
    return make_in_order(root, memo_, [&](const UOp* u) { return convert(u); });
  }

  const UOp* convert(const UOp* u) {
    bool varies = false;
    for (const UOp* source : u->sources) varies |= memo_[source]->type.lanes > 1;
    UOp lane = *u;
    if (has_position(u)) {
      lane.lane_step = *step_of(u->index);
      varies |= !lane.lane_step.is_constant(0);
    }
    if (!varies) return u;
    lane.type.lanes = static_cast<uint16_t>(width_);
    for (const UOp*& source : lane.sources) source = wide(memo_[source]);
    if (u->kind == UKind::kGather) lane.sources[0] = memo_[u->sources[0]];  // the position stays scalar if it is the same for all lanes
    return arena_.intern(std::move(lane));
  }

  Arena& arena_;
  const SymAtom* variable_;
  int width_;
  std::unordered_map<const UOp*, const UOp*> memo_;
};

Loop* steps(Arena& arena, const Loop* loop, Sym begin, Sym end, int width, bool overlap) {
  const SymAtom* old = variable_of(loop->variable);
  Loop* vector = new_loop(arena, old->name, begin, end);
  Substituter substitute(arena, {{old, vector->variable}});
  const Body body = substitute(loop->body);
  vector->step = width;
  vector->overlap = overlap;
  Vectoriser vectoriser(arena, variable_of(vector->variable), width);
  HARP_ASSERT(vectoriser.is_possible(body), "the loop over ", to_string(vector->variable), " cannot become vectors of ", width, " lanes");
  vector->body = vectoriser.body(body);
  return vector;
}

Loop* scalar(Arena& arena, const Loop* loop, Sym begin, Sym end) {
  const SymAtom* old = variable_of(loop->variable);
  Loop* rest = new_loop(arena, old->name, begin, end);
  Substituter substitute(arena, {{old, rest->variable}});
  rest->body = substitute(loop->body);
  return rest;
}

bool reads_accumulator(const UOp* value, int accumulator) {
  return any_uop({value}, [&](const UOp* u) { return u->kind == UKind::kAcc && u->buffer == accumulator; });
}
bool adds_up(const Body& body) {
  for (const Stmt* s : statements_of(body)) {
    if (as<AccUpdate>(s) != nullptr || as<Scatter>(s) != nullptr) return true;
    if (const auto* set = as<AccSet>(s); set != nullptr && reads_accumulator(set->value, set->accumulator)) return true;
  }
  return false;
}

constexpr int kNarrowest = 4;  // minimum number of iterations of a remainder that is vectorised
constexpr size_t kShort = 32;  // maximum number of UOps in a body whose code may be emitted twice
/// Minimum number of unrolled-and-jammed steps for which the last step may overlap the previous one. With fewer steps the share of repeated
/// work is too large: a loop over 33 elements took 1.5 times as long as without an overlapping step.
constexpr int kFewSteps = 4;

// A loop of at most kFewVectors vectors that load at most kMaxLoads vectors may be emitted as the statements of each vector. (The loads
// come before the first store, so they are in registers at the same time.)
constexpr int64_t kFewVectors = 8, kMaxLoads = 16;

bool is_overwritten(const UOp* u, std::span<const Param> params) {
  return u->kind == UKind::kLoad && !params[static_cast<size_t>(u->buffer)].in_place.empty();
}

/// Tests whether the values that an overlapping step of this loop needs can be loaded before the loop: the linearizer keeps them as whole
/// vectors of adjacent elements.
bool can_keep(const std::vector<const UOp*>& uops, const SymAtom* variable, std::span<const Param> params) {
  return std::ranges::none_of(uops, [&](const UOp* u) {
    if (!is_overwritten(u, params)) return false;
    const auto linear = linear_in(u->index, variable);
    return !linear || !(linear->coefficient.is_constant(1) || linear->coefficient.is_constant(0));
  });
}

/// Returns the statements of each step of a loop of vectors whose length is a constant, of which the last step overlaps the one before it.
Body each_vector(Arena& arena, const Loop* steps) {
  const int64_t length = (steps->end - steps->begin).constant();
  Body result;
  for (int64_t at = 0; at < length; at += steps->step) {
    Substituter there(arena, {{variable_of(steps->variable), steps->begin + std::min(at, length - steps->step)}});
    for (Stmt* s : there(steps->body)) result.push_back(s);
  }
  return result;
}

/// Completes `steps`, a loop of vectors whose last vector may overlap the previous one. If the kernel stores in place, the last vector must
/// not read elements that the previous vector has stored. There are two ways to ensure that.
///
/// A short body is emitted twice more after the loop: for the last whole vector and for the overlapping last vector. The linearizer moves
/// the loads of both copies before their stores. If the length is a multiple of the vector, both copies process the same vector. (To load
/// the last vector before the loop instead would be slow if the array has just been written: the load would wait for pending stores to the
/// end of the array.)
///
/// A short body that does not store in place, in a row of a known length of a few vectors, is emitted once for each vector: the loop would
/// take longer than its body.
///
/// Any other body stays one loop (Loop::overlap). If it stores in place, its overlapping step processes the first elements instead of the
/// last ones, because the loop starts reading there anyway. The linearizer loads the values of this step before the loop, and the step
/// executes last.
Body overlapping(Arena& arena, Loop* steps, std::span<const Param> params) {
  const std::vector<const UOp*> uops = uops_of(arena, steps->body);
  const bool in_place = std::any_of(uops.begin(), uops.end(), [&](const UOp* u) { return is_overwritten(u, params); });
  if (!is_short(uops)) return {steps};
  const Sym length = steps->end - steps->begin;
  if (!in_place) {
    const int64_t loads = std::max<int64_t>(1, std::ranges::count_if(uops, is_read));
    const int64_t most = std::min(kFewVectors, kMaxLoads / loads) * steps->step;
    return length.is_constant() && length.constant() <= most ? each_vector(arena, steps) : Body{steps};
  }
  const Sym last = steps->end - steps->step, rest = mod(steps->end - steps->begin, steps->step);
  Body result = {steps};
  for (const Sym& at : {last - rest, last}) {
    Substituter there(arena, {{variable_of(steps->variable), at}});
    for (Stmt* s : there(steps->body)) {
      // The stores of a group (unroll_divisor()) are added one by one, because the loads of a group execute after the stores before it.
      if (const auto* group = as<StoreGroup>(s))
        result.insert(result.end(), group->body.begin(), group->body.end());
      else
        result.push_back(s);
    }
  }
  steps->overlap = false;
  steps->end = last - steps->step + 1;  // the loop runs while at least two whole vectors remain
  return result;
}

/// Unroll-and-jam: merges `together` steps into one, whose stores form a StoreGroup. The linearizer emits each operation for all merged
/// steps before the next operation, so that the latency of one step overlaps with the operations of the others.
Loop* jammed(Arena& arena, Loop* steps, int together) {
  const SymAtom* old = variable_of(steps->variable);
  Loop* loop = new_loop(arena, old->name, steps->begin, steps->end);
  std::vector<Substituter> copies;
  for (int i = 0; i < together; ++i) copies.emplace_back(arena, SymSubstitution{{old, loop->variable + Sym(i * steps->step)}});
  auto* all = arena.statement<StoreGroup>();
  for (Stmt* s : steps->body)
    for (Substituter& copy : copies) all->body.push_back(copy(Body{s})[0]);
  loop->body = {all};
  loop->step = together * steps->step;
  loop->overlap = steps->overlap;
  return loop;
}

/// Returns the statements of a loop that has fewer iterations than vectors have lanes.
Body remainder(Arena& arena, Loop* rest, int width, Kernel* kernel) {
  return kernel != nullptr ? masked_remainder(arena, *kernel, rest, width) : Body{rest};
}

/// Returns the loop for a length that is less than tag.lanes. Rows get vectors of a quarter of the lanes (and so on), because a matrix of
/// short rows would otherwise be computed one element at a time. A loop that runs once in a call gains nothing by that.
Body shorter(Arena& arena, const Loop* loop, VectorTag tag, std::span<const Param> params, Kernel* kernel) {
  Loop* rest = scalar(arena, loop, loop->begin, loop->end);
  const bool is_wide = tag.lanes > kNarrowest;
  if (!tag.in_rows || !is_wide || !is_short(uops_of(arena, loop->body))) return remainder(arena, rest, tag.lanes, kernel);
  tag.lanes = std::max(kNarrowest, tag.lanes / 4);
  return vectorise(arena, rest, tag, params, kernel);
}

}  // namespace

// Compilers inline a function that is called once, but not one that is called twice. If the code with a call of exp were emitted twice, exp
// would no longer be inlined and would be a fifth slower.
bool is_short(const std::vector<const UOp*>& uops) {
  return uops.size() <= kShort &&
         std::none_of(uops.begin(), uops.end(), [](const UOp* u) { return u->kind == UKind::kCall && !is_small(*u->function); });
}

bool can_vectorise(Arena& arena, const Loop* loop, int width) {
  const Sym length = loop->end - loop->begin;
  if (width <= 1 || length.is_constant(1) || range(length).hi < width) return false;
  return Vectoriser(arena, variable_of(loop->variable), width).is_possible(loop->body);
}

Body vectorise(Arena& arena, Loop* loop, const VectorTag& tag, std::span<const Param> params, Kernel* kernel) {
  const int width = tag.lanes;
  const Sym length = loop->end - loop->begin;
  Loop* plain = loop;
  plain->loop = LoopKind::kSequential;
  if (length.is_constant(1)) return unroll(arena, plain);
  if (!can_vectorise(arena, loop, width)) {
    const bool is_possible = range(length).hi < width && Vectoriser(arena, variable_of(loop->variable), width).is_possible(loop->body);
    return is_possible ? remainder(arena, plain, width, kernel) : Body{plain};
  }
  const auto is_store = [](const Stmt* s) { return as<Store>(s) != nullptr; };
  const std::vector<const UOp*> uops = uops_of(arena, loop->body);
  const bool overlaps = tag.overlap && can_keep(uops, variable_of(loop->variable), params);
  const int step = tag.together * width;
  if (tag.together > 1 && range(length).hi >= step && std::all_of(loop->body.begin(), loop->body.end(), is_store)) {
    VectorTag one = tag;
    one.together = 1;
    const bool is_whole = mod(length, step).is_constant(0);
    if (overlaps || is_whole) {
      const Sym beyond_few = length - kFewSteps * step;
      Body all = {jammed(arena, steps(arena, loop, loop->begin, loop->end, width, !is_whole), tag.together)};
      if (is_whole || proven_nonnegative(beyond_few)) return all;
      Body few = vectorise(arena, scalar(arena, loop, loop->begin, loop->end), one, params, kernel);
      return {new_if(arena, beyond_few, std::move(all), std::move(few))};
    }
    const Sym middle = loop->begin + floor_div(length, step) * step;
    Body result = {jammed(arena, steps(arena, loop, loop->begin, middle, width, false), tag.together)};
    if (proven_at_most(loop->end, middle)) return result;
    for (Stmt* s : vectorise(arena, scalar(arena, loop, middle, loop->end), one, params, kernel)) result.push_back(s);
    return result;
  }

  if (proven_nonnegative(length - width) && mod(length, width).is_constant(0))
    return {steps(arena, loop, loop->begin, loop->end, width, false)};
  // If the loop adds to an accumulator, steps must not overlap: an overlapping step would add some elements twice.
  if (tag.overlap && !adds_up(loop->body) && (overlaps || is_short(uops))) {
    Body vectors = overlapping(arena, steps(arena, loop, loop->begin, loop->end, width, true), params);
    if (proven_nonnegative(length - width)) return vectors;
    return {new_if(arena, length - width, std::move(vectors), shorter(arena, loop, tag, params, kernel))};
  }
  const Sym middle = loop->begin + floor_div(length, width) * width;
  Body result = {steps(arena, loop, loop->begin, middle, width, false)};
  Loop* rest = scalar(arena, loop, middle, loop->end);
  // a remainder of known length is vectorised with fewer lanes
  const Sym left = length - floor_div(length, width) * width;
  if (const Body few = remainder(arena, rest, width, kernel); few[0] != rest) {
    result.insert(result.end(), few.begin(), few.end());
  } else if (left.is_constant() && left.constant() >= kNarrowest) {
    for (Stmt* s : vectorise(arena, rest, {.lanes = static_cast<int>(std::bit_floor(static_cast<uint64_t>(left.constant())))}, {}, kernel))
      result.push_back(s);
  } else {
    result.push_back(rest);
  }
  return result;
}

}  // namespace harp::ir
