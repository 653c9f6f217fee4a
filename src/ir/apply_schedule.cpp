#include "ir/apply_schedule.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/table_limit.h"
#include "ir/group_accesses.h"
#include "ir/insert_prefetches.h"
#include "ir/interleaved_accesses.h"
#include "ir/rewrite.h"

namespace harp::ir {
namespace {

constexpr int kMaxParts = 6;  // maximum number of parts into which partition() splits a loop
// Number of elements of a chunk. A chunk is the smallest unit of work that a thread receives, and fits the L1 cache.
constexpr int64_t kChunk = 4096;
// Vectors with fewer lanes than usual are faster than scalars only if they have at least this many lanes.
constexpr int kFewestLanes = 4;

void add(Body& body, const Body& statements) { body.insert(body.end(), statements.begin(), statements.end()); }

/// Returns the number of lanes of the loop's vectors. If `tag.narrow` is set and the trip count is a constant from kFewestLanes to
/// tag.lanes - 1, returns the largest power of two that is at most the trip count; otherwise returns tag.lanes.
int lanes_of(const VectorTag& tag, Sym count) {
  const bool is_filled = !count.is_constant() || count.constant() < kFewestLanes || count.constant() >= tag.lanes;
  return !tag.narrow || is_filled ? tag.lanes : static_cast<int>(std::bit_floor(static_cast<uint64_t>(count.constant())));
}

/// Returns the extents of the loops of a nest, in the order of the kernel's axes.
std::vector<Sym> extents_of(const Loop* outermost) {
  std::vector<const Loop*> nest;
  for (const Loop* loop = outermost; loop != nullptr; loop = only_loop_in(loop->body)) nest.push_back(loop);
  std::stable_sort(nest.begin(), nest.end(), [](const Loop* a, const Loop* b) { return a->axis < b->axis; });
  std::vector<Sym> extents;
  for (const Loop* loop : nest) extents.push_back(loop->end);
  return extents;
}

class Tags {
 public:
  /// `kernel` receives the accumulators that group_accesses() creates. It may be null only if the statements contain no loop nest that is
  /// flattened for a GPU (tag nest without nest.chunks), because only such nests get grouped accesses.
  Tags(Arena& arena, std::span<const Param> params, Kernel* kernel) : arena_(arena), params_(params), kernel_(kernel) {}

  Body apply(const Body& statements) {
    Body result;
    for (Stmt* s : statements) add(result, apply(s));
    return result;
  }
  /// Returns the condition of the transformed statements: they may run only where this expression is >= 0. Returns nullopt if they may
  /// always run.
  const std::optional<Sym>& guard() const { return guard_; }

 private:
  Body apply(Stmt* s) {
    auto* loop = as<Loop>(s);
    if (loop != nullptr && loop->tags.nest) return apply_nest(loop);
    for_each_body(*s, [&](Body& inside) { inside = apply(inside); });
    return loop == nullptr || loop->tags.empty() ? Body{s} : apply_loop(loop);
  }

  Body apply_nest(Loop* outermost) {
    const NestTag nest = *std::exchange(outermost->tags.nest, std::nullopt);
    if (outermost->loop == LoopKind::kThread && !nest.chunks) {
      const Loop* innermost = outermost;
      while (const Loop* next = first_loop_in(innermost->body)) innermost = next;
      const int lanes = innermost->tags.vector->lanes;
      Loop* all = group_accesses(arena_, *kernel_, flatten(arena_, collapse(arena_, outermost)), lanes);
      all->loop = LoopKind::kThread;
      return {all};
    }
    if (nest.nonempty && has_borders(arena_, {outermost})) {
      Body all = {outermost};
      guard_ = assume_nonempty(arena_, all, extents_of(outermost));
      outermost = first_loop_in(all);
    }
    const bool is_threaded = outermost->loop == LoopKind::kThread;
    if (is_threaded) outermost->loop = LoopKind::kSequential;
    if (nest.is_block)
      outermost->body = {collapse(arena_, first_loop_in(outermost->body))};
    else
      outermost = collapse(arena_, outermost);
    const Loop* pieces = nest.is_block ? outermost : nullptr;  // the loop over blocks or chunks, whose iterations are no rows
    Loop *around = nullptr, *inner = outermost;                // around: the loop that directly encloses the loop `inner`
    Body* containing = nullptr;                                // the list of statements that contains the inner loop
    if (nest.chunks && first_loop_in(outermost->body) == nullptr && range(outermost->end).hi > kChunk) {
      std::tie(outermost, inner) = strip_mine(arena_, outermost, kChunk);
      pieces = outermost;
      auto* define = as<Define>(outermost->body[0]);
      if (define == nullptr) around = outermost;
      containing = define != nullptr ? &define->body : &outermost->body;
    }
    while (Loop* next = first_loop_in(inner->body)) around = inner, containing = &inner->body, inner = next;
    inner->tags.vector->in_rows = around != nullptr && around != pieces;
    const Sym length = inner->end;
    const Body finished = apply_loop(inner);
    if (containing == nullptr) {
      for (Stmt* s : finished)
        if (auto* loop = as<Loop>(s); loop != nullptr && nest.gather_prefetches) {
          const Body prefetches = prefetch_gathers(arena_, params_, loop, loop->body);
          loop->body.insert(loop->body.begin(), prefetches.begin(), prefetches.end());
        }
      return finished;
    }
    containing->clear();
    if (around != nullptr && nest.page_prefetches) add(*containing, prefetch_row_pages(arena_, around, length, finished));
    if (around != nullptr && nest.gather_prefetches) add(*containing, prefetch_gathers(arena_, params_, around, finished));
    add(*containing, finished);
    if (is_threaded) outermost->loop = LoopKind::kThread;
    return {outermost};
  }

