// Builds adjoints of reductions. The gradient of the result gets each reduced axis back, with size 1, and is broadcast along it to the size
// that the axis has in the source.
#include "grad/rules.h"
#include "graph/composites.h"

namespace harp::grad {
namespace {

using build::elementwise;

/// `reduced` has y's shape. Broadcasts it along the reduced axes, to the shape of the source.
NodeRef spread(const Step& s, NodeRef reduced) {
  Shape kept = s.a()->shape;
  for (int axis : s.y->as<ReduceAttributes>().axes) kept[axis] = 1;
  return build::expand(build::reshape(reduced, std::move(kept)), s.a()->shape);
}

/// Reduces x, which has the source's shape, along the same axes and in the same order as y.
NodeRef reduced_alike(const Step& s, Op op, NodeRef x) {
  ReduceAttributes attributes = s.y->as<ReduceAttributes>();
  attributes.product = false;
  return build::reduce_exactly(op, x, std::move(attributes));
}

/// Returns, for each element, the sum of the other elements over the reduced axes.
NodeRef sum_of_others(const Step& s, NodeRef x) { return build::sub(spread(s, reduced_alike(s, Op::kSum, x)), x); }

}  // namespace

NodeRef adjoint_of_sum(const Step& s) { return spread(s, s.g); }

/// The gradient of element i is g times the product of the other elements, which is the product of all elements divided by element i. To
/// avoid a division by zero, `rest` is the array with ones in place of zeros, and the zeros among the other elements are multiplied
/// separately as `factor`: 1 if there are none, 0 if there are several. If there is exactly one, the factor is that element itself: its
/// value is 0, but a second derivative needs its derivative, which is 1.
NodeRef adjoint_of_prod(const Step& s) {
  const NodeRef x = s.a(), zero = build::constant_like(x, 0), one = build::constant_like(x, 1);
  const NodeRef is_zero = elementwise(Op::kEq, {x, zero});
  const NodeRef rest = elementwise(Op::kWhere, {is_zero, one, x});
  const NodeRef product = spread(s, reduced_alike(s, Op::kProd, rest));
  const NodeRef other_zeros = sum_of_others(s, build::cast(is_zero, DType::kI32));
  const NodeRef their_sum = sum_of_others(s, elementwise(Op::kWhere, {is_zero, x, zero}));
  const NodeRef has_one = elementwise(Op::kEq, {other_zeros, build::constant_like(other_zeros, 1)});
  const NodeRef has_none = elementwise(Op::kEq, {other_zeros, build::constant_like(other_zeros, 0)});
  const NodeRef factor = elementwise(Op::kWhere, {has_none, one, elementwise(Op::kWhere, {has_one, their_sum, zero})});
  return elementwise(Op::kMul, {spread(s, s.g), elementwise(Op::kMul, {elementwise(Op::kDiv, {product, rest}), factor})});
}

/// Elements that equal the max (or min) share the gradient evenly. If the result is NaN, no element equals it: the gradient is divided by
/// 0, and all gradients become NaN, as in PyTorch.
NodeRef adjoint_of_extreme(const Step& s) {
  const NodeRef x = s.a();
  const NodeRef is_extreme = build::cast(elementwise(Op::kEq, {x, spread(s, s.y)}), x->dtype);
  const NodeRef share = elementwise(Op::kDiv, {s.g, reduced_alike(s, Op::kSum, is_extreme)});
  return elementwise(Op::kMul, {spread(s, share), is_extreme});
}

}  // namespace harp::grad
