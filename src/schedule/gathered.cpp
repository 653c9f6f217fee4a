#include "schedule/gathered.h"

#include <vector>

namespace harp {

std::optional<Gathered> gathered(const Node& gather, const std::function<bool(const Node*)>& lies_in_memory) {
  std::vector<const Node*> chain = {gather.sources[0]};
  while (is_movement(chain.back()->op) && chain.back()->op != Op::kPad) chain.push_back(chain.back()->sources[0]);
  const std::span<const Node* const> nodes = chain;
  const auto axis = static_cast<size_t>(gather.as<GatherAttributes>().axis);
  // First find the deepest view, which does not depend on what lies in memory.
  size_t depth = nodes.size();
  std::optional<View> deepest = view_through(nodes);
  for (; !deepest; deepest = view_through(nodes.first(depth))) --depth;  // terminates: a node is a view of itself
  if (deepest->shape[axis].is_constant(1) || deepest->strides[axis].is_constant(0)) return std::nullopt;
  for (size_t i = 0; i + 1 < depth; ++i) {
    if (!lies_in_memory(nodes[i])) continue;
    if (std::optional<View> view = view_through(nodes.first(i + 1))) return Gathered{nodes[i], *std::move(view)};
  }
  return Gathered{nodes[depth - 1], *std::move(deepest)};
}

}  // namespace harp
