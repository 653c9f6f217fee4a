#include "schedule/bounded_by_arrays.h"

#include <algorithm>
#include <vector>

#include "base/visits.h"

namespace harp {
namespace {

// A pad or concat may have this many times as many elements as its sources that are bounded by arrays.
constexpr int64_t kMostTimes = 4;

/// Tests whether the pad is at most kMostTimes as large as its source. If that depends on symbolic sizes, the added elements are assumed to
/// be few, as a border is.
bool adds_little(const Node& pad) { return !proven_less(element_count(pad.sources[0]->shape) * kMostTimes, element_count(pad.shape)); }

}  // namespace

bool BoundedByArrays::operator()(const Node& root) {
  std::vector<const Node*> stack = {&root};
  size_t visits = 0;
  while (!stack.empty()) {
    const Node* node = stack.back();
    const size_t waiting = stack.size();
    if (!known_.contains(node) && !is_array(*node))
      for (const Node* source : node->sources)
        if (!known_.contains(source)) stack.push_back(source);
    if (stack.size() > waiting) continue;
    stack.pop_back();
    ++visits;
    if (!known_.contains(node)) known_.emplace(node, is_array(*node) || follows(*node));
  }
  count_visits(root.graph->dims(), visits);
  return known_.at(&root);
}

bool BoundedByArrays::is_array(const Node& node) const {
  return node.op == Op::kInput || node.op == Op::kConstantArray || is_stored_(&node);
}

/// Returns the result for a node that is no array, given the results for its sources.
bool BoundedByArrays::follows(const Node& node) const {
  const auto is_bounded = [&](const Node* source) { return known_.at(source); };
  if (node.op == Op::kPad) return is_bounded(node.sources[0]) && adds_little(node);
  if (node.op == Op::kConcat) {
    // the lengths, along the joined axis, of the sources that are bounded and of the others
    Dim bounded = 0, others = 0;
    for (const Node* source : node.sources)
      (is_bounded(source) ? bounded : others) += source->shape[static_cast<size_t>(node.as<ConcatAttributes>().axis)];
    const Dim most = bounded * (kMostTimes - 1);
    return proven_at_most(others, most) || (others.is_constant() && !proven_less(most, others));
  }
  if (node.op == Op::kSlice) return is_bounded(node.sources[0]);
  const Dim count = element_count(node.shape);
  return std::ranges::any_of(node.sources,
                             [&](const Node* source) { return is_bounded(source) && proven_at_most(count, element_count(source->shape)); });
}

}  // namespace harp
