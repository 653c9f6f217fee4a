// Composites built around reductions. Reduced axes are kept with size 1 and broadcast explicitly, so the graph's broadcast flag has no
// effect.
#include <cmath>
#include <limits>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::build {
namespace {

using namespace steps;

std::vector<int> chosen(std::string_view op, NodeRef x, const Axes& axes) {
  check_node(op, x);
  if (axes) return normalize_axes(op, *axes, x->rank());
  std::vector<int> all(x->rank());
  for (int i = 0; i < x->rank(); ++i) all[i] = i;
  return all;
}

NodeRef reduce_by(Op op, NodeRef x, const Axes& axes, bool keepdims) { return reduce(op, x, chosen(name(op), x, axes), keepdims); }

/// Returns the number of elements that are reduced to one result, minus `correction`, as a scalar of x's dtype.
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

void check_not_empty(std::string_view op, NodeRef x, std::span<const int> axes) {
  for (const int axis : axes)
    HARP_CHECK(!x->shape[axis].is_constant(0), Code::kShape, op, ": axis ", axis, " of ", label(x), " with shape ", to_string(x->shape),
               " is empty");
}

/// Returns the max over the axes, which are kept with size 1. Softmax and similar functions subtract it before exp, and logsumexp adds it
/// again after log. Its contributions to the gradient cancel, so stop_gradient omits them.
NodeRef shift_of(NodeRef x, std::span<const int> axes) { return stop_gradient(reduce(Op::kReduceMax, x, axes, true)); }

/// Returns power(total), or 0 where total is 0. At 0 the derivative of the power is infinite, but the `where` makes the gradient 0 there.
template <class Power>
NodeRef zero_at_zero(NodeRef total, Power power) {
  const NodeRef zero = constant_like(total, 0), is_zero = elementwise(Op::kEq, {total, zero});
  return elementwise(Op::kWhere, {is_zero, zero, power(elementwise(Op::kWhere, {is_zero, constant_like(total, 1), total}))});
}
NodeRef root(NodeRef total) {
  return zero_at_zero(total, [](NodeRef positive) { return elementwise(Op::kSqrt, {positive}); });
}

}  // namespace

NodeRef sum(NodeRef x, const Axes& axes, bool keepdims) { return reduce_by(Op::kSum, x, axes, keepdims); }
NodeRef prod(NodeRef x, const Axes& axes, bool keepdims) { return reduce_by(Op::kProd, x, axes, keepdims); }
NodeRef max(NodeRef x, const Axes& axes, bool keepdims) { return reduce_by(Op::kReduceMax, x, axes, keepdims); }
NodeRef min(NodeRef x, const Axes& axes, bool keepdims) { return reduce_by(Op::kReduceMin, x, axes, keepdims); }

NodeRef mean(NodeRef x, const Axes& axes, bool keepdims) {
  const std::vector<int> reduced = chosen("mean", x, axes);
  x = cast(x, common_dtype("mean", Operands::kField, std::span(&x, 1)));
  if (reduced.empty()) return x;
  if (is_complex(x->dtype)) {
    const NodeRef re = mean(real(x), reduced, keepdims);
    return complex_from_parts(re, mean(imag(x), reduced, keepdims));
  }
  return rounded_once(x, [&](NodeRef v) {
    return elementwise(Op::kDiv, {reduce(Op::kSum, v, reduced, keepdims), reduced_count(v, reduced, 0)});
  });
}

NodeRef var(NodeRef x, const Axes& axes, int64_t correction, bool keepdims) {
  const std::vector<int> reduced = chosen("var", x, axes);
  x = as_float("var", x);
  HARP_CHECK(correction >= 0, Code::kRange, "var: correction is ", correction, "; it must not be negative");
  return rounded_once(x, [&](NodeRef v) {
    const NodeRef centred = minus(v, mean(v, reduced, true));
    const NodeRef squares = reduce(Op::kSum, square(centred), reduced, keepdims);
    return elementwise(Op::kDiv, {squares, reduced_count(v, reduced, correction)});
  });
}

