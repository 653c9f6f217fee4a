#include "opt/narrow_reductions.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/visits.h"
#include "graph/build.h"
#include "graph/reshaped_axis.h"
#include "opt/rewrite.h"

namespace harp::opt {
namespace {

/// Limit for the length of the path that a slice moves down.
constexpr int kMaxDepth = 32;

/// The elements of an array that are used: for each axis the first one, their number, and the distance from one to the next.
struct Part {
  std::vector<Dim> start, size;
  std::vector<int64_t> step;

  bool takes_all(const Node& array, size_t axis) const { return step[axis] == 1 && size[axis] == array.shape[axis]; }
  bool takes_all(const Node& array) const {
    for (size_t axis = 0; axis < size.size(); ++axis)
      if (!takes_all(array, axis)) return false;
    return true;
  }
};

Part everything(const Shape& shape) { return {std::vector<Dim>(shape.size(), Dim(0)), shape, std::vector<int64_t>(shape.size(), 1)}; }

void set_axis(Part& part, size_t axis, const Part& from, size_t from_axis) {
  part.start[axis] = from.start[from_axis];
  part.size[axis] = from.size[from_axis];
  part.step[axis] = from.step[from_axis];
}

std::optional<Part> below_reshape(const Node& reshape, const Part& part) {
  const Shape& from = reshape.sources[0]->shape;
  Part below = everything(from);
  for (size_t axis = 0; axis < part.size.size(); ++axis) {
    if (part.takes_all(reshape, axis)) continue;
    const std::optional<int> source_axis = reshaped_axis(from, reshape.shape, static_cast<int>(axis));
    if (!source_axis) return std::nullopt;
    set_axis(below, static_cast<size_t>(*source_axis), part, axis);
  }
  return below;
}

/// A pad of a part of an array.
struct NarrowerPad {
  PadAttributes pad;
  Part below;
};
/// Returns the pad whose result is this part of `pad`. Along an axis that `pad` makes longer, the part must contain all elements that are
/// not padding, as columns 1 to 8 of an axis of 6 elements with two zeros at each end: this is the axis with one zero at each end. Else
/// returns nothing.
std::optional<NarrowerPad> below_pad(const Node& pad, const Part& part) {
  NarrowerPad narrower{pad.as<PadAttributes>(), everything(pad.sources[0]->shape)};
  auto& [before, after, value] = narrower.pad;
  for (size_t axis = 0; axis < part.size.size(); ++axis) {
    if (before[axis].is_constant(0) && after[axis].is_constant(0)) {
      set_axis(narrower.below, axis, part, axis);
      continue;
    }
    const Dim end_of_source = before[axis] + narrower.below.size[axis], end = part.start[axis] + part.size[axis];
    if (part.step[axis] != 1 || !proven_at_most(part.start[axis], before[axis]) || !proven_at_most(end_of_source, end)) return std::nullopt;
    before[axis] = before[axis] - part.start[axis];
    after[axis] = end - end_of_source;
  }
  return narrower;
}

/// If the part has all elements of some consecutive windows, at least one, returns the elements of the source in these windows.
std::optional<Part> below_unfold(const Node& unfold, Part part) {
  const auto& windows = unfold.as<UnfoldAttributes>();
  const auto axis = static_cast<size_t>(windows.axis), taps = part.size.size() - 1;
  if (!part.takes_all(unfold, taps) || part.step[axis] != 1 || !proven_positive(part.size[axis]) || !proven_positive(windows.size))
    return std::nullopt;
  part.start.pop_back(), part.size.pop_back(), part.step.pop_back();
  part.start[axis] = part.start[axis] * windows.stride;
  part.size[axis] = (part.size[axis] - 1) * windows.stride + (windows.size - 1) * windows.dilation + 1;
  return part;
}

Part below_permute(const Node& permute, const Part& part) {
  const std::vector<int>& axes = permute.as<PermuteAttributes>().axes;
  Part below = part;
  for (size_t axis = 0; axis < axes.size(); ++axis) set_axis(below, static_cast<size_t>(axes[axis]), part, axis);
  return below;
}

Part below_expand(const Node& expand, const Part& part) {
  Part below = everything(expand.sources[0]->shape);
  for (size_t axis = 0; axis < part.size.size(); ++axis)
    if (below.size[axis] == expand.shape[axis]) set_axis(below, axis, part, axis);
  return below;
}

Part below_reduction(const Node& reduction, const Part& part) {
  const std::vector<int>& axes = reduction.as<ReduceAttributes>().axes;
  Part below = everything(reduction.sources[0]->shape);
  for (size_t axis = 0, kept = 0; axis < below.size.size(); ++axis)
    if (std::ranges::find(axes, static_cast<int>(axis)) == axes.end()) set_axis(below, axis, part, kept++);
  return below;
}

/// Moves slices down. `users_of` has the number of users, in the graph before the pass, of the nodes that replace nodes of that graph.
class Slicer {
 public:
  explicit Slicer(Graph& graph) : graph_(graph) {}

