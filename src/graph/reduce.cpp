// Composites around reductions. Kept axes of size 1 are stretched explicitly, so that the graph's broadcast flag does not matter.
#include <limits>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"

namespace harp::build {
namespace {

std::vector<int> chosen(std::string_view op, NodeRef x, const Axes& axes) {
  check_node(op, x);
  if (axes) return normalize_axes(op, *axes, x->rank());
  std::vector<int> all(x->rank());
  for (int i = 0; i < x->rank(); ++i) all[i] = i;
  return all;
}

NodeRef reduce_by(Op op, NodeRef x, const Axes& axes, bool keepdims) { return reduce(op, x, chosen(name(op), x, axes), keepdims); }

NodeRef as_float(std::string_view op, NodeRef x) { return cast(x, common_type(op, Operands::kFloat, std::span(&x, 1)).dtype); }
NodeRef exp(NodeRef x) { return elementwise(Op::kExp, {x}); }
NodeRef log(NodeRef x) { return elementwise(Op::kLog, {x}); }

/// How many elements are reduced into one, less `correction`, as a scalar of x's dtype.
NodeRef reduced_count(NodeRef x, std::span<const int> axes, int64_t correction) {
  Shape sizes;
  for (int axis : axes) sizes.push_back(x->shape[axis]);
  const Dim count = harp::max(element_count(sizes) - correction, 0);
  Graph& graph = check_node("size", x);
  if (count.is_constant()) return constant(graph, scalar_from_int(x->dtype, count.constant()));
  return cast(size(graph, count), x->dtype);
}

NodeRef to_bools(std::string_view op, NodeRef x) {
  check_node(op, x);
  return is_bool(x->dtype) ? x : elementwise(Op::kNe, {x, constant_like(x, 0)});
}

/// x - y where y has x's shape but for axes of size 1; negated while it is small.
NodeRef minus(NodeRef x, NodeRef y) { return elementwise(Op::kAdd, {x, broadcast_to(elementwise(Op::kNeg, {y}), x->shape)}); }

/// x - max over the axes, and that max with its axes kept.
struct Shifted {
  NodeRef values, max;
};
Shifted shift_by_max(NodeRef x, std::span<const int> axes) {
  const NodeRef m = reduce(Op::kReduceMax, x, axes, true);
  return {minus(x, m), m};
}

}  // namespace

NodeRef sum(NodeRef x, const Axes& axes, bool keepdims) { return reduce_by(Op::kSum, x, axes, keepdims); }
NodeRef prod(NodeRef x, const Axes& axes, bool keepdims) { return reduce_by(Op::kProd, x, axes, keepdims); }
NodeRef max(NodeRef x, const Axes& axes, bool keepdims) { return reduce_by(Op::kReduceMax, x, axes, keepdims); }
NodeRef min(NodeRef x, const Axes& axes, bool keepdims) { return reduce_by(Op::kReduceMin, x, axes, keepdims); }

NodeRef mean(NodeRef x, const Axes& axes, bool keepdims) {
  const std::vector<int> reduced = chosen("mean", x, axes);
  x = as_float("mean", x);
  if (reduced.empty()) return x;
  return elementwise(Op::kDiv, {reduce(Op::kSum, x, reduced, keepdims), reduced_count(x, reduced, 0)});
}

NodeRef var(NodeRef x, const Axes& axes, int64_t correction, bool keepdims) {
  const std::vector<int> reduced = chosen("var", x, axes);
  x = as_float("var", x);
  HARP_CHECK(correction >= 0, Code::kRange, "var: correction is ", correction, "; it must not be negative");
  const NodeRef centred = minus(x, mean(x, reduced, true));
  const NodeRef squares = reduce(Op::kSum, square(centred), reduced, keepdims);
  return elementwise(Op::kDiv, {squares, reduced_count(x, reduced, correction)});
}

NodeRef any(NodeRef x, const Axes& axes, bool keepdims) {
  const std::vector<int> reduced = chosen("any", x, axes);
  return reduce(Op::kReduceMax, to_bools("any", x), reduced, keepdims);
}
NodeRef all(NodeRef x, const Axes& axes, bool keepdims) {
  const std::vector<int> reduced = chosen("all", x, axes);
  return reduce(Op::kReduceMin, to_bools("all", x), reduced, keepdims);
}

NodeRef softmax(NodeRef x, int axis) {
  x = as_float("softmax", x);
  const int along = normalize_axis("softmax", axis, x->rank());
  if (x->shape[along].is_constant(0)) return x;  // no element, so no greatest one to subtract
  const NodeRef e = exp(shift_by_max(x, {&along, 1}).values);
  const NodeRef scale = elementwise(Op::kRecip, {reduce(Op::kSum, e, {&along, 1}, true)});
  return elementwise(Op::kMul, {e, broadcast_to(scale, x->shape)});
}

NodeRef log_softmax(NodeRef x, int axis) {
  x = as_float("log_softmax", x);
  const int along = normalize_axis("log_softmax", axis, x->rank());
  if (x->shape[along].is_constant(0)) return x;
  const NodeRef shifted = shift_by_max(x, {&along, 1}).values;
  const NodeRef total = log(reduce(Op::kSum, exp(shifted), {&along, 1}, true));
  return minus(shifted, total);
}

NodeRef logsumexp(NodeRef x, const Axes& axes, bool keepdims) {
  const std::vector<int> reduced = chosen("logsumexp", x, axes);
  x = as_float("logsumexp", x);
  if (reduced.empty()) return x;
  const NodeRef greatest = reduce(Op::kReduceMax, x, reduced, true);
  // An infinite maximum would give inf - inf.
  const NodeRef m = elementwise(Op::kWhere, {isfinite(greatest), greatest, constant_like(greatest, 0)});
  const NodeRef total = reduce(Op::kSum, exp(minus(x, m)), reduced, true);
  const NodeRef result = elementwise(Op::kAdd, {log(total), m});
  return keepdims ? result : squeeze(result, reduced);
}

}  // namespace harp::build
