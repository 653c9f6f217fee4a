// Builds adjoints of scans. A source element contributes to the result at its own position and to all later results. Therefore its gradient
// is summed by a scan in the opposite direction.
#include <limits>

#include "grad/placing.h"
#include "grad/rules.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::grad {
namespace {

using build::elementwise, build::steps::mul, build::steps::where;

/// Scans x, which has the source's shape, along the same axis and in the same order as y.
NodeRef scanned_alike(const Step& s, Op op, NodeRef x) { return build::scan_exactly(op, x, s.y->as<ScanAttributes>()); }
/// Returns the running sum of x in the opposite direction: for each element, the sum of x at this element and at all later elements.
NodeRef sum_from_here(const Step& s, NodeRef x) {
  ScanAttributes attributes = s.y->as<ScanAttributes>();
  attributes.reverse = !attributes.reverse;
  return build::scan_exactly(Op::kCumSum, x, attributes);
}

NodeRef is_equal(NodeRef a, double b) { return elementwise(Op::kEq, {a, build::constant_like(a, b)}); }

}  // namespace

NodeRef adjoint_of_cumsum(const Step& s) { return sum_from_here(s, s.g); }

/// The gradient of element i is the sum over k >= i of g[k] times the product of the other elements up to k. To avoid a division by zero,
/// `rest` is the array with ones in place of zeros, and the zeros among the other elements are multiplied separately. Their product is 1 if
/// there are none, and 0 if there are several. If there is exactly one, their product is that element itself: its value is 0, but a second
/// derivative needs its derivative, which is 1. How many such zeros there are depends only on k and on whether element i is a zero.
NodeRef adjoint_of_cumprod(const Step& s) {
  const NodeRef x = s.a(), zero = build::constant_like(x, 0), one = build::constant_like(x, 1);
  const NodeRef is_zero = is_equal(x, 0);
  const NodeRef rest = where({is_zero, one, x});
  const NodeRef arrived = mul({s.g, scanned_alike(s, Op::kCumProd, rest)});
  const NodeRef zeros = scanned_alike(s, Op::kCumSum, build::cast(is_zero, DType::kI32));
  const NodeRef zero_values = scanned_alike(s, Op::kCumSum, where({is_zero, x, zero}));
  const NodeRef through_one = mul({arrived, zero_values});
  // the gradient of the elements that are not zero
  const NodeRef others = where({is_equal(zeros, 0), arrived, where({is_equal(zeros, 1), through_one, zero})});
  const NodeRef to_others = elementwise(Op::kDiv, {sum_from_here(s, others), rest});
  // the gradient of the elements that are zero; for such an element, `zeros` also counts the element itself
  const NodeRef has_two = is_equal(zeros, 2);
  const NodeRef first = where({is_equal(zeros, 1), arrived, where({has_two, through_one, zero})});
  const NodeRef own = mul({x, sum_from_here(s, where({has_two, arrived, zero}))});
  return where({is_zero, build::sub(sum_from_here(s, first), own), to_others});
}

/// Result k of a running max or min is a copy of one element: the last element up to k that equals the running extreme, or is NaN. So g[k],
/// the gradient of result k, is added to the gradient of that element. A running max of positions gives the position of that element for
/// every k.
NodeRef adjoint_of_running_extreme(const Step& s) {
  const ScanAttributes& scan = s.y->as<ScanAttributes>();
  const NodeRef x = s.a();
  Graph& graph = check_node("grad", x);
  const NodeRef is_extreme = elementwise(Op::kBitOr, {elementwise(Op::kEq, {x, s.y}), elementwise(Op::kIsNan, {x})});
  const auto none = scalar_from_int(DType::kI32, scan.reverse ? std::numeric_limits<int32_t>::max() : -1);
  const NodeRef here = where({is_extreme, positions(graph, x->shape, scan.axis), build::constant(graph, none)});
  const NodeRef latest = scanned_alike(s, scan.reverse ? Op::kCumMin : Op::kCumMax, here);
  return build::scatter_add(build::broadcast_to(build::constant_like(x, 0), x->shape), latest, s.g, scan.axis);
}

}  // namespace harp::grad
