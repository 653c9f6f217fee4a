#include "schedule/split_groups.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "opt/rewrite.h"
#include "schedule/contraction.h"
#include "schedule/contraction_blocks.h"
#include "schedule/node_marks.h"
#include "schedule/program.h"
#include "schedule/reshaped_axes.h"

namespace harp {
namespace {

/// Limit for the number of views, one above the other, that are rebuilt with a split axis.
constexpr int kMaxRebuiltViews = 16;

/// An axis of size outer * inner, which is replaced by two axes of the sizes `outer` and `inner`.
struct Split {
  size_t axis;
  Dim outer, inner;
};

Shape split_shape(Shape shape, const Split& split) {
  shape[split.axis] = split.outer;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(split.axis) + 1, split.inner);
  return shape;
}

/// If a reshape has joined two axes to this axis of a factor, and the factor's elements are repeated along one of the two axes, returns the
/// sizes of the two axes. Otherwise returns nothing.
std::optional<Split> hidden_group(const Node* node, size_t axis) {
  const size_t of_factor = axis;
  while (is_movement(node->op)) {
    const Node* source = node->sources[0];
    switch (node->op) {
      case Op::kExpand:
        if (!(source->shape[axis] == node->shape[axis])) return std::nullopt;
        break;
      case Op::kPermute: axis = static_cast<size_t>(node->as<PermuteAttributes>().axes[axis]); break;
      case Op::kUnfold:
        if (axis + 1 == node->shape.size() || static_cast<int>(axis) == node->as<UnfoldAttributes>().axis) return std::nullopt;
        break;
      case Op::kPad: {
        const auto& pad = node->as<PadAttributes>();
        if (!pad.before[axis].is_constant(0) || !pad.after[axis].is_constant(0)) return std::nullopt;
        break;
      }
      case Op::kReshape: {
        const std::optional<std::vector<size_t>> axes = joined_axes(*node, axis);
        if (!axes || axes->empty() || axes->size() > 2) return std::nullopt;
        if (axes->size() == 1) {
          axis = (*axes)[0];
          break;
        }
        const auto repeats = [&](size_t part) { return source->op == Op::kExpand && source->sources[0]->shape[part].is_constant(1); };
        if (!repeats((*axes)[0]) && !repeats((*axes)[1])) return std::nullopt;
        return Split{of_factor, source->shape[(*axes)[0]], source->shape[(*axes)[1]]};
      }
      default: return std::nullopt;
    }
    node = source;
  }
  return std::nullopt;
}

/// If the node is a reshape of a sum of products that joins two axes, or drops an axis of size 1, returns the split that undoes this.
std::optional<Split> joins_axes_of_sum(const Node& node) {
  if (node.op != Op::kReshape || !sums_products(*node.sources[0])) return std::nullopt;
  const Shape& from = node.sources[0]->shape;
  if (from.size() != node.shape.size() + 1) return std::nullopt;
  const auto axis = static_cast<size_t>(std::ranges::mismatch(node.shape, from).in1 - node.shape.begin());
  if (axis == node.shape.size()) return std::nullopt;
  const Split split{axis, from[axis], from[axis + 1]};
  return split_shape(node.shape, split) == from ? std::optional(split) : std::nullopt;
}

/// Returns the nodes along whose last axis a reduction is computed later, directly or after elementwise operations, as in a softmax. Their
/// kernels may run together, row by row (row_blocks.h), which requires that their axes stay as they are.
NodeMarks reduced_by_rows(const Graph& graph, std::span<const Node* const> live) {
  NodeMarks found(graph);
  for (auto at = live.rbegin(); at != live.rend(); ++at) {
    const Node* node = *at;
    const bool reduces_rows = is_reduce(node->op) && node->as<ReduceAttributes>().axes == std::vector{node->sources[0]->rank() - 1};
    if (reduces_rows || (is_elementwise(node->op) && found.contains(node)))
      for (const Node* source : operands_of(*node)) found.insert(source);
  }
  return found;
}

class GroupSplitter {
 public:
  GroupSplitter(Graph& graph, const FusionLimits& limits) : graph_(graph), limits_(limits) {}

