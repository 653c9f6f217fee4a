#include "opt/compose_views.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "graph/build.h"
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

/// Merges an Expand of an Expand, or a Reshape of a Reshape. These nodes have no attributes, so the shape of the outer node defines the
/// result.
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

/// Returns the source's axis that corresponds to `axis` of the reshape. Returns nothing if the reshape does more than add or remove axes of
/// size 1, or if `axis` has size 1.
std::optional<int> axis_below(const Node& reshape, int axis) {
  const Shape &to = reshape.shape, &from = reshape.sources[0]->shape;
  std::optional<int> found;
  size_t i = 0, j = 0;
  while (true) {
    while (i < to.size() && to[i].is_constant(1)) ++i;
    while (j < from.size() && from[j].is_constant(1)) ++j;
    if (i == to.size() || j == from.size()) break;
    if (!(to[i] == from[j])) return std::nullopt;
    if (static_cast<int>(i) == axis) found = static_cast<int>(j);
    ++i, ++j;
  }
  return i == to.size() && j == from.size() ? found : std::nullopt;
}

/// Replaces an Unfold with windows of one element by a Slice. An Unfold of another Unfold stays, because schedule_contraction.cpp
/// recognises a convolution by the order of its Unfolds. If the source is a Reshape that only adds or removes axes of size 1, the Unfold is
/// applied first and the Reshape afterwards, so that the Unfolds along several axes are consecutive nodes.
const Node* compose_unfold(Graph& graph, const Node* node) {
  const Node* source = node->sources[0];
  UnfoldAttributes unfold = node->as<UnfoldAttributes>();
  const auto along = static_cast<size_t>(unfold.axis);
  if (source->op == Op::kReshape) {
    if (const std::optional<int> axis = axis_below(*source, unfold.axis)) {
      source = source->sources[0];
      unfold.axis = *axis;
      Shape shape = source->shape;
      shape[static_cast<size_t>(*axis)] = node->shape[along];
      shape.push_back(unfold.size);
      const Node* windows = graph.intern(Op::kUnfold, node->dtype, std::move(shape), {source}, std::move(unfold));
      return graph.intern(Op::kReshape, node->dtype, node->shape, {compose_unfold(graph, windows)});
    }
  }
  if (!unfold.size.is_constant(1) || source->op == Op::kUnfold) return node;
  const Shape shape(node->shape.begin(), node->shape.end() - 1);
  std::vector<int64_t> step(shape.size(), 1);
  step[along] = unfold.stride;
  const Node* elements = build::slice_exactly(source, std::vector<Dim>(shape.size(), Dim(0)), shape, step);
  if (elements->op == Op::kSlice) elements = compose_slice(graph, elements);
  return graph.intern(Op::kReshape, node->dtype, node->shape, {elements});
}

struct ViewRule {
  Op op;
  Rule rule;
};
constexpr ViewRule kRules[] = {
    {Op::kPermute, compose_permute}, {Op::kExpand, compose_shape},  {Op::kReshape, compose_shape},         {Op::kSlice, compose_slice},
    {Op::kPad, compose_pad},         {Op::kUnfold, compose_unfold}, {Op::kContiguous, compose_contiguous},
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
