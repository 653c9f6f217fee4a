// Decides, by the strides at which a kernel reads memory, whether it is computed in blocks of two axes. The strides determine only the
// schedule. Lowering (lower/transpose.cpp) finds out from the positions of the loads which arrays a block copies.
#include "schedule/cpu/transpose.h"

#include <algorithm>

#include "schedule/cpu/tuning.h"
#include "schedule/kernel_structure.h"
#include "schedule/views.h"

namespace harp {
namespace {

/// Returns the size in bytes of the widest stored element, but at least 2, because blocks of one-byte elements have no more elements than
/// blocks of two-byte elements.
int64_t element_bytes(const KernelPlan& kernel) {
  size_t bytes = 2;
  for (const StorePlan& store : kernel.stores) bytes = std::max(bytes, size_of(store.node->dtype));
  return static_cast<int64_t>(bytes);
}

/// Tests whether the kernel stores an array of at least packed_array_bytes() and loads an array whose rows are whole pages apart.
bool lies_in_pages(const Program& program, const KernelPlan& kernel, size_t axis, const Cpu& cpu) {
  const KernelViews views(program, kernel);
  for (const StorePlan& store : kernel.stores) {
    const auto bytes = element_count(store.node->shape) * static_cast<int64_t>(size_of(store.node->dtype));
    if (!proven_at_most(packed_array_bytes(cpu), bytes)) continue;
    for (const ArrayView& view : views.of(store.node)) {
      Shape strides;
      for (size_t i = 0; i < view.shape.size(); ++i)
        if (!view.shape[i].is_constant(1)) strides.push_back(view.strides[i]);
      if (strides[axis].is_constant(1) && mod(strides.back() * view.element_bytes, kPageBytes).is_constant(0)) return true;
    }
  }
  return false;
}

}  // namespace

bool blocks_pay(const KernelPlan& kernel, size_t axis) {
  const Shape space = iteration_space(kernel);
  return range(space[axis]).hi >= kBlockedExtent && range(space.back()).hi >= kBlockedExtent;
}

Schedule schedule_transpose(const Program& program, const KernelPlan& kernel, size_t axis, int width, const Cpu& cpu) {
  const int64_t bytes = element_bytes(kernel);
  const bool packs = lies_in_pages(program, kernel, axis, cpu);
  Schedule s;
  s.recipe = Template::kTranspose;
  s.axes.resize(iteration_space(kernel).size());
  s.axes.front().kind = AxisKind::kThread;
  s.axes[axis].tile = (packs ? kPackedRowBytes : kBlockRowBytes) / bytes;
  s.axes[axis].pack = packs;
  s.axes.back().tile = (packs ? kPackedColumnBytes : kBlockColumnBytes) / bytes;
  s.axes.back().simd_width = width;
  return s;
}

Schedule schedule_streamed_transpose(const Program& program, const KernelPlan& kernel, size_t axis, int width, const Cpu& cpu) {
  size_t narrowest = sizeof(double);
  for (const StorePlan& store : kernel.stores) narrowest = std::min(narrowest, size_of(store.node->dtype));
  const auto size = static_cast<int64_t>(narrowest);
  Schedule s = schedule_transpose(program, kernel, axis, width, cpu);
  s.nontemporal = true;
  s.prefetch = s.axes[axis].pack =
      cpu.vector_loads_a_cycle > 1 && !proven_at_most(iteration_space(kernel).back() * size, kShortColumnBytes);
  s.axes.back().tile = (s.prefetch ? kStreamedColumnBytes : kLineColumnBytes) / size;
  s.axes[axis].tile =
      std::min((s.prefetch ? kStreamedRowBytes : kLineRowBytes) / element_bytes(kernel), kMaxBlockElements / s.axes.back().tile);
  return s;
}

}  // namespace harp
