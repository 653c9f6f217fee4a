// Estimates how long a kernel takes. Generated code uses the estimate to decide whether the kernel is distributed among several workers.
#include <algorithm>

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

}  // namespace

Sym work_of(const Program& program, const KernelPlan& plan, int lanes) {
  int64_t cost = kMemoryCost * static_cast<int64_t>(plan.reads.size() + plan.stores.size());
  for (const Node* node : computed_nodes(program, plan)) cost += is_custom(node->op) ? body_cost(*node) : info(node->op).cost;
  return elements(plan) * std::max<int64_t>(1, cost / lanes);
}

}  // namespace harp::lower
