#include "schedule/few_terms.h"

#include <algorithm>

#include "schedule/contraction.h"

namespace harp {

std::optional<int64_t> expression_terms(const KernelPlan& kernel) {
  static_assert(kMaxExpressionTerms <= kChainBlock, "a longer chain is a sum of blocks");
  if (kernel.passes.empty() || iteration_space(kernel).empty()) return std::nullopt;
  if (!std::ranges::all_of(kernel.passes, [](const RowPass& pass) { return pass.row_stores.empty(); })) return std::nullopt;
  const auto is_chain = [](const Node* reduce) {
    return !is_arg_extreme(reduce->op) && reduce->as<ReduceAttributes>().order == ReduceOrder::kChain;
  };
  if (!std::ranges::all_of(kernel.reduces, is_chain)) return std::nullopt;
  const Dim terms = term_count(*kernel.reduces[0]);
  if (!terms.is_constant() || terms.constant() < 1 || terms.constant() > kMaxExpressionTerms) return std::nullopt;
  return terms.constant();
}

}  // namespace harp
