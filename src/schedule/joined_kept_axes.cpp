#include "schedule/joined_kept_axes.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "graph/view.h"
#include "schedule/contraction.h"
#include "schedule/contraction_blocks.h"
#include "schedule/kernel_structure.h"
#include "schedule/program.h"

namespace harp {
namespace {

// A last axis of at least this many elements fills vectors well enough, so it is not joined with other axes.
constexpr int64_t kManyColumns = 128;

/// Returns the number of axes after the last reduced axis.
size_t axes_behind(const Node& reduce) {
  const std::vector<int>& axes = reduce.as<ReduceAttributes>().axes;
  return reduce.sources[0]->shape.size() - 1 - static_cast<size_t>(*std::ranges::max_element(axes));
}

bool ends_with(const Shape& shape, std::span<const Dim> tail) {
  return shape.size() >= tail.size() && std::ranges::equal(std::span(shape).last(tail.size()), tail);
}

bool reduces_in_chain_order(const Node& node) { return is_reduce(node.op) && node.as<ReduceAttributes>().order == ReduceOrder::kChain; }

/// Tests whether it pays to join the last axes of a node, whose sizes are `tail`: there must be several of them, and the last one must be
/// short.
bool is_worth_joining(std::span<const Dim> tail) {
  const Shape axes = squeezed(Shape(tail.begin(), tail.end()));
  return axes.size() > 1 && !proven_at_most(kManyColumns, axes.back()) && std::ranges::count(axes, Dim(0)) == 0;
}

/// Finds the operations whose last axes can be joined into one; these operations are called members. Members that are connected with each
/// other (one is an operand of the other) have the same last axes.
class Members {
 public:
  Members(const Graph& graph, const FusionLimits& limits)
      : limits_(limits), users_(graph.nodes().size()), joined_(graph.nodes().size(), 0), visits_(graph.nodes().size()) {
    const std::vector<const Node*> live = graph.live_nodes();
    for (const Node* node : live)
      for (const Node* source : node->sources) users_[source->id].push_back(node);
    for (const Node* node : live)
      if (starts(*node)) add_connected(node);
  }

  /// Returns how many last axes of the node are joined; 0: none, the node is not a member.
  size_t joined(const Node* node) const { return joined_[node->id]; }
  bool empty() const {
    return std::ranges::none_of(joined_, [](size_t axes) { return axes > 0; });
  }

 private:
  /// Tests whether the node is a reduction that gains from joined axes. Reductions of few terms and products by register
  /// tiles are excluded, because their kernels do not have their vectors along the last axis only.
  bool starts(const Node& node) const {
    if (joined_[node.id] > 0 || !reduces_in_chain_order(node) || may_want_tiles(node, limits_)) return false;
    const Shape& shape = node.sources[0]->shape;
    return is_worth_joining(std::span(shape).last(axes_behind(node))) && !proven_at_most(term_count(node), kMaxShortAxis);
  }

  /// Adds the reduction and all nodes that are connected with it to the members, unless the axes of one of these nodes cannot be joined.
  void add_connected(const Node* reduce) {
    const Shape& shape = reduce->sources[0]->shape;
    const Shape tail(shape.end() - static_cast<std::ptrdiff_t>(axes_behind(*reduce)), shape.end());
    std::vector<const Node*> found;
    bool possible = true;
    ++walk_;
    const auto visit = [&](const Node* node) {
      Visit& last = visits_[node->id];
      if (last.walk == walk_) return;
      if (last.tail == tail) possible = false;  // an earlier walk for these axes reached this node and failed, so this one would, too
      last = {walk_, tail};
      found.push_back(node);
    };
    visit(reduce);
    for (size_t i = 0; i < found.size() && possible; ++i) {
      const Node* node = found[i];
      possible = joined_[node->id] == 0;
      for (const Node* source : node->sources) {
        if (can_join(*source, tail))
          visit(source);
        else if (source->rank() > 0 && !is_adjacent(source, tail))
          possible = false;
      }
      for (const Node* user : users_[node->id]) {
        if (can_join(*user, tail))
          visit(user);
        else if (!is_reduce(node->op))
          possible = false;
      }
    }
    if (!possible) return;
    for (const Node* node : found) joined_[node->id] = tail.size();
  }

