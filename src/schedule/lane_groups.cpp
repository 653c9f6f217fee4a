#include "schedule/lane_groups.h"

#include <algorithm>

#include "schedule/contraction.h"
#include "schedule/kernel_structure.h"

namespace harp {

bool has_lane_groups(const KernelPlan& kernel) {
  if (kernel.reduces.empty() || kernel.passes.size() != 1 || has_arg_extreme(kernel)) return false;
  const RowPass& pass = kernel.passes[0];
  const Dim terms = term_count(*kernel.reduces[0]);
  const auto needs_lanes = [](const Node* reduce) { return !is_free_of_order(reduce->op, reduce->dtype); };
  return pass.row_values.empty() && pass.row_stores.empty() && std::ranges::any_of(kernel.reduces, needs_lanes) && terms.is_constant() &&
         terms.constant() >= 1 && terms.constant() <= kMaxGroupedTerms;
}

}  // namespace harp
