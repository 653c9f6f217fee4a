#include "schedule/rearranged.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "base/visits.h"

namespace harp {
namespace {

bool is_rearranged(const Node* value, const std::function<bool(const Node*)>& is_array) {
  std::vector<const Node*> stack = {value};
  std::unordered_set<const Node*> seen = {value};
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (node->rank() == 0 || is_array(node)) continue;
    if (is_movement(node->op)) {
      const bool repeats_one = node->op == Op::kExpand && element_count(node->sources[0]->shape).is_constant(1);
      if (node->op == Op::kReshape || moves_only_ones(*node) || repeats_one) continue;
      return true;
    }
    if (!is_elementwise(node->op) && info(node->op).family != Family::kConvert) continue;
    for (const Node* source : node->sources)
      if (seen.insert(source).second) stack.push_back(source);
  }
  count_visits(value->graph->dims(), seen.size());
  return false;
}

}  // namespace

bool moves_only_ones(const Node& node) {
  if (node.op != Op::kPermute) return false;
  std::vector<int> moved = node.as<PermuteAttributes>().axes;
  std::erase_if(moved, [&](int axis) { return node.sources[0]->shape[static_cast<size_t>(axis)].is_constant(1); });
  return std::ranges::is_sorted(moved);
}

const Node* rearranged_below(const Node& reshape, const FusionLimits& limits, const std::function<bool(const Node*)>& is_array) {
  const Node* value = &reshape;
  while (value->op == Op::kReshape && (value == &reshape || !is_array(value))) value = value->sources[0];
  if (value == &reshape || is_array(value) || limits.many_threads) return nullptr;
  const Shape from = squeezed(value->shape), to = squeezed(reshape.shape);
  if (to.empty() || from.size() <= to.size() || from.back() == to.back()) return nullptr;
  // Threads divide the first axis of a kernel, so if the first axis of the value is shorter than that of the node, it must still have
  // enough indices.
  if (from.front() != to.front() && from.front().is_constant() && from.front().constant() < limits.first_axis) return nullptr;
  return is_rearranged(value, is_array) ? value : nullptr;
}

bool joins_by_unrolling(const Shape& given, const Shape& joined, const FusionLimits& limits) {
  const Shape from = squeezed(given), to = squeezed(joined);
  size_t f = from.size();
  for (size_t t = to.size(); t-- > 0;) {
    Dim divisor = 1;  // the product of the joined axes after the first of them
    for (; f > 0 && !(divisor * from[f - 1] == to[t]); --f) {
      divisor *= from[f - 1];
      if (!divisor.is_constant() || divisor.constant() > limits.unrolled_divisor) return false;
    }
    if (f == 0) return false;
    --f;
  }
  return f == 0;
}

}  // namespace harp
