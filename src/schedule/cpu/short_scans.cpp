#include "schedule/cpu/short_scans.h"

#include <utility>

#include "schedule/contraction_blocks.h"
#include "schedule/cpu/tuning.h"
#include "schedule/kernel_structure.h"

namespace harp {

std::vector<Variant> short_scans(const KernelPlan& kernel, const Schedule& usual) {
  std::vector<Variant> variants;
  if (!may_have_row_lanes(kernel)) return variants;
  Schedule s = usual;
  std::swap(s.axes.back().simd_width, s.axes[s.axes.size() - 2].simd_width);
  s.axes.back().unroll = 1;
  if (!has_row_lanes(kernel, s)) return variants;
  const Shape space = iteration_space(kernel);
  const Dim length = space.back(), rows = space[space.size() - 2];
  if (as_variable(length) != nullptr)
    if (const auto guard = all_nonnegative({Sym(1) - length, length - 1})) variants.push_back({guard, s});
  if (const auto guard = all_nonnegative({Sym(kMaxShortAxis) - length, rows - kFewestShortRows}))
    variants.push_back({guard->is_constant() ? std::nullopt : guard, s});
  return variants;
}

}  // namespace harp