  /// Tests whether the node is an operation that can be computed with its last axes joined, if its sources have these axes.
  bool can_join(const Node& node, std::span<const Dim> tail) const {
    if (!ends_with(node.shape, tail)) return false;
    if (is_elementwise(node.op)) return true;
    if (is_reduce(node.op)) return reduces_in_chain_order(node) && axes_behind(node) >= tail.size() && !may_want_tiles(node, limits_);
    if (node.op != Op::kExpand && node.op != Op::kReshape) return false;
    // The axes of a view of an input, or of another array in memory, are not joined in the view itself: the walk ends there, and a reshape
    // of the view joins them.
    const Node& source = *node.sources[0];
    return ends_with(source.shape, tail) && (is_elementwise(source.op) || is_reduce(source.op) || can_join(source, tail));
  }

  /// Tests whether the node, which is not a member, is an array or a view of an array whose last axes are adjacent in memory, so that a
  /// reshape can join them without a copy.
  static bool is_adjacent(const Node* node, std::span<const Dim> tail) {
    if (!ends_with(node->shape, tail)) return false;
    std::vector<const Node*> nodes = {node};
    while (is_movement(nodes.back()->op)) nodes.push_back(nodes.back()->sources[0]);
    const Op array = nodes.back()->op;
    if (array != Op::kInput && array != Op::kConstantArray && array != Op::kContiguous && !is_reduce(array)) return false;
    const std::optional<View> view = view_through(nodes);
    if (!view || view->fill) return false;
    for (size_t axis = view->shape.size() - tail.size(); axis + 1 < view->shape.size(); ++axis)
      if (!(view->strides[axis] == view->strides[axis + 1] * view->shape[axis + 1])) return false;
    return true;
  }

  /// The most recent visit of a node: the number of the walk that visited it, and the last axes that this walk tried to join.
  struct Visit {
    int walk = 0;
    Shape tail;
  };
  int walk_ = 0;  // the number of the current walk, from 1

  const FusionLimits& limits_;
  // Indexed by the id of a node. users_: the nodes that use it. joined_: what joined() returns.
  std::vector<std::vector<const Node*>> users_;
  std::vector<size_t> joined_;
  std::vector<Visit> visits_;
};

Shape with_joined(const Shape& shape, size_t axes) {
  Shape result(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(axes) + 1);
  for (size_t axis = result.size(); axis < shape.size(); ++axis) result.back() *= shape[axis];
  return result;
}

}  // namespace

std::shared_ptr<Graph> join_kept_axes(std::shared_ptr<Graph> whole, const FusionLimits& limits) {
  const Graph& graph = *whole;
  if (limits.many_threads) return whole;
  const Members members(graph, limits);
  if (members.empty()) return whole;
  auto result = std::make_unique<Graph>(graph.options(), graph.name(), graph.shared_dims());
  // Indexed by the id of a node: the node of the new graph with the same shape, and, for members, the one with joined axes.
  std::vector<const Node*> replaced(graph.nodes().size(), nullptr), joined(graph.nodes().size(), nullptr);
  for (const Node* input : graph.inputs())
    replaced[input->id] = result->add_input(input->as<InputAttributes>().name, input->dtype, input->shape);
  for (const Node* node : graph.live_nodes()) {
    if (node->op == Op::kInput) continue;
    const size_t axes = members.joined(node);
    std::vector<const Node*> sources;
    for (const Node* source : node->sources) {
      const Node* same = replaced[source->id];
      if (axes > 0 && source->rank() > 0)
        same = members.joined(source) > 0 ? joined[source->id]
                                          : result->intern(Op::kReshape, same->dtype, with_joined(source->shape, axes), {same});
      sources.push_back(same);
    }
    const Shape shape = axes > 0 ? with_joined(node->shape, axes) : node->shape;
    const Node* copy = result->intern(node->op, node->dtype, shape, std::move(sources), node->attributes);
    joined[node->id] = copy;
    replaced[node->id] = axes > 0 ? result->intern(Op::kReshape, node->dtype, node->shape, {copy}) : copy;
    result->set_node_name(replaced[node->id], graph.node_name(node));
  }
  for (const GraphOutput& output : graph.outputs()) result->add_output(output.name, replaced[output.node->id]);
  return result;
}

}  // namespace harp
