#include "opt/fold_unit_axes.h"

#include <algorithm>

#include "base/symbolic.h"
#include "opt/rewrite.h"

namespace harp::opt {
namespace {

bool is_unit(const Node* node, int axis) { return node->shape[static_cast<size_t>(axis)].is_constant(1); }

const Node* zeros(Graph& graph, const Node* like) { return uniform(graph, scalar_from_int(like->dtype, 0), like->shape); }

/// The scan of one element x combines x with identities only. For a product, a max or a min this gives x. A sum is x + 0, and the logarithm
/// of a sum of exponentials is max(x, -inf) + log1p(exp(-inf)), which is x + 0, too: they turn -0 into +0.
const Node* only_scanned(Graph& graph, const Node* scan) {
  const Node* x = scan->sources[0];
  if (!is_unit(x, scan->as<ScanAttributes>().axis)) return scan;
  const bool adds = scan->op == Op::kCumSum || scan->op == Op::kLogCumSumExp;
  if (!adds || !is_float(x->dtype)) return x;
  const Node* zero = graph.intern(Op::kConstant, x->dtype, {}, {}, ConstantAttributes{scalar_from_int(x->dtype, 0)});
  return graph.intern(Op::kAdd, x->dtype, x->shape, {x, zero});
}

const Node* order_of_one(Graph& graph, const Node* argsort) {
  return is_unit(argsort->sources[0], argsort->rank() - 1) ? zeros(graph, argsort) : argsort;
}

const Node* extreme_of_one(Graph& graph, const Node* arg_extreme) {
  return is_unit(arg_extreme->sources[0], arg_extreme->as<ReduceAttributes>().axes[0]) ? zeros(graph, arg_extreme) : arg_extreme;
}

/// A gather by zeros from a unit axis repeats its only element. (Other indices are clamped to 0, too, but they may depend on a check_index,
/// which must not disappear.)
const Node* gather_of_one(Graph& graph, const Node* gather) {
  const Node* x = gather->sources[0];
  const Scalar* index = uniform_value(gather->sources[1]);
  const bool is_only_element = is_unit(x, gather->as<GatherAttributes>().axis) && index != nullptr && index->bits[0] == 0;
  if (!is_only_element) return gather;
  return x->shape == gather->shape ? x : graph.intern(Op::kExpand, gather->dtype, gather->shape, {x});
}

/// A permutation or slice of an array of equal elements is such an array. Thus the zeros of an argsort are still known to be zeros where a
/// gather uses them.
const Node* part_of_uniform(Graph& graph, const Node* node) {
  const Scalar* value = uniform_value(node->sources[0]);
  return value != nullptr ? uniform(graph, *value, node->shape) : node;
}

/// A slice that contains only the padding of a pad has equal elements. An exclusive scan of one element is such a slice.
const Node* slice_of_padding(Graph& graph, const Node* slice) {
  const Node* pad = slice->sources[0];
  if (pad->op != Op::kPad) return part_of_uniform(graph, slice);
  const auto& [start, step] = slice->as<SliceAttributes>();
  const auto& [before, after, value] = pad->as<PadAttributes>();
  for (size_t axis = 0; axis < start.size(); ++axis) {
    if (!slice->shape[axis].is_constant(1)) continue;
    const Dim end_of_source = before[axis] + pad->sources[0]->shape[axis];
    if (proven_less(start[axis], before[axis]) || proven_less(end_of_source, start[axis] + 1)) return uniform(graph, value, slice->shape);
  }
  return slice;
}

const Node* replace_unit(Graph& graph, const Node* node) {
  if (is_scan(node->op)) return only_scanned(graph, node);
  if (is_arg_extreme(node->op)) return extreme_of_one(graph, node);
  switch (node->op) {
    case Op::kArgSort: return order_of_one(graph, node);
    case Op::kGather: return gather_of_one(graph, node);
    case Op::kPermute: return part_of_uniform(graph, node);
    case Op::kSlice: return slice_of_padding(graph, node);
    default: return node;
  }
}

}  // namespace

/// A gather, permutation or slice is replaced only if it is applied to the result of another rule, or to a constant or a pad.
bool may_fold_unit_axes(const Node& node) {
  if (node.op == Op::kArgSort) return is_unit(node.sources[0], node.rank() - 1);
  if (is_scan(node.op)) return is_unit(node.sources[0], node.as<ScanAttributes>().axis);
  if (is_arg_extreme(node.op)) return is_unit(node.sources[0], node.as<ReduceAttributes>().axes[0]);
  if (node.op == Op::kGather)
    return uniform_value(node.sources[1]) != nullptr && is_unit(node.sources[0], node.as<GatherAttributes>().axis);
  return node.op == Op::kSlice && node.sources[0]->op == Op::kPad;
}

std::unique_ptr<Graph> fold_unit_axes(const Graph& graph) { return rewrite(graph, replace_unit); }

}  // namespace harp::opt
