#include "lower/masked_end.h"

#include <algorithm>

#include "base/machine.h"
#include "schedule/kernel_structure.h"

namespace harp::lower {

using namespace ir;

namespace {

bool is_adjacent(Sym index, const Loop* lane) {
  const auto linear = linear_in(index, variable_of(lane->variable));
  return linear && linear->coefficient.is_constant(1);
}

}  // namespace

bool has_masked_vectors(const Node& node, int lanes) {
  return is_whole_line(lanes * static_cast<int64_t>(size_of(accumulator_dtype(node))));
}

bool is_loaded_whole(const UOp* read, const Loop* lane, int lanes) {
  constexpr size_t kNarrowestBytes = 16;  // a masked load of a smaller vector takes several instructions
  return read->kind == UKind::kLoad && size_of(read->type.dtype) * static_cast<size_t>(lanes) >= kNarrowestBytes &&
         is_adjacent(read->index, lane);
}

bool is_accessed_whole(Arena& arena, const Loop* lane, int lanes) {
  const auto is_stored_whole = [&](const Stmt* s) {
    const auto* store = as<Store>(s);
    return store == nullptr || (is_adjacent(store->index, lane) && !store->nontemporal);
  };
  return std::ranges::all_of(lane->body, is_stored_whole) &&
         std::ranges::all_of(uops_of(arena, lane->body), [&](const UOp* u) { return !is_read(u) || is_loaded_whole(u, lane, lanes); });
}

}  // namespace harp::lower
