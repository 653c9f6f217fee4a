#include "schedule/shorten_sorts.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ops/sort_rows.h"

namespace harp {
namespace {

bool is_sort(const Node& node) { return node.op == Op::kSort || node.op == Op::kArgSort; }

/// Returns how many elements of its source a slice needs along the axis, counted from the first one; nothing if it needs more than
/// kMaxSelected or an unknown number.
std::optional<int64_t> reach_of(const Node& slice, size_t axis) {
  const auto& taken = slice.as<SliceAttributes>();
  const Dim &start = taken.start[axis], &size = slice.shape[axis];
  if (!start.is_constant() || !size.is_constant() || start.constant() >= kMaxSelected || size.constant() > kMaxSelected)
    return std::nullopt;
  if (size.constant() == 0) return 0;
  const int64_t step = size.constant() == 1 ? 1 : taken.step[axis];
  if (step < 0) return start.constant() + 1;
  if (step > kMaxSelected) return std::nullopt;
  const int64_t reach = start.constant() + (size.constant() - 1) * step + 1;
  return reach <= kMaxSelected ? std::optional(reach) : std::nullopt;
}

/// Finds how many elements of the sorted rows are used.
class Users {
 public:
  explicit Users(const Graph& graph) : live_(graph.live_nodes()), users_(graph.nodes().size()), is_output_(graph.nodes().size(), false) {
    for (const Node* node : live_)
      for (const Node* source : node->sources) users_[source->id].push_back(node);
    for (const GraphOutput& output : graph.outputs()) is_output_[output.node->id] = true;
  }

  const std::vector<const Node*>& live() const { return live_; }

  /// Returns how many elements of the node, counted from the first one along the axis, its users need; nothing if they need more than
  /// kMaxSelected or an unknown number.
  std::optional<int64_t> reach_of_all(const Node& node, size_t axis) const {
    if (is_output_[node.id]) return std::nullopt;
    int64_t most = 0;
    for (const Node* user : users_[node.id]) {
      std::optional<int64_t> reach;
      if (user->op == Op::kSlice) {
        reach = reach_of(*user, axis);
      } else if (user->op == Op::kPermute) {
        const std::vector<int>& axes = user->as<PermuteAttributes>().axes;
        const auto moved = std::ranges::find(axes, static_cast<int>(axis)) - axes.begin();
        reach = reach_of_all(*user, static_cast<size_t>(moved));
      }
      if (!reach) return std::nullopt;
      most = std::max(most, *reach);
    }
    return most;
  }

 private:
  std::vector<const Node*> live_;
  std::vector<std::vector<const Node*>> users_;  // indexed by node id
  std::vector<bool> is_output_;                  // indexed by node id
};

/// Tests whether a slice with these attributes and this shape is its whole source.
bool is_whole(const SliceAttributes& taken, const Shape& shape, const Node& source) {
  return shape == source.shape && std::ranges::all_of(taken.start, [](const Dim& start) { return start.is_constant(0); }) &&
         std::ranges::all_of(taken.step, [](int64_t step) { return step == 1; });
}

}  // namespace

std::shared_ptr<Graph> shorten_sorts(std::shared_ptr<Graph> whole, const FusionLimits& limits) {
  if (limits.grid_routines) return whole;
  const Graph& graph = *whole;
  if (std::ranges::none_of(graph.nodes(), is_sort)) return whole;
  const Users users(graph);
  std::vector<int64_t> kept(graph.nodes().size(), 0);  // indexed by node id: how many elements of each row a sort keeps; 0: all
  for (const Node* node : users.live()) {
    if (!is_sort(*node)) continue;
    const std::optional<int64_t> reach = users.reach_of_all(*node, node->shape.size() - 1);
    const Dim& length = node->shape.back();
    if (reach && (!length.is_constant() || *reach < length.constant())) kept[node->id] = *reach;
  }
  if (std::ranges::all_of(kept, [](int64_t count) { return count == 0; })) return whole;

  auto result = std::make_unique<Graph>(graph.options(), graph.name(), graph.shared_dims());
  std::vector<const Node*> copies(graph.nodes().size(), nullptr);  // indexed by node id: the node of the new graph that replaces it
  for (const Node* input : graph.inputs())
    copies[input->id] = result->add_input(input->as<InputAttributes>().name, input->dtype, input->shape);
  for (const Node* node : users.live()) {
    if (node->op == Op::kInput) continue;
    std::vector<const Node*> sources;
    for (const Node* source : node->sources) sources.push_back(copies[source->id]);
    Shape shape = node->shape;
    if (kept[node->id] > 0) shape.back() = kept[node->id];
    if (node->op == Op::kPermute) {  // its source may have become shorter
      const std::vector<int>& axes = node->as<PermuteAttributes>().axes;
      for (size_t axis = 0; axis < axes.size(); ++axis) shape[axis] = sources[0]->shape[static_cast<size_t>(axes[axis])];
    }
    const bool is_identity = node->op == Op::kSlice && is_whole(node->as<SliceAttributes>(), shape, *sources[0]);
    copies[node->id] =
        is_identity ? sources[0] : result->intern(node->op, node->dtype, std::move(shape), std::move(sources), node->attributes);
    result->set_node_name(copies[node->id], graph.node_name(node));
  }
  for (const GraphOutput& output : graph.outputs()) result->add_output(output.name, copies[output.node->id]);
  return result;
}

}  // namespace harp
