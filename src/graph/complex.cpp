// Builds elementwise operations of complex arrays. The order of the operations in each line is normative: it decides the bits. If a step
// overflows, the result is not corrected: C's Annex G does not apply.
#include "graph/complex.h"

#include <array>
#include <limits>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::build {
namespace {

using namespace steps;

NodeRef apply(Op op, std::initializer_list<NodeRef> operands) { return elementwise(op, operands); }
NodeRef fma(std::initializer_list<NodeRef> operands) { return elementwise(Op::kFma, operands); }
NodeRef number(NodeRef x, double value) { return constant_like(x, value); }

Parts times(const Parts& a, const Parts& b) {
  const NodeRef crossed = neg(mul({a.im, b.im}));
  const NodeRef re = fma({a.re, b.re, crossed});
  return {re, fma({a.re, b.im, mul({a.im, b.re})})};
}
NodeRef squared_length(const Parts& z) { return fma({z.re, z.re, mul({z.im, z.im})}); }
NodeRef length(const Parts& z) { return apply(Op::kHypot, {z.re, z.im}); }
NodeRef argument(const Parts& z) { return apply(Op::kAtan2, {z.im, z.re}); }

Parts reciprocal(const Parts& z) {
  const NodeRef length = squared_length(z);
  const NodeRef re = div({z.re, length});
  return {re, div({neg(z.im), length})};
}

Parts exponential(const Parts& z) {
  const NodeRef size = apply(Op::kExp, {z.re});
  const NodeRef re = mul({size, apply(Op::kCos, {z.im})});
  return {re, mul({size, apply(Op::kSin, {z.im})})};
}

/// Returns log(z) of z = p + iq. Near the unit circle, rounding |z| loses the digits that log(|z|) depends on. There the real part is
/// computed as half of log(|z|²) = log1p(|z|² - 1), with |z|² - 1 = (p - 1)(p + 1) + q². Elsewhere log1p gets 0 as its argument: for small
/// z, |z|² - 1 rounds to -1, where the gradient of log1p is infinite.
Parts logarithm(const Parts& z) {
  const NodeRef size = length(z), usual = apply(Op::kLog, {size});
  const NodeRef is_above = apply(Op::kLe, {number(z.re, 0.5), size});
  const NodeRef is_near = apply(Op::kBitAnd, {is_above, apply(Op::kLe, {size, number(z.re, 2)})});
  const NodeRef below = add({z.re, number(z.re, -1)}), product = mul({below, add({z.re, number(z.re, 1)})});
  const NodeRef excess = where({is_near, fma({z.im, z.im, product}), number(z.re, 0)});
  const NodeRef near = mul({apply(Op::kLog1p, {excess}), number(z.re, 0.5)});
  return {where({is_near, near, usual}), argument(z)};
}

/// Returns the square root with a nonnegative real part. One of its two parts, the larger one, is the root of a sum of two positive
/// numbers; the other part follows from it. The absolute values of z.re and of `lesser` are computed by a selection and by a product with
/// ±1 instead of `abs`, whose gradient at 0 is 0: that would be wrong on the imaginary axis and on the negative real axis.
Parts root(const Parts& z) {
  const NodeRef half = number(z.re, 0.5), zero = number(z.re, 0);
  const NodeRef size = mul({length(z), half});
  const NodeRef is_right = apply(Op::kLe, {zero, z.re});
  const NodeRef greater = apply(Op::kSqrt, {fma({where({is_right, z.re, neg(z.re)}), half, size})});
  const NodeRef lesser = where({apply(Op::kEq, {greater, zero}), z.im, div({mul({z.im, half}), greater})});
  const NodeRef side = apply(Op::kCopysign, {number(z.re, 1), z.im});
  const NodeRef re = where({is_right, greater, mul({lesser, side})});
  return {re, where({is_right, lesser, apply(Op::kCopysign, {greater, z.im})})};
}

/// sinh(x + iy) = sinh(x) · cos(y) + i · cosh(x) · sin(y).
Parts sine_h(const Parts& z) {
  const NodeRef re = mul({apply(Op::kSinh, {z.re}), apply(Op::kCos, {z.im})});
  return {re, mul({apply(Op::kCosh, {z.re}), apply(Op::kSin, {z.im})})};
}
Parts cosine_h(const Parts& z) {
  const NodeRef re = mul({apply(Op::kCosh, {z.re}), apply(Op::kCos, {z.im})});
  return {re, mul({apply(Op::kSinh, {z.re}), apply(Op::kSin, {z.im})})};
}
/// Returns tanh(x + iy), computed by Kahan's formula: (b·cosh(x)·s + i·t) / (1 + b·s²), with t = tan(y), s = sinh(x) and b = 1 + t². For
/// |x| > 20 the real part is ±1. For |x| >= 400 (f32: 50) the divisor is infinite; there x is replaced by ±400 (±50), so that s stays
/// finite. Quotients that are not used, or whose divisor is infinite, are replaced by constants: else a gradient of 0 would be multiplied
/// by an infinity.
Parts tangent_h(const Parts& z) {
  const NodeRef zero = number(z.re, 0), one = number(z.re, 1);
  const double limit = z.re->dtype == DType::kF32 ? 50 : 400;
  const NodeRef is_far = apply(Op::kLt, {number(z.re, 20), apply(Op::kAbs, {z.re})});
  const NodeRef x = apply(Op::kMin, {apply(Op::kMax, {z.re, number(z.re, -limit)}), number(z.re, limit)});
  const NodeRef t = apply(Op::kTan, {z.im}), s = apply(Op::kSinh, {x});
  const NodeRef b = fma({t, t, one});
  const NodeRef below = fma({mul({b, s}), s, one});
  const NodeRef above = where({is_far, zero, mul({mul({b, apply(Op::kCosh, {x})}), s})});
  const NodeRef re = where({is_far, apply(Op::kCopysign, {one, z.re}), div({above, where({is_far, one, below})})});
  const NodeRef is_infinite = apply(Op::kEq, {below, number(z.re, std::numeric_limits<double>::infinity())});
  const NodeRef quotient = div({t, where({is_infinite, one, below})});
  return {re, where({is_infinite, mul({t, zero}), quotient})};
}
/// Returns i·z. A trigonometric function of z is computed from the hyperbolic function of i·z.
Parts turned(const Parts& z) { return {neg(z.im), z.re}; }

Parts power(const Parts& a, const Parts& b) {
  const auto is_zero = [](const Parts& z) {
    const NodeRef zero = number(z.re, 0);
    const NodeRef re = apply(Op::kEq, {z.re, zero});
    return apply(Op::kBitAnd, {re, apply(Op::kEq, {z.im, zero})});
  };
  const Parts usual = exponential(times(b, logarithm(a)));
  const NodeRef at_zero = is_zero(a), zero = number(a.re, 0);
  const NodeRef re = where({at_zero, where({is_zero(b), number(a.re, 1), zero}), usual.re});
  return {re, where({at_zero, zero, usual.im})};
}

using Given = std::array<Parts, 3>;

struct Rule {
  Op op;
  NodeRef (*build)(const Given& z);
};
constexpr Rule kRules[] = {
    {Op::kNeg,
     [](const Given& z) {
       const NodeRef re = neg(z[0].re);
       return from_parts({re, neg(z[0].im)});
     }},
    {Op::kRecip, [](const Given& z) { return from_parts(reciprocal(z[0])); }},
    {Op::kAbs, [](const Given& z) { return length(z[0]); }},
    {Op::kSign,
     [](const Given& z) {
       const NodeRef size = length(z[0]), is_zero = apply(Op::kEq, {size, number(size, 0)});
       const NodeRef re = where({is_zero, z[0].re, div({z[0].re, size})});
       return from_parts({re, where({is_zero, z[0].im, div({z[0].im, size})})});
     }},
    {Op::kSqrt, [](const Given& z) { return from_parts(root(z[0])); }},
    {Op::kIsNan,
     [](const Given& z) {
       const NodeRef re = apply(Op::kIsNan, {z[0].re});
       return apply(Op::kBitOr, {re, apply(Op::kIsNan, {z[0].im})});
     }},
    {Op::kExp, [](const Given& z) { return from_parts(exponential(z[0])); }},
    {Op::kLog, [](const Given& z) { return from_parts(logarithm(z[0])); }},
    {Op::kSin,
     [](const Given& z) {
       const Parts s = sine_h(turned(z[0]));
       return from_parts({s.im, neg(s.re)});
     }},
    {Op::kCos, [](const Given& z) { return from_parts(cosine_h(turned(z[0]))); }},
    {Op::kTan,
     [](const Given& z) {
       const Parts t = tangent_h(turned(z[0]));
       return from_parts({t.im, neg(t.re)});
     }},
    {Op::kSinh, [](const Given& z) { return from_parts(sine_h(z[0])); }},
    {Op::kCosh, [](const Given& z) { return from_parts(cosine_h(z[0])); }},
    {Op::kTanh, [](const Given& z) { return from_parts(tangent_h(z[0])); }},
    {Op::kAdd,
     [](const Given& z) {
       const NodeRef re = add({z[0].re, z[1].re});
       return from_parts({re, add({z[0].im, z[1].im})});
     }},
    {Op::kMul, [](const Given& z) { return from_parts(times(z[0], z[1])); }},
    {Op::kDiv,
     [](const Given& z) {
       const auto& [a, b, unused] = z;
       const NodeRef length = squared_length(b);
       const NodeRef re = div({fma({a.re, b.re, mul({a.im, b.im})}), length});
       return from_parts({re, div({fma({a.im, b.re, neg(mul({a.re, b.im}))}), length})});
     }},
    {Op::kPow, [](const Given& z) { return from_parts(power(z[0], z[1])); }},
    {Op::kEq,
     [](const Given& z) {
       const NodeRef re = apply(Op::kEq, {z[0].re, z[1].re});
       return apply(Op::kBitAnd, {re, apply(Op::kEq, {z[0].im, z[1].im})});
     }},
    {Op::kNe,
     [](const Given& z) {
       const NodeRef re = apply(Op::kNe, {z[0].re, z[1].re});
       return apply(Op::kBitOr, {re, apply(Op::kNe, {z[0].im, z[1].im})});
     }},
    {Op::kWhere,
     [](const Given& z) {
       const NodeRef condition = z[0].re, re = where({condition, z[1].re, z[2].re});
       return from_parts({re, where({condition, z[1].im, z[2].im})});
     }},
};

consteval std::array<NodeRef (*)(const Given&), kOpCount> make_table() {
  std::array<NodeRef (*)(const Given&), kOpCount> table{};
  std::array<bool, kOpCount> has_rule{};
  for (const Rule& rule : kRules) {
    table[static_cast<size_t>(rule.op)] = rule.build;
    has_rule[static_cast<size_t>(rule.op)] = true;
  }
  for (size_t op = 0; op < kOpCount; ++op)
    if (has_rule[op] != (kOps[op].family == Family::kElementwise && accepts(kOps[op].operands, DType::kC64)))
      throw "an elementwise op that accepts complex dtypes has no rule above, or one that does not has";
  return table;
}
constexpr auto kTable = make_table();

}  // namespace

