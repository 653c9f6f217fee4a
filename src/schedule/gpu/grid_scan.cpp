#include "schedule/gpu/grid_scan.h"

#include <algorithm>

#include "schedule/kernel_structure.h"
#include "schedule/law.h"

namespace harp {

Dim GridScan::start(size_t level) const {
  Dim elements = 0;
  for (size_t l = 1; l < level; ++l) elements += size(l) * (2 * scans);
  return elements;
}

GridScan grid_scan(const KernelPlan& kernel) {
  constexpr int64_t kMaxElements = int64_t{1} << 40;  // more elements than fit in a GPU's memory
  GridScan scan;
  const Shape space = iteration_space(kernel);
  const auto axis = static_cast<size_t>(scan_axis(kernel));
  for (size_t i = 0; i < space.size(); ++i)
    if (i != axis) scan.rows = scan.rows * space[i];
  scan.scans = static_cast<int64_t>(kernel.scans.size());
  scan.counts = {space[axis]};
  for (int64_t most = std::min(range(space[axis]).hi, kMaxElements); most > kScannedBlock; most = (most - 1) / kScannedBlock)
    scan.counts.push_back(floor_div(max(scan.counts.back() - 1, 0), kScannedBlock));
  return scan;
}

bool scans_by_groups(const KernelPlan& kernel, const Schedule& schedule) {
  const int axis = kernel.scans.empty() ? -1 : scan_axis(kernel);
  return axis >= 0 && schedule.axes[static_cast<size_t>(axis)].kind == AxisKind::kThreadGroup;
}

void add_scan_buffers(Program& program) {
  for (KernelPlan& kernel : program.kernels) {
    if (!scans_by_groups(kernel, kernel.variants[0].schedule)) continue;
    const GridScan scan = grid_scan(kernel);
    if (scan.counts.size() > 1) add_scratch(program, kernel, accumulator_dtype(*kernel.scans[0]), scan.elements());
  }
}

}  // namespace harp
