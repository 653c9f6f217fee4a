#include "grad/outer_products.h"

#include <algorithm>

#include "graph/repeated.h"

namespace harp::grad {
namespace {

using build::is_repeated_along;

/// The first factors, or the second factors, of all products, and the axis along which these factors are concatenated.
struct Factors {
  std::vector<NodeRef> nodes;
  bool have_new_axis;  // true: the factors are concatenated along a new first axis
  int axis;            // if have_new_axis is false: the existing axis along which the factors are concatenated

  /// True if all of these factors repeat their elements along the axis `other`, and are not concatenated along it. The concatenation then
  /// needs only size 1 along that axis.
  bool repeat_along(int other) const {
    return (have_new_axis || other != axis) &&
           std::all_of(nodes.begin(), nodes.end(), [&](NodeRef node) { return is_repeated_along(node, other); });
  }
};

/// Returns `factor` with size 1 along the given axes, along which its elements repeat. `factor` must be an Expand, or Permutes of an
/// Expand.
NodeRef unstretched(NodeRef factor, const std::vector<bool>& is_repeated) {
  std::vector<NodeRef> permutes;
  NodeRef below = factor;
  for (; below->op == Op::kPermute; below = below->sources[0]) permutes.push_back(below);
  below = below->sources[0];
  for (size_t i = permutes.size(); i-- > 0;) below = build::permute(below, permutes[i]->as<PermuteAttributes>().axes);
  Shape shape = factor->shape;
  for (size_t i = 0; i < shape.size(); ++i)
    if (is_repeated[i]) shape[i] = 1;
  return build::expand(below, std::move(shape));
}

/// Concatenates the factors, with size 1 along the axes along which all of them repeat, and then expands the result along these axes.
NodeRef joined(const Factors& factors) {
  const Shape& each = factors.nodes[0]->shape;
  std::vector<bool> is_repeated(each.size());
  for (size_t i = 0; i < each.size(); ++i) is_repeated[i] = factors.repeat_along(static_cast<int>(i));
  std::vector<NodeRef> parts;
  for (NodeRef node : factors.nodes) {
    NodeRef part = unstretched(node, is_repeated);
    if (factors.have_new_axis) {
      Shape shape = part->shape;
      shape.insert(shape.begin(), Dim(1));
      part = build::reshape(part, std::move(shape));
    }
    parts.push_back(part);
  }
  const NodeRef all = build::concat(parts, factors.axis);
  Shape stretched = each;
  if (factors.have_new_axis)
    stretched.insert(stretched.begin(), all->shape[0]);
  else
    stretched[factors.axis] = all->shape[factors.axis];
  return build::expand(all, std::move(stretched));
}

NodeRef contraction(std::span<const NodeRef> products, bool have_new_axis, std::vector<int> axes) {
  Factors p{{}, have_new_axis, axes[0]}, q = p;
  for (NodeRef product : products) {
    p.nodes.push_back(product->sources[0]);
    q.nodes.push_back(product->sources[1]);
  }
  const NodeRef left = joined(p), right = joined(q);
  const NodeRef all = build::elementwise(Op::kMul, {left, right});
  return build::reduce_exactly(Op::kSum, all, {std::move(axes), ReduceOrder::kChain, true});
}

}  // namespace

bool is_outer_product(NodeRef part) {
  if (part->op != Op::kMul || !is_float(part->dtype)) return false;
  bool only_first = false, only_second = false;
  for (int axis = 0; axis < part->rank(); ++axis) {
    const bool first = is_repeated_along(part->sources[0], axis), second = is_repeated_along(part->sources[1], axis);
    only_first = only_first || (first && !second);
    only_second = only_second || (second && !first);
  }
  return only_first && only_second;
}

NodeRef contraction_along(std::span<const int> axes, std::span<const NodeRef> products) {
  Shape shape = products[0]->shape;
  for (int axis : axes) shape[axis] = 1;
  return build::reshape(contraction(products, false, {axes.begin(), axes.end()}), std::move(shape));
}

NodeRef contraction_of(std::span<const NodeRef> products) { return contraction(products, true, {0}); }

}  // namespace harp::grad
