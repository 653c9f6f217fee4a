// Estimates how long a kernel takes. Generated code uses the estimate to decide whether the kernel is distributed among several workers.
#include <algorithm>
#include <span>
#include <vector>

#include "graph/body.h"
#include "lower/lower.h"

namespace harp::lower {
namespace {

constexpr int64_t kMemoryCost = 2;  // cost of reading or writing an element, relative to an addition

/// Returns the number of elements that the kernel processes.
Dim elements(const KernelPlan& plan) {
  if (!plan.reduces.empty()) return element_count(plan.reduces[0]->sources[0]->shape);
  if (!plan.scans.empty()) return element_count(plan.scans[0]->shape);
  if (plan.alone != nullptr && is_scatter(plan.alone->op))
    return element_count(plan.alone->shape) + element_count(plan.alone->sources[2]->shape);
  if (plan.alone != nullptr && is_routine(plan.alone->op)) return element_count(plan.alone->sources[0]->shape);
  return element_count(plan.stores[0].node->shape);
}

/// Number of iterations that the estimate assumes for each loop of a custom function.
constexpr int64_t kAssumedIterations = 64;
int64_t body_cost(const Node& node) {
  const ElementBody& body = *node.as<CustomAttributes>().body;
  return static_cast<int64_t>(body.expressions.size()) * (body.has_loop ? kAssumedIterations : 1);
}

/// Returns the sum of the costs of these nodes for one element each. The results of one call of a custom function cost its body once.
int64_t cost_of(std::span<const Node* const> nodes) {
  int64_t cost = 0;
  std::vector<const Node*> calls;
  for (const Node* node : nodes) {
    if (!is_custom(node->op)) {
      cost += info(node->op).cost;
    } else if (std::none_of(calls.begin(), calls.end(), [&](const Node* call) { return are_of_one_call(*call, *node); })) {
      cost += body_cost(*node);
      calls.push_back(node);
    }
  }
  return cost;
}

}  // namespace

Sym work_of(const Program& program, const KernelPlan& plan, int lanes) {
  int64_t cost = kMemoryCost * static_cast<int64_t>(plan.reads.size() + plan.stores.size());
  cost += cost_of(computed_nodes(program, plan));
  return elements(plan) * std::max<int64_t>(1, cost / lanes);
}

}  // namespace harp::lower
