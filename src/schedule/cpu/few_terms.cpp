// Decides whether one expression for each result is faster than accumulators in memory. The size of the expression is limited, because
// generated code contains it several times: for the remainder of a row, and, if windows extend into padding, for each part of a row in
// which a different set of terms is padding.
#include "schedule/cpu/few_terms.h"

#include <unordered_set>

#include "schedule/cpu/tuning.h"
#include "schedule/few_terms.h"

namespace harp {

Schedule schedule_few_terms(const KernelPlan& kernel, int width) {
  Schedule s;
  s.axes.resize(iteration_space(kernel).size());
  s.axes.front().kind = AxisKind::kThread;
  s.axes.back().simd_width = width;
  s.axes.push_back({.kind = AxisKind::kReduce});
  return s;
}

bool expressions_pay(const Program& program, const KernelPlan& kernel) {
  const std::optional<int64_t> terms = expression_terms(kernel);
  if (!terms) return false;
  // The cost of one term, in units of an addition. Each reduction takes one operation to combine the term; the loop adds the cost of
  // computing it.
  int64_t cost = static_cast<int64_t>(kernel.reduces.size());
  bool reads_windows = false, pads = false;
  const std::vector<const Node*> nodes = computed_nodes(program, kernel);
  std::unordered_set<const Node*> of_terms;  // nodes that are computed for each term; the others are computed once for each result
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
    const Node& node = **at;
    if (is_reduce(node.op)) {
      for (const Node* operand : operands_of(node)) of_terms.insert(operand);
      continue;
    }
    if (!of_terms.contains(&node)) continue;
    of_terms.insert(node.sources.begin(), node.sources.end());
    reads_windows |= node.op == Op::kUnfold;
    pads |= node.op == Op::kPad;
    const Family family = info(node.op).family;
    if (family == Family::kMovement || family == Family::kLeaf) continue;
    if (family != Family::kElementwise && family != Family::kConvert) return false;
    cost += info(node.op).cost;
  }
  // If no operand is a window (an overlapping view of an array), adding rows to rows of accumulators is faster in two cases. One is a small
  // matrix product, where several rows share the loads of the columns. The other is padding without windows, which occurs in the gradient
  // of windows: there the padding masks are not linear in the index of the term.
  if (!reads_windows && (pads || kernel.reduces[0]->as<ReduceAttributes>().product)) return false;
  // The terms of a window are in the same few rows of memory. Without windows, each term is a separate memory stream, so an expression pays
  // only for a smaller number of terms.
  const int64_t most = pads ? kMaxPaddedTerms : reads_windows ? kMaxExpressionTerms : kMaxStreamedTerms;
  return *terms <= most && *terms * cost <= kMaxExpressionCost;
}

}  // namespace harp
