// Builds adjoints of scatters. A scatter combines each element of x with the updates of that element, in the order of the updates.
#include "grad/placing.h"
#include "grad/rules.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::grad {
namespace {

using build::elementwise, build::steps::mul, build::steps::where;

int axis_of(const Step& s) { return s.y->as<GatherAttributes>().axis; }
NodeRef indices_of(const Step& s) { return s.b(); }
/// Returns, for each update, the element of `array` that the update changes. `array` has the result's shape.
NodeRef take(const Step& s, NodeRef array) { return build::take_along_axis(array, indices_of(s), axis_of(s)); }
NodeRef is_zero(NodeRef x) { return elementwise(Op::kEq, {x, build::constant_like(x, 0)}); }
NodeRef filled(const Step& s, const Shape& shape, DType dtype, int value) {
  return build::full(check_node("grad", s.g), shape, scalar_from_int(dtype, value));
}

/// True for each update that is the last update of its element; the element of the result is the value of this update.
NodeRef is_last(const Step& s) {
  const NodeRef order = positions(check_node("grad", s.g), indices_of(s)->shape, axis_of(s));
  const NodeRef none = filled(s, s.y->shape, DType::kI32, 0);
  return elementwise(Op::kEq, {take(s, build::scatter(none, indices_of(s), order, axis_of(s))), order});
}

/// Returns, for each update, the product of all factors of its element except the update itself. It is the product of the nonzero factors
/// without the update, times the product of the zeros among the other factors. As in adjoint_of_prod, the latter is 1 if there are none,
/// that zero if there is exactly one, and 0 if there are several.
NodeRef product_of_others(const Step& s) {
  const NodeRef x = s.a(), updates = s.c(), zero = build::constant_like(x, 0), one = build::constant_like(x, 1);
  const NodeRef x_is_zero = is_zero(x), update_is_zero = is_zero(updates);
  // `of_x` and `of_updates` have one term for each element of x and for each update. For each update, returns the sum of the term of the
  // element that it changes and of the terms of all other updates of that element.
  const auto gathered = [&](NodeRef of_x, NodeRef of_updates) {
    const NodeRef sum = build::scatter_add(of_x, indices_of(s), of_updates, axis_of(s));
    return build::sub(take(s, sum), of_updates);
  };
  const NodeRef rest = where({update_is_zero, one, updates});
  const NodeRef product = take(s, build::scatter_mul(where({x_is_zero, one, x}), indices_of(s), rest, axis_of(s)));
  const NodeRef zeros_of_x = build::cast(x_is_zero, DType::kI32);
  const NodeRef other_zeros = gathered(zeros_of_x, build::cast(update_is_zero, DType::kI32));
  const NodeRef x_zero = where({x_is_zero, x, zero});
  const NodeRef their_sum = gathered(x_zero, where({update_is_zero, updates, zero}));
  const NodeRef has_one = elementwise(Op::kEq, {other_zeros, build::constant_like(other_zeros, 1)});
  const NodeRef factor = where({is_zero(other_zeros), one, where({has_one, their_sum, zero})});
  return mul({elementwise(Op::kDiv, {product, rest}), factor});
}

/// The gradients of scatter_max and scatter_min. All operands (an element of x and its updates) that equal the result share its gradient
/// evenly, and `share` is the part that each of them gets. If the result is NaN, no operand equals it: the gradient is divided by 0, and
/// all gradients become NaN.
struct Tie {
  NodeRef x, updates;  // 1 where the element of x, or the update, equals the result
  NodeRef share;
};
Tie tie_of(const Step& s) {
  const NodeRef x = build::cast(elementwise(Op::kEq, {s.a(), s.y}), s.g->dtype);
  const NodeRef updates = build::cast(elementwise(Op::kEq, {s.c(), take(s, s.y)}), s.g->dtype);
  return {x, updates, elementwise(Op::kDiv, {s.g, build::scatter_add(x, indices_of(s), updates, axis_of(s))})};
}

}  // namespace

NodeRef scattered_to(const Step& s) {
  return build::scatter(s.g, indices_of(s), filled(s, indices_of(s)->shape, s.g->dtype, 0), axis_of(s));
}
NodeRef scattered_update(const Step& s) {
  const NodeRef last = is_last(s);
  return where({last, take(s, s.g), build::constant_like(s.g, 0)});
}

NodeRef added_update(const Step& s) { return take(s, s.g); }

NodeRef multiplied(const Step& s) {
  return mul({s.g, build::scatter_mul(filled(s, s.y->shape, s.g->dtype, 1), indices_of(s), s.c(), axis_of(s))});
}
NodeRef multiplied_update(const Step& s) {
  const NodeRef others = product_of_others(s);
  return mul({take(s, s.g), others});
}

NodeRef extreme_of_updates(const Step& s) {
  const Tie tie = tie_of(s);
  return mul({tie.share, tie.x});
}
NodeRef extreme_update(const Step& s) {
  const Tie tie = tie_of(s);
  return mul({take(s, tie.share), tie.updates});
}

}  // namespace harp::grad