  /// Returns the node that replaces `node` in the new graph. The sources of `node` have been replaced already.
  const Node* replace(const Node* node) {
    if (sums_products(*node)) return split_sum(node);
    if (const std::optional<Split> split = joins_axes_of_sum(*node)) splits_.emplace(node, *split);
    return is_elementwise(node->op) ? split_elementwise(node) : node;
  }

 private:
  const Node* view(Op op, Shape shape, const Node* source, Attributes attributes = NoAttributes{}) {
    if (op != Op::kPermute && source->shape == shape) return source;
    return graph_.intern(op, source->dtype, std::move(shape), {source}, std::move(attributes));
  }

  const Node* split_sum(const Node* sum) {
    const auto& attributes = sum->as<ReduceAttributes>();
    const Node* product = sum->sources[0];
    if (attributes.order != ReduceOrder::kChain || product->sources.size() != 2 || fills(*sum)) return sum;
    const auto is_summed = [&](size_t axis) { return std::ranges::find(attributes.axes, static_cast<int>(axis)) != attributes.axes.end(); };
    for (size_t axis = 0; axis + 1 < product->shape.size(); ++axis) {
      if (is_summed(axis) || product->shape[axis].is_constant(1)) continue;
      for (const Node* factor : product->sources) {
        if (factor->rank() == 0) continue;
        const std::optional<Split> found = hidden_group(factor, axis);
        if (!found) continue;
        if (const Node* result = with_groups(*sum, *found)) return result;
      }
    }
    return sum;
  }

  bool fills(const Node& sum) const {
    const std::optional<Contraction> contraction = as_contraction(sum);
    return contraction && fills_tiles(sum, *contraction, limits_);
  }

  /// Tests whether the last axis is too short for the columns of register tiles, while the group has enough members (indices of the inner
  /// axis of the split). product_axes.h then makes the members the columns.
  bool may_be_columns(const Node& sum, Dim members) const {
    return proven_less(sum.shape.back(), limits_.tile_columns) && proven_at_most(limits_.tile_columns, members) &&
           proven_at_most(limits_.tile_terms, term_count(sum));
  }

  /// Returns the sum of products with this axis split in two, reshaped to the original shape. Returns null if register tiles do not pay for
  /// it.
  const Node* with_groups(const Node& sum, const Split& split) {
    const Node* product = sum.sources[0];
    std::vector<const Node*> factors;
    for (const Node* factor : product->sources) factors.push_back(factor->rank() == 0 ? factor : with_axis(factor, split));
    const Node* products = graph_.intern(product->op, product->dtype, split_shape(product->shape, split), std::move(factors));
    ReduceAttributes attributes = sum.as<ReduceAttributes>();
    size_t kept = 0;  // position of the axis among those that are not summed
    for (size_t axis = 0; axis < split.axis; ++axis)
      kept += std::ranges::find(attributes.axes, static_cast<int>(axis)) == attributes.axes.end();
    for (int& axis : attributes.axes) axis += axis > static_cast<int>(split.axis);
    const Split of_result{kept, split.outer, split.inner};
    const Node* result = graph_.intern(sum.op, sum.dtype, split_shape(sum.shape, of_result), {products}, std::move(attributes));
    if (!fills(*result) && !may_be_columns(*result, split.inner)) return nullptr;
    return joined(result, sum.shape, of_result);
  }

