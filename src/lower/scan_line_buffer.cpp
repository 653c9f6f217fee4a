#include "lower/scan_line_buffer.h"

#include <algorithm>
#include <map>

namespace harp::lower {

using namespace ir;

Body line_prefetches(Arena& arena, const Body& loads) {
  constexpr int64_t kPrefetchBytes = 8192;
  Body prefetches;
  if (std::ranges::any_of(loads, [](const Stmt* s) { return as<Loop>(s) != nullptr; })) return prefetches;
  std::map<int, int64_t> bytes_of;  // for each parameter, the number of bytes loaded so far
  for (const UOp* u : uops_of(arena, loads)) {
    if (u->kind != UKind::kLoad || u->type.lanes == 1 || !u->lane_step.is_constant(1)) continue;
    const int64_t size = static_cast<int64_t>(size_of(u->type.dtype));
    int64_t& bytes = bytes_of[u->buffer];
    if (bytes % kLineBytes == 0) prefetches.push_back(prefetch(arena, u->buffer, u->index + kPrefetchBytes / size));
    bytes += size * u->type.lanes;
  }
  return prefetches;
}

std::optional<ScanLineBuffer> ScanLineBuffer::of(KernelContext& context, Accumulators& accumulators, const Body& stores, Sym along,
                                                 int64_t most) {
  std::vector<int> arrays;
  for (const Stmt* stored : stores) {
    const auto* s = as<Store>(stored);
    const auto place = linear_in(s->index, variable_of(along));
    // An accumulator cannot hold the bytes that stores of 16-bit floats and bools write: it would hold a 16-bit float as a wider one, and a
    // bool must be stored as 1 even if another nonzero byte represents it.
    const DType dtype = s->value->type.dtype;
    if (s->mask != nullptr || is_bool(dtype) || is_half(dtype) || !place || !place->coefficient.is_constant(1)) return std::nullopt;
  }
  for (const Stmt* s : stores) arrays.push_back(accumulators.add_array(as<Store>(s)->value->type.dtype, most));
  return ScanLineBuffer(context.arena, std::move(arrays));
}

void ScanLineBuffer::declare(Body& body) const {
  for (const int array : arrays_) body.push_back(declare_accumulator(*arena_, array));
}

void ScanLineBuffer::keep(Body& stores, Sym place) const {
  for (size_t i = 0; i < stores.size(); ++i) stores[i] = set_accumulator(*arena_, arrays_[i], place, as<Store>(stores[i])->value);
}

void ScanLineBuffer::copy(const Body& stores, Sym count, Body& body) const {
  for (size_t i = 0; i < stores.size(); ++i) {
    const auto* store = as<Store>(stores[i]);
    auto* s = arena_->statement<Copy>();
    s->source = arrays_[i];
    s->from = 0, s->from_row_stride = count, s->from_stride = 1;
    s->rows = 1, s->length = count;
    s->buffer = store->buffer;
    s->index = store->index, s->stride = count;
    s->nontemporal = true;
    body.push_back(s);
  }
}

}  // namespace harp::lower
