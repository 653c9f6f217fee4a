// Builds elementwise composites. The order of the operations in each line is normative, because it decides the bits of the result.
#include <limits>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::build {
namespace {

using namespace steps;

// The gradient of a composite is computed from its primitives. It also flows to the operand that a `where` does not select. That gradient
// is 0, but 0 times an infinite derivative is NaN. Therefore, where an operand is not selected, it is replaced by a value that cannot
// overflow.

/// Common part of sigmoid-like functions: is_negative is x < 0, and e is exp(-|x|).
struct Decay {
  NodeRef is_negative, e;
};
Decay decay(NodeRef x) {
  const NodeRef is_negative = elementwise(Op::kLt, {x, constant_like(x, 0)});
  return {is_negative, unary(Op::kExp, where({is_negative, x, neg(x)}))};
}

/// Common part of functions that have a separate formula for x <= 0: is_positive is x > 0; value is x where x <= 0, else 0, so that
/// exp(value) cannot overflow.
struct NotPositive {
  NodeRef is_positive, value;
};
NotPositive not_positive(NodeRef x) {
  const NodeRef zero = constant_like(x, 0), is_positive = gt(x, zero);
  return {is_positive, where({is_positive, zero, x})};
}

DType dtype_of(std::string_view op, Operands accepted, std::initializer_list<NodeRef> operands) {
  return common_type(op, accepted, std::span(operands.begin(), operands.size())).dtype;
}

/// Returns x != 0; a bool is returned unchanged.
NodeRef is_true(std::string_view op, NodeRef x) {
  check_node(op, x);
  return is_bool(x->dtype) ? x : elementwise(Op::kNe, {x, constant_like(x, 0)});
}

NodeRef logical(std::string_view name, Op op, NodeRef a, NodeRef b) {
  const NodeRef operands[] = {is_true(name, a), is_true(name, b)};
  common_type(name, Operands::kBoolInt, operands);
  return elementwise(op, operands);
}

}  // namespace

NodeRef constant_like(NodeRef x, double value) { return constant(check_node("constant", x), scalar_from_double(x->dtype, value)); }

NodeRef as_float(std::string_view op, NodeRef x) { return cast(x, common_dtype(op, Operands::kFloat, std::span(&x, 1))); }

NodeRef minus(NodeRef x, NodeRef y) { return add({x, broadcast_to(neg(y), x->shape)}); }

NodeRef sub(NodeRef a, NodeRef b) {
  const DType dtype = dtype_of("sub", Operands::kNumber, {a, b});
  return add({a, neg(cast(b, dtype))});
}

NodeRef gt(NodeRef a, NodeRef b) {
  dtype_of("gt", Operands::kOrdered, {a, b});
  return elementwise(Op::kLt, {b, a});
}
NodeRef ge(NodeRef a, NodeRef b) {
  dtype_of("ge", Operands::kOrdered, {a, b});
  return elementwise(Op::kLe, {b, a});
}

NodeRef square(NodeRef x) {
  dtype_of("square", Operands::kNumber, {x});
  return mul({x, x});
}

NodeRef rsqrt(NodeRef x) {
  x = cast(x, dtype_of("rsqrt", Operands::kField, {x}));
  return rounded_once(x, [](NodeRef v) { return unary(Op::kRecip, unary(Op::kSqrt, v)); });
}

NodeRef sigmoid(NodeRef x) {
  return rounded_once(as_float("sigmoid", x), [](NodeRef v) {
    const Decay d = decay(v);
    const NodeRef one = constant_like(v, 1), above = where({d.is_negative, d.e, one});
    return elementwise(Op::kDiv, {above, add({one, d.e})});
  });
}

NodeRef relu(NodeRef x) {
  dtype_of("relu", Operands::kReal, {x});
  const NodeRef zero = constant_like(x, 0);
  return where({elementwise(Op::kLe, {x, zero}), zero, x});
}

NodeRef silu(NodeRef x) {
  return rounded_once(as_float("silu", x), [](NodeRef v) { return mul({v, sigmoid(v)}); });
}

NodeRef softplus(NodeRef x) {
  return rounded_once(as_float("softplus", x), [](NodeRef v) {
    const Decay d = decay(v);
    return add({unary(Op::kLog1p, d.e), where({d.is_negative, constant_like(v, 0), v})});
  });
}

NodeRef elu(NodeRef x, double alpha) {
  return rounded_once(as_float("elu", x), [&](NodeRef v) {
    const NotPositive n = not_positive(v);
    return where({n.is_positive, v, mul({constant_like(v, alpha), unary(Op::kExpm1, n.value)})});
  });
}

NodeRef selu(NodeRef x) {
  // the constants of SELU (Klambauer et al., "Self-normalizing neural networks", 2017)
  constexpr double kScale = 1.0507009873554805, kAlpha = 1.6732632423543772;
  return rounded_once(as_float("selu", x), [](NodeRef v) { return mul({constant_like(v, kScale), elu(v, kAlpha)}); });
}

NodeRef celu(NodeRef x, double alpha) {
  x = as_float("celu", x);
  HARP_CHECK(alpha != 0, Code::kRange, "celu: alpha is 0; it must not be 0, because x is divided by it");
  return rounded_once(x, [&](NodeRef v) {
    const NotPositive n = not_positive(v);
    const NodeRef scale = constant_like(v, alpha);
    return where({n.is_positive, v, mul({scale, unary(Op::kExpm1, elementwise(Op::kDiv, {n.value, scale}))})});
  });
}