Parts parts_of(NodeRef z) {
  const NodeRef re = real(z);
  return {re, imag(z)};
}
NodeRef from_parts(Parts parts) { return complex_from_parts(parts.re, parts.im); }

NodeRef complex_elementwise(Op op, std::span<const NodeRef> operands) {
  Given z{};
  for (size_t i = 0; i < operands.size(); ++i) z[i] = is_complex(operands[i]->dtype) ? parts_of(operands[i]) : Parts{operands[i], nullptr};
  return kTable[static_cast<size_t>(op)](z);
}

NodeRef complex_cast(NodeRef source, DType dtype) {
  HARP_CHECK(is_complex(dtype), Code::kDType, "cast: ", label(source), " is ", name(source->dtype), " and cannot become ", name(dtype),
             "; take real(), imag() or abs() of it", is_bool(dtype) ? ", or compare it with 0" : "");
  if (!is_complex(source->dtype)) {
    const NodeRef re = cast(source, real_dtype(dtype));
    return complex_from_parts(re, constant_like(re, 0));
  }
  const Parts z = parts_of(source);
  const NodeRef re = cast(z.re, real_dtype(dtype));
  return complex_from_parts(re, cast(z.im, real_dtype(dtype)));
}

// Parts of complex numbers. real(complex_from_parts(a, b)) is not simplified to a while the graph is built, because a gradient with respect
// to the complex node may be needed. The optimiser simplifies it.

