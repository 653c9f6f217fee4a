// Builds activation functions of neural networks, as PyTorch defines them. A piecewise function selects its branch with `where`. Its
// gradient at a bound is then PyTorch's (0 at both ends of a clamp), and a branch that is not selected cannot make the gradient NaN.
#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::build {
namespace {

using namespace steps;

/// Clamps x: the result is lo for x <= lo, hi for x >= hi, else x. NaN stays NaN.
NodeRef clamped(NodeRef x, double lo, double hi) {
  const NodeRef least = constant_like(x, lo), greatest = constant_like(x, hi);
  return where({le({x, least}), least, where({le({greatest, x}), greatest, x})});
}

/// Returns clamp(x + 3, 0, 6) / 6. x itself is compared with -3 and 3, so that the rounding of x + 3 cannot change which branch is
/// selected.
NodeRef hard_gate(NodeRef x) {
  const NodeRef zero = constant_like(x, 0), three = constant_like(x, 3), six = constant_like(x, 6);
  const NodeRef inner = where({le({three, x}), six, add({x, three})});
  return div({where({le({x, constant_like(x, -3)}), zero, inner}), six});
}

}  // namespace

NodeRef relu6(NodeRef x) {
  return rounded_once(as_float("relu6", x), [](NodeRef v) { return clamped(v, 0, 6); });
}

NodeRef hardtanh(NodeRef x, double min_val, double max_val) {
  HARP_CHECK(min_val <= max_val, Code::kRange, "hardtanh: min_val is ", min_val, " and max_val ", max_val,
             "; min_val must not be greater than max_val");
  return rounded_once(as_float("hardtanh", x), [&](NodeRef v) { return clamped(v, min_val, max_val); });
}

NodeRef leaky_relu(NodeRef x, double negative_slope) {
  return rounded_once(as_float("leaky_relu", x), [&](NodeRef v) {
    return where({lt({constant_like(v, 0), v}), v, mul({v, constant_like(v, negative_slope)})});
  });
}

NodeRef hardsigmoid(NodeRef x) { return rounded_once(as_float("hardsigmoid", x), hard_gate); }

NodeRef hardswish(NodeRef x) {
  return rounded_once(as_float("hardswish", x), [](NodeRef v) { return mul({v, hard_gate(v)}); });
}

NodeRef mish(NodeRef x) {
  // For v >= kFar the result is v: tanh(softplus(v)) rounds to 1 there, and the second derivative of the formula may overflow.
  constexpr double kFar = 32;
  return rounded_once(as_float("mish", x), [](NodeRef v) {
    const NodeRef is_far = le({constant_like(v, kFar), v}), near = where({is_far, constant_like(v, 0), v});
    return where({is_far, v, mul({near, unary(Op::kTanh, softplus_of(near))})});
  });
}

NodeRef softsign(NodeRef x) {
  return rounded_once(as_float("softsign", x), [](NodeRef v) { return div({v, add({constant_like(v, 1), abs(v)})}); });
}

NodeRef logsigmoid(NodeRef x) {
  return rounded_once(as_float("logsigmoid", x), [](NodeRef v) { return neg(softplus_of(neg(v))); });
}

}  // namespace harp::build
