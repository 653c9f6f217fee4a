#include "lower/masked_end.h"

#include <algorithm>

#include "base/machine.h"
#include "schedule/kernel_structure.h"

namespace harp::lower {

using namespace ir;

namespace {

/// Tests whether one instruction accesses the elements of this dtype at `index` for a vector of `lanes` iterations of the loop.
bool is_whole(DType dtype, Sym index, const Loop* lane, int lanes) {
  constexpr size_t kNarrowestBytes = 16;  // a masked access to a smaller vector takes several instructions
  const size_t bytes = size_of(dtype) * static_cast<size_t>(lanes);
  const auto linear = linear_in(index, variable_of(lane->variable));
  return bytes >= kNarrowestBytes && bytes <= static_cast<size_t>(kLineBytes) && linear && linear->coefficient.is_constant(1);
}

}  // namespace

bool has_masked_vectors(const Machine& target, const Node& node, int lanes) {
  constexpr int kMaxMaskLanes = 16;  // generated code has masks of at most 16 bits (has_bit_masks() in render/c/vectors.h)
  return target.gpu() == nullptr && target.cpu().mask_registers && lanes <= kMaxMaskLanes &&
         is_whole_line(lanes * static_cast<int64_t>(size_of(accumulator_dtype(node))));
}

bool has_masked_loads(const Machine& target, const Node& node, int lanes) {
  return target.gpu() == nullptr && target.cpu().masked_moves && !target.cpu().mask_registers &&
         lanes * static_cast<int>(size_of(accumulator_dtype(node))) == target.cpu().vector_bytes;
}

bool is_only_loaded(Arena& arena, const Machine& target, const Loop* lane, int lanes) {
  const auto is_maskable = [&](const UOp* u) {
    if (!is_read(u)) return true;
    const size_t bytes = size_of(u->type.dtype);
    return !is_bool(u->type.dtype) && bytes >= 4 && static_cast<int>(bytes) * lanes <= target.cpu().vector_bytes;
  };
  return std::ranges::none_of(lane->body, [](const Stmt* s) { return as<Store>(s) != nullptr; }) &&
         std::ranges::all_of(uops_of(arena, lane->body), is_maskable);
}

bool is_loaded_whole(const UOp* read, const Loop* lane, int lanes) {
  return read->kind == UKind::kLoad && is_whole(read->type.dtype, read->index, lane, lanes);
}

bool is_stored_whole(const Store& store, const Loop* lane, int lanes) {
  return !store.nontemporal && is_whole(store.value->type.dtype, store.index, lane, lanes);
}

bool is_accessed_whole(Arena& arena, const Loop* lane, int lanes) {
  const auto is_stored = [&](const Stmt* s) { return as<Store>(s) == nullptr || is_stored_whole(*as<Store>(s), lane, lanes); };
  return std::ranges::all_of(lane->body, is_stored) &&
         std::ranges::all_of(uops_of(arena, lane->body), [&](const UOp* u) { return !is_read(u) || is_loaded_whole(u, lane, lanes); });
}

}  // namespace harp::lower