  /// If several nodes are replaced by the same node, the sum of their users is an upper bound, which is enough.
  void add_users(const Node* node, uint32_t users) { users_of_[node] += users; }
  void set_users(const Node* input, uint32_t users) { users_of_[input] = users; }

  /// Returns the part of the array. The slice moves below views, and below reductions without other users. Where another user needs all
  /// elements of a reduction, directly or through a view, the result has a slice of it, so that nothing is computed twice.
  const Node* part_of(const Node* array, const Part& part, bool is_shared = false, int depth = 0) {
    if (array->rank() == 0 || part.takes_all(*array)) return array;
    is_shared |= !has_one_user(array);
    const auto above = [&](const Node* source) { return graph_.intern(array->op, array->dtype, part.size, {source}, array->attributes); };
    const auto source_part = [&](const Part& below) { return part_of(array->sources[0], below, is_shared, depth + 1); };
    if (depth < kMaxDepth) {
      switch (array->op) {
        case Op::kPermute: return above(source_part(below_permute(*array, part)));
        case Op::kExpand: return above(source_part(below_expand(*array, part)));
        case Op::kReshape:
          if (const auto below = below_reshape(*array, part)) return above(source_part(*below));
          break;
        case Op::kUnfold:
          if (const auto below = below_unfold(*array, part)) return above(source_part(*below));
          break;
        case Op::kPad:
          if (auto pad = below_pad(*array, part))
            return graph_.intern(Op::kPad, array->dtype, part.size, {source_part(pad->below)}, std::move(pad->pad));
          break;
        default: {
          if (!is_reduce(array->op) || is_shared || !has_one_user(array->sources[0])) break;
          const Part below = below_reduction(*array, part);
          if (!sums_products(*array)) return above(source_part(below));
          // The source of a sum of products must stay a Mul, whose factors are sliced.
          const Node* products = array->sources[0];
          std::vector<const Node*> factors;
          for (const Node* factor : products->sources) factors.push_back(part_of(factor, below, false, depth + 1));
          return above(graph_.intern(Op::kMul, products->dtype, below.size, std::move(factors)));
        }
      }
    }
    return graph_.intern(Op::kSlice, array->dtype, part.size, {array}, SliceAttributes{part.start, part.step});
  }

 private:
  /// False for nodes of which nothing is known, because a slice has moved there before.
  bool has_one_user(const Node* node) const {
    const auto found = users_of_.find(node);
    return found != users_of_.end() && found->second == 1;
  }

  Graph& graph_;
  std::unordered_map<const Node*, uint32_t> users_of_;
};

/// True if the slice drops elements along an axis, and its steps are positive.
bool narrows(const Node& slice) {
  const auto& step = slice.as<SliceAttributes>().step;
  return !(slice.shape == slice.sources[0]->shape) && std::ranges::all_of(step, [](int64_t s) { return s > 0; });
}

/// True if the slice takes elements of a reduction, or of permutes and reshapes of it, as far down as a slice may move.
bool is_of_reduction(const Node& slice) {
  const Node* node = slice.sources[0];
  for (int depth = 0; depth < kMaxDepth && (node->op == Op::kPermute || node->op == Op::kReshape); ++depth) node = node->sources[0];
  return is_reduce(node->op);
}

}  // namespace

bool may_narrow_reductions(const Node& node) { return node.op == Op::kSlice && narrows(node); }

std::unique_ptr<Graph> narrow_reductions(const Graph& graph) {
  auto result = without_nodes(graph);
  const std::vector<const Node*> live = graph.live_nodes();
  count_visits(graph.dims(), graph.nodes().size());
  std::vector<uint32_t> users(graph.nodes().size());
  for (const Node* node : live)
    for (const Node* source : node->sources) ++users[source->id];
  for (const GraphOutput& output : graph.outputs()) ++users[output.node->id];
  Slicer slicer(*result);
  rewrite_nodes(graph, live, *result, [&](const Node* node, const Node* copy) {
    for (size_t i = 0; i < node->sources.size(); ++i)
      if (node->sources[i]->op == Op::kInput) slicer.set_users(copy->sources[i], users[node->sources[i]->id]);
    if (may_narrow_reductions(*node) && is_of_reduction(*node)) {
      const auto& [start, step] = copy->as<SliceAttributes>();
      copy = slicer.part_of(copy->sources[0], {start, copy->shape, step});
    }
    slicer.add_users(copy, users[node->id]);
    return copy;
  });
  return result;
}

}  // namespace harp::opt