  /// If an operand of the elementwise node is the reshape of a split node, computes the node in the split shape, too.
  const Node* split_elementwise(const Node* node) {
    std::optional<Split> split;
    for (const Node* source : node->sources)
      if (const auto found = splits_.find(source); found != splits_.end() && source->shape == node->shape) split = found->second;
    if (!split) return node;
    std::vector<const Node*> sources;
    for (const Node* source : node->sources) sources.push_back(source->rank() == 0 ? source : with_axis(source, *split));
    return joined(graph_.intern(node->op, node->dtype, split_shape(node->shape, *split), std::move(sources), node->attributes), node->shape,
                  *split);
  }

  const Node* joined(const Node* node, const Shape& shape, const Split& split) {
    const Node* result = view(Op::kReshape, shape, node);
    splits_.emplace(result, split);
    return result;
  }

  /// Returns the node with the axis split in two. A view is rebuilt as a view of its split source, so that an axis along which elements are
  /// repeated remains visible.
  const Node* with_axis(const Node* node, const Split& split, int depth = 0) {
    Shape shape = split_shape(node->shape, split);
    const Node* source = node->sources.empty() ? nullptr : node->sources[0];
    if (depth == kMaxRebuiltViews) return view(Op::kReshape, std::move(shape), node);
    const auto below = [&](size_t axis) { return with_axis(source, {axis, split.outer, split.inner}, depth + 1); };
    switch (node->op) {
      case Op::kExpand:
        if (source->shape[split.axis] == node->shape[split.axis]) return view(Op::kExpand, std::move(shape), below(split.axis));
        return view(Op::kExpand, std::move(shape), view(Op::kReshape, split_shape(source->shape, {split.axis, 1, 1}), source));
      case Op::kPermute: {
        std::vector<int> axes;
        const int from = node->as<PermuteAttributes>().axes[split.axis];
        for (const int axis : node->as<PermuteAttributes>().axes) {
          axes.push_back(axis + (axis > from));
          if (axis == from) axes.push_back(axis + 1);
        }
        return view(Op::kPermute, std::move(shape), below(static_cast<size_t>(from)), PermuteAttributes{std::move(axes)});
      }
      case Op::kReshape: {
        const std::optional<std::vector<size_t>> axes = joined_axes(*node, split.axis);
        const bool is_same = axes && axes->size() == 1;
        return view(Op::kReshape, std::move(shape), is_same ? below((*axes)[0]) : source);
      }
      case Op::kUnfold: {
        UnfoldAttributes unfold = node->as<UnfoldAttributes>();
        if (split.axis + 1 == node->shape.size() || static_cast<int>(split.axis) == unfold.axis) break;
        unfold.axis += unfold.axis > static_cast<int>(split.axis);
        return view(Op::kUnfold, std::move(shape), below(split.axis), std::move(unfold));
      }
      default: break;
    }
    return view(Op::kReshape, std::move(shape), node);
  }

  Graph& graph_;
  const FusionLimits& limits_;
  std::unordered_map<const Node*, Split> splits_;  // for each reshape that joins two split axes again: the split that it undoes
};

}  // namespace

std::shared_ptr<Graph> split_groups(std::shared_ptr<Graph> whole, const FusionLimits& limits) {
  const Graph& graph = *whole;
  const std::vector<const Node*> live = graph.live_nodes();
  const NodeMarks in_rows = reduced_by_rows(graph, live);
  const auto may_have_groups = [&](const Node* node) {
    if (in_rows.contains(node)) return false;
    if (joins_axes_of_sum(*node)) return true;
    if (!sums_products(*node)) return false;
    for (size_t axis = 0; axis < node->sources[0]->shape.size(); ++axis)
      for (const Node* factor : operands_of(*node))
        if (factor->rank() > 0 && hidden_group(factor, axis)) return true;
    return false;
  };
  if (std::ranges::none_of(live, may_have_groups)) return whole;
  auto result = opt::without_nodes(graph);
  GroupSplitter splitter(*result, limits);
  opt::rewrite_nodes(graph, live, *result,
                     [&](const Node* node, const Node* copy) { return in_rows.contains(node) ? copy : splitter.replace(copy); });
  return result;
}

}  // namespace harp