  /// Transforms the loop as its tags (LoopTags) say, and returns the statements that replace it. The loops inside it have been transformed
  /// before.
  Body apply_loop(Loop* loop) {
    const LoopTags tags = std::exchange(loop->tags, {});
    Body result = {loop};
    if (tags.vector) {
      result = in_vectors(*tags.vector, loop);
    }
    if (tags.ahead)
      if (const SymAtom* along = as_variable(tags.ahead->along))
        prefetch_next(arena_, result, tags.vector->lanes, along, tags.ahead->distance, tags.ahead->is_near);
    return result;
  }

  /// Unrolls the loop by the divisors of its indices, divides it at its borders, and vectorises the parts. Returns the statements that
  /// replace it.
  Body in_vectors(VectorTag tag, Loop* loop) {
    const auto [copies, unrolled, rest] = unroll_divisor(arena_, loop, tag.narrow ? std::min(tag.lanes, kFewestLanes) : tag.lanes);
    if (copies > 1) tag.together = 1;  // the copies are interleaved
    Body result;
    for (Loop* part : tag.partition ? partition(arena_, unrolled, kMaxParts) : std::vector<Loop*>{unrolled}) {
      // The part between two borders that are almost the same has no vectors. Multiplied by the divisor, its length has no quotients.
      const bool is_short = copies > 1 && proven_less((part->end - part->begin) * copies, kFewestLanes * copies);
      if (is_short) part->loop = LoopKind::kSequential;
      add(result, is_short ? Body{part} : vectors(tag, tag.unswitch ? unswitch(arena_, part) : Body{part}));
    }
    add(result, rest);
    return result;
  }

  /// Vectorises the loops in `loops` and returns the statements that replace them. If unswitch() has replaced a loop by an If with a copy
  /// of the loop in each branch, vectorises both copies.
  Body vectors(const VectorTag& tag, const Body& loops) {
    Body result;
    for (Stmt* s : loops) {
      if (auto* branch = as<If>(s)) {
        branch->body = vectors(tag, branch->body);
        branch->otherwise = vectors(tag, branch->otherwise);
        result.push_back(branch);
      } else {
        add(result, vectors(tag, as<Loop>(s)));
      }
    }
    return result;
  }
  Body vectors(const VectorTag& tag, Loop* loop) {
    const Sym count = loop->end - loop->begin;
    if (tag.together <= 1) branch_stores(arena_, loop, params_);
    const bool is_only_stores = std::ranges::all_of(loop->body, [](const Stmt* s) { return as<Store>(s) != nullptr; });
    VectorTag filled = tag;
    const int lanes = filled.lanes = lanes_of(tag, count);
    const Body steps = vectorise(arena_, loop, filled, params_, kernel_);
    const Loop* only = only_loop_in(steps);
    if (tag.most_steps > 0 && only != nullptr && count.is_constant() && count.constant() / only->step <= tag.most_steps)
      return unroll(arena_, only);
    if (tag.most_registers == 0 || !in_registers(count, lanes, tag.most_registers))
      return tag.together > 1 && !is_only_stores ? unroll_and_jam(arena_, steps, tag.together) : steps;
    Body result;
    for (Stmt* s : steps) {
      const auto* one = as<Loop>(s);
      // vectorise() has already unrolled a loop of one iteration, so s need not be a loop.
      add(result, one != nullptr ? unroll(arena_, one) : Body{s});
    }
    return result;
  }

  Arena& arena_;
  std::span<const Param> params_;
  Kernel* const kernel_;
  std::optional<Sym> guard_;
};

}  // namespace

bool in_registers(Sym width, int simd_width, int64_t most_vectors) {
  return width.is_constant() && width.constant() <= most_vectors * simd_width && width.constant() % simd_width == 0;
}

Body apply_tags(Arena& arena, const Kernel& kernel, const Body& statements) {
  Tags tags(arena, kernel.params, nullptr);
  Body result = tags.apply(statements);
  HARP_ASSERT(!tags.guard(), "statements that assume nonempty sizes are not scheduled apart from their kernel");
  return result;
}

void apply_schedule(Module& module) {
  std::vector<std::optional<Sym>> guards;
  for (Kernel& kernel : module.kernels) {
    check_time(module.arena->syms());
    Tags tags(*module.arena, kernel.params, &kernel);
    kernel.body = tags.apply(kernel.body);
    if (kernel.simd_width > 1) group_interleaved(*module.arena, kernel.body);
    initialise_accumulators(*module.arena, kernel);
    kernel.is_scheduled = true;
    insert_cancel_polls(kernel);
    guards.push_back(tags.guard());
  }
  for (Generation& generation : module.generations)
    for (Launch& launch : generation.launches)
      if (const std::optional<Sym>& guard = guards[static_cast<size_t>(launch.kernel)])
        launch.guard = launch.guard ? min(*launch.guard, *guard) : *guard;
}

}  // namespace harp::ir