NodeRef std(NodeRef x, const Axes& axes, int64_t correction, bool keepdims) {
  return rounded_once(as_float("std", x), [&](NodeRef v) { return root(var(v, axes, correction, keepdims)); });
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
  if (x->shape[along].is_constant(0)) return x;  // an empty axis has no max to subtract
  return rounded_once(x, [&](NodeRef v) {
    const NodeRef e = exp(minus(v, shift_of(v, {&along, 1})));
    const NodeRef scale = elementwise(Op::kRecip, {reduce(Op::kSum, e, {&along, 1}, true)});
    return elementwise(Op::kMul, {e, broadcast_to(scale, v->shape)});
  });
}

NodeRef log_softmax(NodeRef x, int axis) {
  x = as_float("log_softmax", x);
  const int along = normalize_axis("log_softmax", axis, x->rank());
  if (x->shape[along].is_constant(0)) return x;
  return rounded_once(x, [&](NodeRef v) {
    const NodeRef shifted = minus(v, shift_of(v, {&along, 1}));
    const NodeRef total = log(reduce(Op::kSum, exp(shifted), {&along, 1}, true));
    return minus(shifted, total);
  });
}

NodeRef logsumexp(NodeRef x, const Axes& axes, bool keepdims) {
  const std::vector<int> reduced = chosen("logsumexp", x, axes);
  x = as_float("logsumexp", x);
  if (reduced.empty()) return x;
  if (is_half(x->dtype)) return rounded_once(x, [&](NodeRef v) { return logsumexp(v, reduced, keepdims); });
  const NodeRef greatest = shift_of(x, reduced);
  // An infinite max would give inf - inf, so it is replaced by 0.
  const NodeRef m = elementwise(Op::kWhere, {isfinite(greatest), greatest, constant_like(greatest, 0)});
  const NodeRef total = reduce(Op::kSum, exp(minus(x, m)), reduced, true);
  const NodeRef result = elementwise(Op::kAdd, {log(total), m});
  return keepdims ? result : squeeze(result, reduced);
}

NodeRef norm(NodeRef x, double order, const Axes& axes, bool keepdims) {
  const std::vector<int> reduced = chosen("norm", x, axes);
  x = cast(x, common_dtype("norm", Operands::kField, std::span(&x, 1)));
  if (is_complex(x->dtype)) x = elementwise(Op::kAbs, {x});
  HARP_CHECK(!std::isnan(order), Code::kRange, "norm: the order is NaN; it must be a number or infinite");
  const NodeRef size = elementwise(Op::kAbs, {x});
  if (reduced.empty()) return size;
  if (is_half(x->dtype)) return rounded_once(x, [&](NodeRef v) { return norm(v, order, reduced, keepdims); });
  if (std::isinf(order)) {
    check_not_empty("norm", x, reduced);
    return reduce(order > 0 ? Op::kReduceMax : Op::kReduceMin, size, reduced, keepdims);
  }
  if (order == 2) return root(reduce(Op::kSum, square(x), reduced, keepdims));
  if (order == 1) return reduce(Op::kSum, size, reduced, keepdims);
  if (order == 0) return reduce(Op::kSum, cast(to_bools("norm", x), x->dtype), reduced, keepdims);
  const NodeRef total = reduce(Op::kSum, elementwise(Op::kPow, {size, constant_like(x, order)}), reduced, keepdims);
  const auto power = [&](NodeRef base) { return elementwise(Op::kPow, {base, constant_like(x, 1 / order)}); };
  return order > 0 ? zero_at_zero(total, power) : power(total);
}

namespace {

NodeRef arg_extreme(Op op, NodeRef x, std::optional<int> axis, bool keepdims) {
  check_node(name(op), x);
  if (axis) {
    const int along = normalize_axis(name(op), *axis, x->rank());
    return reduce(op, x, {&along, 1}, keepdims);
  }
  const int along = 0;
  const NodeRef index = reduce(op, flatten(x, 0, -1), {&along, 1}, false);
  return keepdims ? reshape(index, Shape(x->shape.size(), Dim(1))) : index;
}

}  // namespace

NodeRef argmax(NodeRef x, std::optional<int> axis, bool keepdims) { return arg_extreme(Op::kArgMax, x, axis, keepdims); }
NodeRef argmin(NodeRef x, std::optional<int> axis, bool keepdims) { return arg_extreme(Op::kArgMin, x, axis, keepdims); }

}  // namespace harp::build
