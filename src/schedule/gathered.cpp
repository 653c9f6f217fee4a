#include "schedule/gathered.h"

#include <vector>

namespace harp {

std::optional<Gathered> gathered(const Node& gather, const std::function<bool(const Node*)>& lies_in_memory) {
  std::vector<const Node*> nodes = {gather.sources[0]};
  while (!lies_in_memory(nodes.back()) && is_movement(nodes.back()->op) && nodes.back()->op != Op::kPad)
    nodes.push_back(nodes.back()->sources[0]);
  const auto axis = static_cast<size_t>(gather.as<GatherAttributes>().axis);
  for (;; nodes.pop_back()) {  // a node is a view of itself
    std::optional<View> view = view_through(nodes);
    if (!view) continue;
    if (view->shape[axis].is_constant(1) || view->strides[axis].is_constant(0)) return std::nullopt;
    return Gathered{nodes.back(), *std::move(view)};
  }
}

}  // namespace harp
