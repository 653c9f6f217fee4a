#include "opt/narrow_reductions.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/visits.h"
#include "graph/build.h"
#include "graph/reshaped_axis.h"
#include "opt/rewrite.h"

namespace harp::opt {
namespace {

/// Limit for the number of nodes below which one slice moves.
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

/// Along each axis, a pad either adds nothing, and the part is one of the source, or the part contains all elements that are not padding,
/// and there is less padding. Returns nothing if the part is another one.
struct NarrowerPad {
  PadAttributes pad;
  Part below;
};
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

/// Returns the part of the array. The slice moves below views and reductions, but below at most `depth` nodes.
const Node* sliced(Graph& graph, const Node* array, const Part& part, int depth = kMaxDepth) {
  if (array->rank() == 0 || part.takes_all(*array)) return array;
  const auto above = [&](const Node* source) { return graph.intern(array->op, array->dtype, part.size, {source}, array->attributes); };
  const auto source_part = [&](const Part& below) { return sliced(graph, array->sources[0], below, depth - 1); };
  if (depth > 0) {
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
          return graph.intern(Op::kPad, array->dtype, part.size, {source_part(pad->below)}, std::move(pad->pad));
        break;
      default: {
        if (!is_reduce(array->op)) break;
        const Part below = below_reduction(*array, part);
        if (!sums_products(*array)) return above(source_part(below));
        // The source of a sum of products must stay a Mul, whose factors are sliced.
        const Node* products = array->sources[0];
        std::vector<const Node*> factors;
        for (const Node* factor : products->sources) factors.push_back(sliced(graph, factor, below, depth - 1));
        return above(graph.intern(Op::kMul, products->dtype, below.size, std::move(factors)));
      }
    }
  }
  return graph.intern(Op::kSlice, array->dtype, part.size, {array}, SliceAttributes{part.start, part.step});
}

/// True if the slice drops elements along an axis, and its steps are positive.
bool narrows(const Node& slice) {
  const auto& step = slice.as<SliceAttributes>().step;
  return !(slice.shape == slice.sources[0]->shape) && std::ranges::all_of(step, [](int64_t s) { return s > 0; });
}

/// True if the slice takes elements of views of a reduction. False if the reduction or one of the views has another user, which needs all
/// elements, or if the source of the reduction has another user, with which the reduction may share a kernel.
bool is_of_reduction(const Node& slice, const std::vector<uint32_t>& users) {
  const Node* node = slice.sources[0];
  while (users[node->id] == 1 && (node->op == Op::kPermute || node->op == Op::kReshape)) node = node->sources[0];
  return is_reduce(node->op) && users[node->id] == 1 && users[node->sources[0]->id] == 1;
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
  rewrite_nodes(graph, live, *result, [&](const Node* node, const Node* copy) {
    if (!may_narrow_reductions(*node) || !is_of_reduction(*node, users)) return copy;
    const auto& [start, step] = copy->as<SliceAttributes>();
    return sliced(*result, copy->sources[0], {start, copy->shape, step});
  });
  return result;
}

}  // namespace harp::opt
