// How: by the strides at which memory is read. They only choose the schedule: which loads a block copies is seen where it is lowered, from
// their positions.
#include "schedule/transpose.h"

#include <algorithm>

#include "schedule/views.h"

namespace harp {
namespace {

constexpr int64_t kShortest = 8;       // axes for which blocks do not pay
constexpr int64_t kRowBytes = 512;     // of what is read
constexpr int64_t kColumnBytes = 256;  // of what is stored
// Past the caches: a line of what is stored, for as long as what is read goes on. (Measured in blocks of f32, 8192 by 8192, against memcpy:
// 64 x 128 0.65, past the caches 0.85; 16 x 512 1.36, 16 x 1024 1.50, 16 x 2048 1.71.)
constexpr int64_t kStreamedRowBytes = 8192;
constexpr int64_t kStreamedColumnBytes = 64;

/// The bytes of the widest element that is stored; of single bytes a block has no more than of pairs.
int64_t element_bytes(const KernelPlan& kernel) {
  size_t bytes = 2;
  for (const StorePlan& store : kernel.stores) bytes = std::max(bytes, size_of(store.node->dtype));
  return static_cast<int64_t>(bytes);
}

}  // namespace

std::optional<size_t> transposed_axis(const Program& program, const KernelPlan& kernel) {
  const Shape space = iteration_space(kernel);
  if (!kernel.reduces.empty() || !kernel.scans.empty() || kernel.alone != nullptr || space.size() < 2) return std::nullopt;
  const KernelViews views(program, kernel);
  std::vector<size_t> loads(space.size() - 1, 0);  // that lie along an axis, and not along the last one
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

Schedule schedule_transpose(const KernelPlan& kernel, size_t axis, int width) {
  const int64_t bytes = element_bytes(kernel);
  Schedule s;
  s.recipe = Template::kTranspose;
  s.axes.resize(iteration_space(kernel).size());
  s.axes.front().kind = AxisKind::kThread;
  s.axes[axis].tile = kRowBytes / bytes;
  s.axes.back().tile = kColumnBytes / bytes;
  s.axes.back().simd_width = width;
  return s;
}

Schedule schedule_streamed_transpose(const KernelPlan& kernel, size_t axis, int width) {
  size_t narrowest = sizeof(double);
  for (const StorePlan& store : kernel.stores) narrowest = std::min(narrowest, size_of(store.node->dtype));
  Schedule s = schedule_transpose(kernel, axis, width);
  s.axes.back().tile = kStreamedColumnBytes / static_cast<int64_t>(narrowest);
  s.axes[axis].tile = std::min(kStreamedRowBytes / element_bytes(kernel), kMostBlockElements / s.axes.back().tile);
  s.stream = true;
  return s;
}

}  // namespace harp
