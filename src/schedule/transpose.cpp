// Whether a kernel transposes blocks is decided from the strides of its memory accesses. This only determines the schedule; lowering
// decides from the positions of the loads which of them a block copies.
#include "schedule/transpose.h"

#include <algorithm>
#include <cstdlib>

#include "schedule/views.h"

namespace harp {
namespace {

constexpr int64_t kShortest = 8;       // axes shorter than this do not pay for blocks
constexpr int64_t kRowBytes = 256;     // bytes of a row of a block in the source
constexpr int64_t kColumnBytes = 256;  // bytes of a row of a block in the destination
// Packed blocks (copied through scratch memory) are used if rows are whole pages apart, so that the lines of a column compete for the same
// few cache sets, and with non-temporal stores. (GB/s of f32, Zen 5: 1024 by 1024 31 unpacked, 71 packed, 40 with the block sides
// exchanged; 1152 by 1152 95 unpacked, 70 packed. 8192 by 8192 with non-temporal stores: blocks of a line by 8 KiB unpacked 20, packed 24,
// packed with a prefetch of the next block 36; memcpy 37.)
constexpr int64_t kFarBytes = int64_t{1} << 20;
constexpr int64_t kPackedRowBytes = 256, kPackedColumnBytes = 512;
constexpr int64_t kStreamedRowBytes = 512, kStreamedColumnBytes = 256;
// Short rows have no next block to prefetch: a block is one cache line of the destination by as much of the source as is contiguous. (The
// same on a Zen 4: 8192 by 8192 takes 1.71 of the time of memcpy.)
constexpr int64_t kShortColumnBytes = 1024, kLineRowBytes = 8192, kLineColumnBytes = 64;

/// Returns the bytes of the widest stored element, but at least 2: blocks of single bytes are no larger than blocks of two-byte elements.
int64_t element_bytes(const KernelPlan& kernel) {
  size_t bytes = 2;
  for (const StorePlan& store : kernel.stores) bytes = std::max(bytes, size_of(store.node->dtype));
  return static_cast<int64_t>(bytes);
}

/// Tests whether the kernel stores, and loads, more than the inner caches hold, in rows that are whole pages apart.
bool lies_in_pages(const Program& program, const KernelPlan& kernel, size_t axis) {
  const KernelViews views(program, kernel);
  for (const StorePlan& store : kernel.stores) {
    const auto bytes = element_count(store.node->shape) * static_cast<int64_t>(size_of(store.node->dtype));
    if (!proven_at_most(kFarBytes, bytes)) continue;
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

std::optional<size_t> transposed_axis(const Program& program, const KernelPlan& kernel) {
  const Shape space = iteration_space(kernel);
  if (!kernel.reduces.empty() || !kernel.scans.empty() || kernel.alone != nullptr || space.size() < 2) return std::nullopt;
  const KernelViews views(program, kernel);
  std::vector<size_t> loads(space.size() - 1, 0);  // number of loads contiguous along each axis but not along the last one
  for (const StorePlan& store : kernel.stores)
    for (const View& view : views.of(store.node)) {
      Shape strides;
      for (size_t axis = 0; axis < view.shape.size(); ++axis)
        if (!view.shape[axis].is_constant(1)) strides.push_back(view.strides[axis]);
      const Dim along_last = strides.back();
      if (along_last.is_constant() && std::abs(along_last.constant()) <= 1) continue;
      for (size_t axis = 0; axis < loads.size(); ++axis) loads[axis] += strides[axis].is_constant(1);
    }
  const auto most = std::max_element(loads.begin(), loads.end());
  if (*most == 0) return std::nullopt;
  return static_cast<size_t>(most - loads.begin());
}

bool blocks_pay(const KernelPlan& kernel, size_t axis) {
  const Shape space = iteration_space(kernel);
  return range(space[axis]).hi >= kShortest && range(space.back()).hi >= kShortest;
}

Schedule schedule_transpose(const Program& program, const KernelPlan& kernel, size_t axis, int width) {
  const int64_t bytes = element_bytes(kernel);
  const bool packs = lies_in_pages(program, kernel, axis);
  Schedule s;
  s.recipe = Template::kTranspose;
  s.axes.resize(iteration_space(kernel).size());
  s.axes.front().kind = AxisKind::kThread;
  s.axes[axis].tile = (packs ? kPackedRowBytes : kRowBytes) / bytes;
  s.axes[axis].pack = packs;
  s.axes.back().tile = (packs ? kPackedColumnBytes : kColumnBytes) / bytes;
  s.axes.back().simd_width = width;
  return s;
}

Schedule schedule_streamed_transpose(const Program& program, const KernelPlan& kernel, size_t axis, int width, const Target& target) {
  size_t narrowest = sizeof(double);
  for (const StorePlan& store : kernel.stores) narrowest = std::min(narrowest, size_of(store.node->dtype));
  const auto size = static_cast<int64_t>(narrowest);
  Schedule s = schedule_transpose(program, kernel, axis, width);
  s.stream = true;
  s.ahead = s.axes[axis].pack = !target.one_load && !proven_at_most(iteration_space(kernel).back() * size, kShortColumnBytes);
  s.axes.back().tile = (s.ahead ? kStreamedColumnBytes : kLineColumnBytes) / size;
  s.axes[axis].tile =
      std::min((s.ahead ? kStreamedRowBytes : kLineRowBytes) / element_bytes(kernel), kMostBlockElements / s.axes.back().tile);
  return s;
}

}  // namespace harp
