#include "lower/gather_prefetch.h"

#include <algorithm>

#include "lower/accumulate.h"
#include "schedule/cpu/tuning.h"

namespace harp::lower {

using namespace ir;

namespace {

// Gathering rows of 256 bytes from 16 MB takes 0.68 of the time with a prefetch distance of 32 rows, 0.75 with 16, 0.9 with 8; from 4 MB in
// the third cache 0.97 to 1, from the second cache 1.25. Scatter-adding numbers to 16 MB of such rows takes 0.5 to 0.6 of the time with a
// distance of 64, 0.75 with 32, more than 1 with 16; to 4 MB 1.07.
constexpr int64_t kAheadBytes = 8192, kMostAhead = 64;  // prefetch distance: in bytes of rows, and most iterations
constexpr int64_t kMostLines = 16;                      // most prefetched lines of a row; the hardware prefetcher follows a longer row
constexpr size_t kMostOps = 16;                         // most operations to compute a position

struct GatheredRow {
  int buffer;
  Sym index;
  const UOp* position;
  Sym stride;
};

std::vector<GatheredRow> gathered_rows(Arena& arena, const Body& body) {
  std::vector<GatheredRow> rows;
  for (const UOp* u : uops_of(arena, body)) {
    const bool is_row = u->kind == UKind::kGather && u->type.lanes > 1 && u->lane_step.is_constant(1) && mask_of(u) == nullptr;
    if (is_row) rows.push_back({u->buffer, u->index, u->sources[0], u->stride});
  }
  for (const Stmt* s : statements_of(body))
    if (const auto* to = as<Scatter>(s)) rows.push_back({to->buffer, to->index, to->position, to->stride});
  return rows;
}

/// Tests whether the position is the same wherever it is computed, and is cheap to compute. The check of an index is left to its own
/// iteration.
bool is_found_soon(const UOp* position) {
  std::vector<const UOp*> all = {position};
  for (size_t i = 0; i < all.size() && all.size() <= kMostOps; ++i) {
    const UOp* u = all[i];
    if (u->kind == UKind::kCheck || u->kind == UKind::kAcc || (u->kind == UKind::kCall && !is_small(*u->function))) return false;
    all.insert(all.end(), u->sources.begin(), u->sources.end());
  }
  return position->type.lanes == 1 && all.size() <= kMostOps;
}

}  // namespace

Body prefetch_gathers(KernelContext& c, const Loop* loop, const Body& body) {
  SymSubstitution begins;  // first values of the variables of inner loops
  for (const Stmt* s : statements_of(body)) {
    if (as<If>(s) != nullptr) return {};  // whether positions exist depends on the iteration
    if (const auto* inner = as<Loop>(s)) begins.emplace(variable_of(inner->variable), inner->begin);
  }
  Substituter at_begin(c.arena, begins);
  Body prefetches;
  std::vector<std::pair<int, const UOp*>> known;
  for (const GatheredRow& gathered : gathered_rows(c.arena, body)) {
    const std::pair<int, const UOp*> row(gathered.buffer, gathered.position);
    if (std::find(known.begin(), known.end(), row) != known.end() || !is_found_soon(gathered.position)) continue;
    known.push_back(row);
    const int64_t size = static_cast<int64_t>(size_of(c.kernel.params[static_cast<size_t>(gathered.buffer)].dtype));
    const Node* array = c.program.buffers[static_cast<size_t>(c.values.arguments()[static_cast<size_t>(gathered.buffer)].buffer)].node;
    if (!gathered.stride.is_constant() || !proven_at_most(kStreamBytes, element_count(array->shape) * size)) continue;
    const int64_t bytes = gathered.stride.constant() * size, rows = std::clamp<int64_t>(kAheadBytes / bytes, 1, kMostAhead);
    Substituter later(c.arena, {{variable_of(loop->variable), min(loop->variable + rows, loop->end - 1)}});
    if (at_begin(gathered.position) != gathered.position || later(gathered.position) == gathered.position) continue;
    for (int64_t line = 0; line < std::min(bytes, kMostLines * kLineBytes); line += kLineBytes) {
      Prefetch* fetch = prefetch(c.arena, gathered.buffer, later(at_begin(gathered.index)) + line / size);
      fetch->position = later(gathered.position);
      fetch->stride = gathered.stride;
      fetch->is_near = true;
      prefetches.push_back(fetch);
    }
  }
  return prefetches;
}

}  // namespace harp::lower
