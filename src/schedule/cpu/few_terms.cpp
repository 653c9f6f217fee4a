// Decides whether one expression for each result is faster than accumulators in memory. The size of the expression is limited, because
// generated code contains it several times: for the remainder of a row, and, if windows extend into padding, for each part of a row in
// which a different set of terms is padding.
#include "schedule/cpu/few_terms.h"

#include <algorithm>
#include <unordered_set>

#include "schedule/contraction.h"
#include "schedule/cpu/tuning.h"
#include "schedule/few_terms.h"
#include "schedule/kernel_structure.h"
#include "schedule/views.h"

namespace harp {

namespace {

/// Returns the largest distance between the elements of adjacent lanes at which vectors of this view are loaded fast.
int64_t steps_of_lanes(const ArrayView& view) {
  return view.element_bytes <= static_cast<int64_t>(kMostTransposedBytes) ? kMaxStepOfLanes : 2;
}

/// Tests whether one factor of each product is the same for all results, as the vector in matmul(x, v) is. No rows then share the loads of
/// columns. Also requires that one loop can run over all kept axes (those that are not reduced): in every array that is loaded, elements
/// along these axes together are at equal distances. Vectors along the last axis alone might be mostly empty. The distance must be so small
/// that few shuffles separate the terms: loading rows of 8 f32, or of 3 f64, takes longer than the sums.
bool multiplies_by_same(const Program& program, const KernelPlan& kernel) {
  const KernelViews views(program, kernel);
  if (std::ranges::any_of(kernel.stores, [](const StorePlan& store) { return !store.offset.empty(); })) return false;
  for (const Node* reduce : kernel.reduces) {
    if (operands_of(*reduce).size() != 2) return false;
    const std::vector<int>& axes = reduce->as<ReduceAttributes>().axes;
    bool has_same = false;
    for (const Node* factor : operands_of(*reduce)) {
      bool is_same = true;
      if (factor->rank() > 0)
        for (const ArrayView& view : views.of(factor)) {
          Dim next = 0;  // the stride at which the axis before the one that follows continues it
          bool is_last = true;
          for (size_t axis = view.shape.size(); axis-- > 0;) {
            if (view.shape[axis].is_constant(1) || std::ranges::find(axes, static_cast<int>(axis)) != axes.end()) continue;
            if (is_last ? !proven_at_most(view.strides[axis], steps_of_lanes(view)) : view.strides[axis] != next) return false;
            is_same &= view.strides[axis].is_constant(0);
            next = view.strides[axis] * view.shape[axis];
            is_last = false;
          }
        }
      has_same |= is_same;
    }
    if (!has_same) return false;
  }
  return true;
}

}  // namespace

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
  // product of matrices, where several rows share the loads of the columns. The other is padding without windows, which occurs in the
  // gradient of windows: there the padding masks are not linear in the index of the term.
  if (!reads_windows && (pads || (kernel.reduces[0]->as<ReduceAttributes>().product && !multiplies_by_same(program, kernel)))) return false;
  // The terms of a window are in the same few rows of memory. Without windows, each term is a separate memory stream, so an expression pays
  // only for a smaller number of terms.
  const int64_t most = pads ? kMaxPaddedTerms : reads_windows ? kMaxExpressionTerms : kMaxStreamedTerms;
  return *terms <= most && *terms * cost <= kMaxExpressionCost;
}

}  // namespace harp
