#include "opt/compose_views.h"

#include <algorithm>

#include "opt/rewrite.h"

namespace harp::opt {
namespace {

const Node* compose_permute(Graph& graph, const Node* node) {
  const Node* source = node->sources[0];
  std::vector<int> axes = node->as<PermuteAttributes>().axes;
  if (std::is_sorted(axes.begin(), axes.end())) return source;
  if (source->op != Op::kPermute) return node;
  for (int& axis : axes) axis = source->as<PermuteAttributes>().axes[axis];
  return graph.intern(Op::kPermute, node->dtype, node->shape, {source->sources[0]}, PermuteAttributes{std::move(axes)});
}

/// Expand and Reshape have no attributes: the shape of the outer node defines the result.
const Node* compose_shape(Graph& graph, const Node* node) {
  const Node* source = node->sources[0];
  if (source->shape == node->shape) return source;
  return source->op == node->op ? graph.intern(node->op, node->dtype, node->shape, {source->sources[0]}) : node;
}

const Node* compose_slice(Graph& graph, const Node* node) {
  const Node* source = node->sources[0];
  SliceAttributes slice = node->as<SliceAttributes>();
  const auto is_unit = [](int64_t step) { return step == 1; };
  if (source->shape == node->shape && std::all_of(slice.step.begin(), slice.step.end(), is_unit)) return source;
  if (source->op != Op::kSlice) return node;
  const SliceAttributes& inner = source->as<SliceAttributes>();
  for (size_t axis = 0; axis < slice.step.size(); ++axis) {
    slice.start[axis] = inner.start[axis] + slice.start[axis] * inner.step[axis];
    if (__builtin_mul_overflow(slice.step[axis], inner.step[axis], &slice.step[axis])) return node;
  }
  return graph.intern(Op::kSlice, node->dtype, node->shape, {source->sources[0]}, std::move(slice));
}

const Node* compose_pad(Graph& graph, const Node* node) {
  const Node* source = node->sources[0];
  if (source->shape == node->shape) return source;
  PadAttributes pad = node->as<PadAttributes>();
  if (source->op != Op::kPad || source->as<PadAttributes>().value != pad.value) return node;
  const PadAttributes& inner = source->as<PadAttributes>();
  for (size_t axis = 0; axis < pad.before.size(); ++axis) {
    pad.before[axis] += inner.before[axis];
    pad.after[axis] += inner.after[axis];
  }
  return graph.intern(Op::kPad, node->dtype, node->shape, {source->sources[0]}, std::move(pad));
}

const Node* compose_contiguous(Graph&, const Node* node) {
  const Node* source = node->sources[0];
  return source->op == Op::kContiguous ? source : node;
}

struct ViewRule {
  Op op;
  Rule rule;
};
constexpr ViewRule kRules[] = {
    {Op::kPermute, compose_permute}, {Op::kExpand, compose_shape}, {Op::kReshape, compose_shape},
    {Op::kSlice, compose_slice},     {Op::kPad, compose_pad},      {Op::kContiguous, compose_contiguous},
};

const Node* compose(Graph& graph, const Node* node) {
  for (const ViewRule& row : kRules)
    if (row.op == node->op) return row.rule(graph, node);
  return node;
}

}  // namespace

bool may_compose_views(const Node& node) {
  return std::ranges::any_of(kRules, [&](const ViewRule& row) { return row.op == node.op; });
}

std::unique_ptr<Graph> compose_views(const Graph& graph) { return rewrite(graph, compose); }

}  // namespace harp::opt