NodeRef gelu(NodeRef x, std::string_view approximate) {
  HARP_CHECK(approximate == "none" || approximate == "tanh", Code::kInvalidArgument, "gelu: approximate is \"", approximate,
             "\"; it must be \"none\" or \"tanh\"");
  x = as_float("gelu", x);
  if (is_half(x->dtype)) return rounded_once(x, [&](NodeRef v) { return gelu(v, approximate); });
  const NodeRef half = mul({x, constant_like(x, 0.5)}), one = constant_like(x, 1);
  if (approximate == "none") {
    constexpr double kSqrtHalf = 0.70710678118654752440;
    return mul({half, add({unary(Op::kErf, mul({x, constant_like(x, kSqrtHalf)})), one})});
  }
  constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
  // x is clamped to ±kFar in the argument of tanh, because the cube of a large x may overflow. The tanh is ±1 for all |x| >= kFar.
  constexpr double kFar = 16;
  const NodeRef least = constant_like(x, -kFar), greatest = constant_like(x, kFar);
  const NodeRef above = where({elementwise(Op::kLt, {x, least}), least, x});
  const NodeRef near = where({gt(above, greatest), greatest, above});
  const NodeRef cubed = mul({mul({near, near}), near});
  const NodeRef inner = mul({add({near, mul({cubed, constant_like(x, 0.044715)})}), constant_like(x, kSqrtTwoOverPi)});
  return mul({half, add({unary(Op::kTanh, inner), one})});
}

NodeRef isinf(NodeRef x) {
  x = cast(x, dtype_of("isinf", Operands::kField, {x}));
  if (is_complex(x->dtype)) {
    const NodeRef re = isinf(real(x));
    return elementwise(Op::kBitOr, {re, isinf(imag(x))});
  }
  return elementwise(Op::kEq, {unary(Op::kAbs, x), constant_like(x, std::numeric_limits<double>::infinity())});
}
NodeRef isfinite(NodeRef x) {
  x = cast(x, dtype_of("isfinite", Operands::kField, {x}));
  if (is_complex(x->dtype)) {
    const NodeRef re = isfinite(real(x));
    return elementwise(Op::kBitAnd, {re, isfinite(imag(x))});
  }
  return elementwise(Op::kLt, {unary(Op::kAbs, x), constant_like(x, std::numeric_limits<double>::infinity())});
}

NodeRef logical_not(NodeRef x) { return unary(Op::kBitNot, is_true("logical_not", x)); }
NodeRef logical_and(NodeRef a, NodeRef b) { return logical("logical_and", Op::kBitAnd, a, b); }
NodeRef logical_or(NodeRef a, NodeRef b) { return logical("logical_or", Op::kBitOr, a, b); }
NodeRef logical_xor(NodeRef a, NodeRef b) { return logical("logical_xor", Op::kBitXor, a, b); }

NodeRef powi(NodeRef x, int64_t k) {
  dtype_of("powi", Operands::kNumber, {x});
  HARP_CHECK(k >= 0 || accepts(Operands::kField, x->dtype), Code::kRange, "powi: ", k, " as the exponent of ", name(x->dtype), " (",
             label(x), "); an integer base needs an exponent of at least 0");
  if (k == 0) return full_like(x, 1);
  if (is_half(x->dtype)) return rounded_once(x, [&](NodeRef v) { return powi(v, k); });
  // For a negative k, take the reciprocal before the power: x^|k| may underflow although the dtype can represent x^k and its derivative.
  if (k < 0) x = unary(Op::kRecip, x);
  uint64_t power = k < 0 ? 0 - static_cast<uint64_t>(k) : static_cast<uint64_t>(k);
  NodeRef result = nullptr;
  for (NodeRef base = x;; base = mul({base, base})) {
    if (power & 1) result = result == nullptr ? base : mul({result, base});
    power >>= 1;
    if (power == 0) break;
  }
  return result;
}

NodeRef clip(NodeRef x, NodeRef lo, NodeRef hi) {
  const DType dtype = dtype_of("clip", Operands::kOrdered, {x, lo, hi});
  x = cast(x, dtype), lo = cast(lo, dtype), hi = cast(hi, dtype);
  const auto bounded = [&](NodeRef value, NodeRef bound, NodeRef is_beyond) {
    const NodeRef takes_bound = is_float(dtype) ? elementwise(Op::kBitOr, {is_beyond, unary(Op::kIsNan, bound)}) : is_beyond;
    return where({takes_bound, bound, value});
  };
  x = bounded(x, lo, elementwise(Op::kLt, {x, lo}));
  return bounded(x, hi, elementwise(Op::kLt, {hi, x}));
}

NodeRef lerp(NodeRef a, NodeRef b, NodeRef weight) {
  const DType dtype = dtype_of("lerp", Operands::kFloat, {a, b, weight});
  const DType working = working_dtype(dtype);
  a = cast(a, working), b = cast(b, working), weight = cast(weight, working);
  return cast(elementwise(Op::kFma, {weight, sub(b, a), a}), dtype);
}

}  // namespace harp::build
