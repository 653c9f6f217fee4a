// Decides whether a kernel uses non-temporal stores, by the sizes of its arrays in bytes. The conditions are expressions of the shape
// variables that generated code evaluates at run time.
#include "schedule/cpu/stream.h"

#include <algorithm>

#include "schedule/contraction.h"
#include "schedule/cpu/tuning.h"
#include "schedule/kernel_structure.h"
#include "schedule/views.h"

namespace harp {
namespace {

constexpr int64_t kHalfLine = kLineBytes / 2;

/// Returns an expression that is >= 0 if the kernel stores at least cpu.stream_bytes, and the length of each output's rows is a multiple of
/// `bytes` bytes.
Sym streams_rows_of(const KernelPlan& kernel, const Cpu& cpu, int64_t bytes) {
  Sym condition = streams_any(kernel, cpu);
  for (const StorePlan& store : kernel.stores) {
    const Shape shape = squeezed(store.shape);
    const Sym row = shape.empty() ? Sym(1) : shape.back();
    const auto size = static_cast<int64_t>(size_of(store.node->dtype));
    condition = min(condition, Sym(0) - mod(row * size, bytes));
    if (store.offset.empty()) continue;
    // If the kernel stores only a part of each row (a source of a concat), another kernel stores the rest of the row, so the part must
    // consist of whole cache lines.
    size_t axis = store.shape.size();
    while (axis > 0 && store.shape[axis - 1].is_constant(1)) --axis;
    if (axis == 0 || store.node->shape[axis - 1] == store.shape[axis - 1]) continue;
    const Sym part = store.node->shape[axis - 1] * size, offset = store.offset[axis - 1] * size;
    condition = min(condition, min(Sym(0) - mod(part, kLineBytes), Sym(0) - mod(offset, kLineBytes)));
  }
  return condition;
}

/// Tests whether the kernel accesses each output and input contiguously from the first element to the last.
bool is_one_line(const Program& program, const KernelPlan& kernel) {
  const KernelViews views(program, kernel);
  return std::all_of(kernel.stores.begin(), kernel.stores.end(), [&](const StorePlan& store) {
    const std::vector<ArrayView> read = views.of(store.node);
    return store.offset.empty() && std::all_of(read.begin(), read.end(), [](const View& view) { return view.is_contiguous(); });
  });
}

}  // namespace

Sym streams_any(const KernelPlan& kernel, const Cpu& cpu) {
  Sym bytes = 0;
  for (const StorePlan& store : kernel.stores)
    bytes = bytes + element_count(store.node->shape) * static_cast<int64_t>(size_of(store.node->dtype));
  return bytes - cpu.stream_bytes;
}

bool deferred_stores_pay(const KernelPlan& kernel) {
  if (!may_defer_stores(kernel)) return false;
  const Node& stored = *kernel.stores[kernel.passes.back().row_stores[0]].node;
  const Dim row = term_count(*kernel.reduces[0]);
  const int64_t size = static_cast<int64_t>(size_of(stored.dtype));
  return row.is_constant() && row.constant() * size >= kDeferredRowBytes && row.constant() * size % kPageBytes != 0;
}

Sym streams_lines(const KernelPlan& kernel, const Cpu& cpu) { return streams_rows_of(kernel, cpu, kLineBytes); }

Sym streams_rows(const KernelPlan& kernel, const Cpu& cpu) { return streams_rows_of(kernel, cpu, kHalfLine); }

Sym streams_elements(const Program& program, const KernelPlan& kernel, const Cpu& cpu) {
  return is_one_line(program, kernel) ? streams_any(kernel, cpu) : streams_rows(kernel, cpu);
}

}  // namespace harp