NodeRef real(NodeRef x) {
  Graph& graph = check_node("real", x);
  common_dtype("real", Operands::kNumber, std::span(&x, 1));
  if (!is_complex(x->dtype)) return x;
  return graph.intern(Op::kReal, real_dtype(x->dtype), x->shape, {x});
}
NodeRef imag(NodeRef x) {
  Graph& graph = check_node("imag", x);
  common_dtype("imag", Operands::kNumber, std::span(&x, 1));
  if (!is_complex(x->dtype)) return full_like(x, 0);
  return graph.intern(Op::kImag, real_dtype(x->dtype), x->shape, {x});
}

NodeRef complex_from_parts(NodeRef re, NodeRef im) {
  const std::string_view op = name(Op::kComplex);
  const NodeRef operands[] = {re, im};
  const auto [dtype, shape] = common_type(op, Operands::kPart, operands);
  Graph& graph = check_nodes(op, operands);
  check_shape(op, graph, complex_dtype(dtype), shape);
  re = broadcast_to(cast(re, dtype), shape);
  im = broadcast_to(cast(im, dtype), shape);
  return graph.intern(Op::kComplex, complex_dtype(dtype), shape, {re, im});
}

NodeRef conj(NodeRef x) {
  common_dtype("conj", Operands::kNumber, std::span(&x, 1));
  if (!is_complex(x->dtype)) return x;
  const Parts z = parts_of(x);
  return complex_from_parts(z.re, neg(z.im));
}

NodeRef angle(NodeRef x) {
  x = cast(x, common_dtype("angle", Operands::kField, std::span(&x, 1)));
  return is_complex(x->dtype) ? argument(parts_of(x)) : apply(Op::kAtan2, {number(x, 0), x});
}

NodeRef view_as_real(NodeRef z) {
  common_dtype("view_as_real", Operands::kComplex, std::span(&z, 1));
  HARP_CHECK(z->rank() < kMaxRank, Code::kShape, "view_as_real: ", label(z), " has ", kMaxRank, " axes; the result would have one more");
  const Parts parts = parts_of(z);
  const NodeRef list[] = {parts.re, parts.im};
  return stack(list, -1);
}

NodeRef view_as_complex(NodeRef x) {
  common_dtype("view_as_complex", Operands::kPart, std::span(&x, 1));
  HARP_CHECK(x->rank() > 0 && x->shape.back().is_constant(2), Code::kShape, "view_as_complex: ", label(x), " has shape ",
             to_string(x->shape), "; the last axis must have size 2: re and im");
  const std::vector<NodeRef> parts = unstack(x, -1);
  return complex_from_parts(parts[0], parts[1]);
}

}  // namespace harp::build
