// Constructors of reductions. They choose the order in which a reduction combines elements (docs/semantics.md, "Sums"). The order decides
// the bits of the result, so no pass changes it.
#include <algorithm>

#include "base/error.h"
#include "graph/build.h"
#include "graph/check.h"
#include "graph/complex.h"
#include "graph/repeated.h"

namespace harp::build {
namespace {

bool contains(std::span<const int> axes, int axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }

/// Tests whether a sum of products is a contraction: each factor is repeated along some axis that is not reduced.
bool is_contraction(NodeRef source, std::span<const int> reduced) {
  if (source->op != Op::kMul) return false;
  return std::all_of(source->sources.begin(), source->sources.end(), [&](NodeRef factor) {
    for (int axis = 0; axis < source->rank(); ++axis)
      if (!contains(reduced, axis) && is_repeated_along(factor, axis)) return true;
    return false;
  });
}

ReduceOrder order_of(NodeRef source, std::span<const int> reduced) {
  const bool last_axis_is_kept = !contains(reduced, source->rank() - 1);
  return last_axis_is_kept || is_contraction(source, reduced) ? ReduceOrder::kChain : ReduceOrder::kLanes;
}

bool is_float_product(Op op, NodeRef source) { return op == Op::kSum && source->op == Op::kMul && is_float(source->dtype); }

void check_operand(Op op, NodeRef source, std::span<const int> axes) {
  const OpInfo& row = info(op);
  HARP_CHECK(accepts(op, source->dtype), Code::kDType, row.name, ": takes ", describe(row.operands), ", got ", name(source->dtype), " (",
             label(source), ")", dtype_advice(row.name, row.operands, source->dtype));
  // The max or min over no elements is an error, except for bools: any() of no elements is false, and all() is true.
  const bool is_extreme = op == Op::kReduceMax || op == Op::kReduceMin;
  if (!is_arg_extreme(op) && (!is_extreme || is_bool(source->dtype))) return;
  for (int axis : axes)
    HARP_CHECK(!source->shape[axis].is_constant(0), Code::kShape, row.name, ": axis ", axis, " of ", label(source), " with shape ",
               to_string(source->shape), " is empty, so there is no ", combine_of(op) == Op::kMax ? "greatest" : "least", " element");
}

NodeRef make(Op op, NodeRef source, ReduceAttributes attributes) {
  Shape shape;
  for (int axis = 0; axis < source->rank(); ++axis)
    if (!contains(attributes.axes, axis)) shape.push_back(source->shape[axis]);
  const DType dtype = is_arg_extreme(op) ? DType::kI64 : source->dtype;
  return check_node(name(op), source).intern(op, dtype, std::move(shape), {source}, std::move(attributes));
}

/// Builds reduce(permute(x)) as permute(reduce(x)), so that the bits of the result do not depend on the permutation.
NodeRef reduce_sorted(Op op, NodeRef source, std::vector<int> axes) {
  // Follow the sources from `source` through all Permute nodes to the array `base`, which is no Permute. base_axis_of maps an axis of
  // `source` to the corresponding axis of `base`.
  std::vector<int> base_axis_of(source->rank());
  for (int i = 0; i < source->rank(); ++i) base_axis_of[i] = i;
  NodeRef base = source;
  while (base->op == Op::kPermute) {
    for (int& p : base_axis_of) p = base->as<PermuteAttributes>().axes[p];
    base = base->sources[0];
  }
  // The reduced and the kept axes of `base`. base_axes is sorted below; kept_axes is in the order of the result's axes.
  std::vector<int> base_axes, kept_axes;
  for (int i = 0; i < source->rank(); ++i) (contains(axes, i) ? base_axes : kept_axes).push_back(base_axis_of[i]);
  std::sort(base_axes.begin(), base_axes.end());

  const ReduceOrder order = order_of(base, base_axes);
  const bool product = is_float_product(op, base);
  const NodeRef reduced = make(op, base, {std::move(base_axes), order, product});
  // For each kept axis, its position among the kept axes of `base` in ascending order.
  std::vector<int> permutation;
  for (int axis : kept_axes)
    permutation.push_back(static_cast<int>(std::count_if(kept_axes.begin(), kept_axes.end(), [&](int other) { return other < axis; })));
  return permute(reduced, permutation);
}

}  // namespace

bool is_repeated_along(const Node* node, int axis) {
  while (node->op == Op::kPermute) {
    axis = node->as<PermuteAttributes>().axes[axis];
    node = node->sources[0];
  }
  if (node->rank() == 0) return true;
  return node->op == Op::kExpand && node->sources[0]->shape[axis] != node->shape[axis];
}

NodeRef reduce(Op op, NodeRef source, std::span<const int> axes, bool keepdims) {
  HARP_ASSERT(is_reduce(op) && (!is_arg_extreme(op) || axes.size() == 1), name(op), " is not a reduction over ", axes.size(), " axes");
  check_node(name(op), source);
  std::vector<int> sorted = normalize_axes(name(op), axes, source->rank());
  std::sort(sorted.begin(), sorted.end());
  check_operand(op, source, sorted);
  if (sorted.empty()) return source;
  const NodeRef reduced = is_complex(source->dtype) ? complex_reduce(op, source, sorted) : reduce_sorted(op, source, sorted);
  if (!keepdims) return reduced;
  Shape shape = source->shape;
  for (int axis : sorted) shape[axis] = 1;
  return reshape(reduced, std::move(shape));
}

NodeRef reduce_exactly(Op op, NodeRef source, ReduceAttributes attributes) {
  HARP_ASSERT(is_reduce(op), name(op), " is not a reduction");
  check_node(name(op), source);
  attributes.axes = normalize_axes(name(op), attributes.axes, source->rank());
  HARP_CHECK(!attributes.axes.empty(), Code::kShape, name(op), ": an order is given, but no axes (", label(source), ")");
  HARP_CHECK(!attributes.product || is_float_product(op, source), Code::kInvalidArgument, name(op),
             ": product=true requires a sum of a float mul, got a ", name(op), " of ", source->graph->describe(source));
  check_operand(op, source, attributes.axes);
  if (is_complex(source->dtype)) return complex_reduce_exactly(op, source, attributes);
  return make(op, source, std::move(attributes));
}

}  // namespace harp::build
