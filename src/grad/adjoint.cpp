// Contains the table of adjoint rules, with one row per op of ops.def. For ops that PyTorch has, the formulas give PyTorch's gradients.
// They are written so that they overflow or cancel only if the derivative itself does (hypot instead of squares, (1 - x)(1 + x) instead of
// 1 - x²). docs/semantics.md states the gradients at points where the derivative is undefined. C++ evaluates operands in braces from left
// to right, so the order of nodes is the same with every compiler.
#include "grad/adjoint.h"

#include <initializer_list>
#include <limits>

#include "grad/rules.h"
#include "graph/composites.h"
#include "graph/steps.h"

namespace harp::grad {
namespace {

using build::steps::add, build::steps::div, build::steps::mul, build::steps::neg, build::steps::where;

NodeRef apply(Op op, std::initializer_list<NodeRef> operands) { return build::elementwise(op, operands); }
NodeRef number(const Step& s, double value) { return build::constant_like(s.g, value); }

constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLn10 = 2.30258509299404568402;
constexpr double kTwoOverSqrtPi = 1.12837916709551257390;

/// These return 1 + x and 1 - x.
NodeRef one_plus(const Step& s, NodeRef x) { return add({number(s, 1), x}); }
NodeRef one_minus(const Step& s, NodeRef x) { return add({number(s, 1), neg(x)}); }
/// Returns 1 - x², computed as (1 - x)(1 + x). Near ±1 the subtraction 1 - x² would lose digits, but 1 - x and 1 + x do not.
NodeRef one_minus_square(const Step& s, NodeRef x) { return mul({one_minus(s, x), one_plus(s, x)}); }
/// The adjoint rule of erf: g · 2/√π · exp(-x²), where g is the gradient of the result.
NodeRef along_bell(const Step& s) { return mul({mul({s.g, number(s, kTwoOverSqrtPi)}), apply(Op::kExp, {neg(mul({s.a(), s.a()}))})}); }

/// The adjoint of a Fourier transform is the inverse transform without normalisation. It equals the forward transform with the real and
/// imaginary parts exchanged before and after the transform. This function exchanges the parts of the argument; the caller exchanges the
/// parts of the result.
std::vector<NodeRef> transformed_back(const Step& s) {
  const std::vector<NodeRef> g = build::unstack(s.g, 0);
  return build::unstack(build::dft(g[1], g[0]), 0);
}

/// Returns the axis of a gather or scatter.
int axis_of(const Step& s) { return s.y->as<GatherAttributes>().axis; }

NodeRef whole(const Step& s) { return s.g; }
NodeRef nothing(const Step&) { return nullptr; }

/// The adjoint rule of maximum and minimum. If g is the gradient of the result, the gradient of this source is g if only this source equals
/// the result, g/2 if both sources do, else 0. If one source is NaN, the gradient of both is g, as in PyTorch.
NodeRef adjoint_of_choice(const Step& s) {
  const NodeRef mine = s.y->sources[s.index], other = s.y->sources[1 - s.index];
  const NodeRef loses = s.y->op == Op::kMax ? apply(Op::kLt, {mine, other}) : apply(Op::kLt, {other, mine});
  const NodeRef half = mul({s.g, number(s, 0.5)});
  return where({loses, number(s, 0), where({apply(Op::kEq, {s.a(), s.b()}), half, s.g})});
}

/// The adjoint rule of logaddexp(a, b): the gradient of the result times the share of this source in exp(a) + exp(b). The share is the
/// sigmoid of this source minus the other source. If both sources are the same infinity, each has the share 1/2.
NodeRef adjoint_of_logaddexp(const Step& s) {
  const NodeRef mine = s.y->sources[s.index], other = s.y->sources[1 - s.index];
  const NodeRef is_infinite = apply(Op::kEq, {apply(Op::kAbs, {mine}), number(s, std::numeric_limits<double>::infinity())});
  const NodeRef has_no_difference = apply(Op::kBitAnd, {apply(Op::kEq, {mine, other}), is_infinite});
  return mul({s.g, build::sigmoid(where({has_no_difference, number(s, 0), add({mine, neg(other)})}))});
}

/// The adjoint rule of pow(a, b) for the base a: g · b · a^(b - 1), where g is the gradient of the result. For b = 0 the gradient of a is
/// 0, even if a^-1 is infinite.
NodeRef adjoint_of_base(const Step& s) {
  const NodeRef is_zero = apply(Op::kEq, {s.b(), number(s, 0)});
  const NodeRef exponent = add({where({is_zero, number(s, 1), s.b()}), number(s, -1)});
  return mul({s.g, where({is_zero, number(s, 0), mul({s.b(), apply(Op::kPow, {s.a(), exponent})})})});
}

/// The adjoint rule of pow(a, b) for the exponent b: g · a^b · log(a), where g is the gradient of the result. For a = 0 and b >= 0 the
/// gradient of b is 0 although log(a) is infinite, because 0^b is 0 for all b > 0.
NodeRef adjoint_of_exponent(const Step& s) {
  const NodeRef at_zero = apply(Op::kBitAnd, {apply(Op::kEq, {s.a(), number(s, 0)}), apply(Op::kLe, {number(s, 0), s.b()})});
  return mul({s.g, mul({s.y, apply(Op::kLog, {where({at_zero, number(s, 1), s.a()})})})});
}

/// The adjoint rule of atan2(a, b), except for the sign: g / h · (side / h), where g is the gradient of the result, h is hypot(a, b), and
/// `side` is b in the rule for a, and a in the rule for b.
NodeRef turned(const Step& s, NodeRef side) {
  const NodeRef length = apply(Op::kHypot, {s.a(), s.b()});
  return mul({s.g, div({div({side, length}), length})});
}

/// The adjoint rule of hypot(a, b): g · (side / hypot(a, b)), where g is the gradient of the result, and `side` is the source to which the
/// rule belongs. At the origin the gradient and its own derivatives are 0, as for the norm of a vector and the abs of a complex number:
/// `where` selects 0 there, and the divisor is replaced by 1, so that no 0 / 0 occurs.
NodeRef along(const Step& s, NodeRef side) {
  const NodeRef at_origin = apply(Op::kEq, {s.y, number(s, 0)});
  return mul({s.g, where({at_origin, number(s, 0), div({side, where({at_origin, number(s, 1), s.y})})})});
}

struct Row {
  Op op;
  Adjoint adjoint;
};
template <class... Functions>
constexpr Adjoint rules(Functions... of_sources) {
  return {Flow::kRules, sizeof...(of_sources), {Rule(of_sources)...}};
}
constexpr Adjoint kLeaf{Flow::kLeaf, 0, {}}, kConstant{Flow::kConstant, 0, {}}, kNone{Flow::kNone, 0, {}};

constexpr Row kAdjoints[] = {
    {Op::kInput, kLeaf},
    {Op::kConstant, kLeaf},
    {Op::kConstantArray, kLeaf},
    {Op::kArange, kLeaf},
    {Op::kSize, kLeaf},

    // Elementwise, one source
    {Op::kNeg, rules([](const Step& s) { return neg(s.g); })},
    {Op::kRecip, rules([](const Step& s) {
       return neg(mul({s.g, mul({s.y, s.y})}));
     })},
    {Op::kAbs, rules([](const Step& s) {
       return mul({s.g, apply(Op::kSign, {s.a()})});
     })},
    {Op::kSign, kConstant},
    {Op::kSqrt, rules([](const Step& s) {
       return div({s.g, mul({number(s, 2), s.y})});
     })},
    {Op::kFloor, kConstant},
    {Op::kCeil, kConstant},
    {Op::kRound, kConstant},
    {Op::kTrunc, kConstant},
    {Op::kIsNan, kConstant},
    {Op::kBitNot, kNone},
    {Op::kExp, rules([](const Step& s) {
       return mul({s.g, s.y});
     })},
    {Op::kExp2, rules([](const Step& s) {
       return mul({s.g, mul({s.y, number(s, kLn2)})});
     })},
    {Op::kExpm1, rules([](const Step& s) {
       return mul({s.g, apply(Op::kExp, {s.a()})});
     })},
    {Op::kLog, rules([](const Step& s) {
       return div({s.g, s.a()});
     })},
    {Op::kLog2, rules([](const Step& s) {
       return div({mul({s.g, number(s, 1 / kLn2)}), s.a()});
     })},
    {Op::kLog10, rules([](const Step& s) {
       return div({mul({s.g, number(s, 1 / kLn10)}), s.a()});
     })},
    {Op::kLog1p, rules([](const Step& s) {
       return div({s.g, one_plus(s, s.a())});
     })},
    {Op::kSin, rules([](const Step& s) {
       return mul({s.g, apply(Op::kCos, {s.a()})});
     })},
    {Op::kCos, rules([](const Step& s) {
       return neg(mul({s.g, apply(Op::kSin, {s.a()})}));
     })},
    {Op::kTan, rules([](const Step& s) {
       return mul({s.g, apply(Op::kFma, {s.y, s.y, number(s, 1)})});
     })},
    {Op::kAsin, rules([](const Step& s) {
       return div({s.g, apply(Op::kSqrt, {one_minus_square(s, s.a())})});
     })},
    {Op::kAcos, rules([](const Step& s) {
       return neg(div({s.g, apply(Op::kSqrt, {one_minus_square(s, s.a())})}));
     })},
    {Op::kAtan, rules([](const Step& s) {
       return div({s.g, apply(Op::kFma, {s.a(), s.a(), number(s, 1)})});
     })},
    {Op::kSinh, rules([](const Step& s) {
       return mul({s.g, apply(Op::kCosh, {s.a()})});
     })},
    {Op::kCosh, rules([](const Step& s) {
       return mul({s.g, apply(Op::kSinh, {s.a()})});
     })},
    {Op::kTanh, rules([](const Step& s) {
       return mul({s.g, one_minus_square(s, s.y)});
     })},
    {Op::kAsinh, rules([](const Step& s) {
       return div({s.g, apply(Op::kHypot, {s.a(), number(s, 1)})});
     })},
    {Op::kAcosh, rules([](const Step& s) {
       const NodeRef below = apply(Op::kSqrt, {add({s.a(), number(s, -1)})}), above = apply(Op::kSqrt, {one_plus(s, s.a())});
       return div({div({s.g, below}), above});
     })},
    {Op::kAtanh, rules([](const Step& s) {
       return div({s.g, one_minus_square(s, s.a())});
     })},
    {Op::kErf, rules(along_bell)},
    {Op::kErfc, rules([](const Step& s) { return neg(along_bell(s)); })},
    {Op::kCbrt, rules([](const Step& s) {
       return div({s.g, mul({number(s, 3), mul({s.y, s.y})})});
     })},

    // Elementwise, two sources
    {Op::kAdd, rules(whole, whole)},
    {Op::kMul, rules(
                   [](const Step& s) {
                     return mul({s.g, s.b()});
                   },
                   [](const Step& s) {
                     return mul({s.g, s.a()});
                   })},
    {Op::kDiv, rules(
                   [](const Step& s) {
                     return div({s.g, s.b()});
                   },
                   [](const Step& s) {
                     return neg(mul({s.g, div({s.y, s.b()})}));
                   })},
    {Op::kIdiv, kConstant},
    {Op::kRem, rules(whole,
                     [](const Step& s) {
                       return neg(mul({s.g, apply(Op::kIdiv, {s.a(), s.b()})}));
                     })},
    {Op::kFmod, rules(whole,
                      [](const Step& s) {
                        return neg(mul({s.g, apply(Op::kTrunc, {div({s.a(), s.b()})})}));
                      })},
    {Op::kMax, rules(adjoint_of_choice, adjoint_of_choice)},
    {Op::kMin, rules(adjoint_of_choice, adjoint_of_choice)},
    {Op::kPow, rules(adjoint_of_base, adjoint_of_exponent)},
    {Op::kAtan2, rules([](const Step& s) { return turned(s, s.b()); }, [](const Step& s) { return neg(turned(s, s.a())); })},
    {Op::kHypot, rules([](const Step& s) { return along(s, s.a()); }, [](const Step& s) { return along(s, s.b()); })},
    {Op::kLogAddExp, rules(adjoint_of_logaddexp, adjoint_of_logaddexp)},
    {Op::kCopysign, rules(
                        [](const Step& s) {
                          return mul({s.g, mul({apply(Op::kSign, {s.a()}), apply(Op::kCopysign, {number(s, 1), s.b()})})});
                        },
                        nothing)},
    {Op::kLt, kConstant},
    {Op::kLe, kConstant},
    {Op::kEq, kConstant},
    {Op::kNe, kConstant},
    {Op::kBitAnd, kNone},
    {Op::kBitOr, kNone},
    {Op::kBitXor, kNone},
    {Op::kShl, kNone},
    {Op::kShr, kNone},

    // Elementwise, three sources
    {Op::kWhere, rules(
                     nullptr,
                     [](const Step& s) {
                       return where({s.a(), s.g, number(s, 0)});
                     },
                     [](const Step& s) {
                       return where({s.a(), number(s, 0), s.g});
                     })},
    {Op::kFma, rules(
                   [](const Step& s) {
                     return mul({s.g, s.b()});
                   },
                   [](const Step& s) {
                     return mul({s.g, s.a()});
                   },
                   whole)},

    // Conversions. Integers have no gradient, so both dtypes of a cast that reaches this rule are floats.
    {Op::kCast, rules([](const Step& s) { return build::cast(s.g, s.a()->dtype); })},
    {Op::kBitcast, kNone},

    {Op::kSum, rules(adjoint_of_sum)},
    {Op::kProd, rules(adjoint_of_prod)},
    {Op::kReduceMax, rules(adjoint_of_extreme)},
    {Op::kReduceMin, rules(adjoint_of_extreme)},
    {Op::kArgMax, kConstant},
    {Op::kArgMin, kConstant},

    {Op::kCumSum, rules(adjoint_of_cumsum)},
    {Op::kCumProd, rules(adjoint_of_cumprod)},
    {Op::kCumMax, rules(adjoint_of_running_extreme)},
    {Op::kCumMin, rules(adjoint_of_running_extreme)},
    {Op::kLogCumSumExp, rules(adjoint_of_logcumsumexp)},

    {Op::kPermute, rules(adjoint_of_permute)},
    {Op::kExpand, rules(adjoint_of_expand)},
    {Op::kReshape, rules(adjoint_of_reshape)},
    {Op::kSlice, rules(adjoint_of_slice)},
    {Op::kPad, rules(adjoint_of_pad)},
    {Op::kUnfold, rules(adjoint_of_unfold)},

    {Op::kConcat, rules(adjoint_of_concat)},
    {Op::kContiguous, rules(whole)},
    {Op::kStopGradient, kConstant},
    {Op::kGather,
     rules([](const Step& s) { return build::scatter_add(build::broadcast_to(number(s, 0), s.a()->shape), s.b(), s.g, axis_of(s)); },
           nullptr)},
    {Op::kScatter, rules(scattered_to, nullptr, scattered_update)},
    {Op::kScatterAdd, rules(whole, nullptr, added_update)},
    {Op::kScatterMul, rules(multiplied, nullptr, multiplied_update)},
    {Op::kScatterMax, rules(extreme_of_updates, nullptr, extreme_update)},
    {Op::kScatterMin, rules(extreme_of_updates, nullptr, extreme_update)},
    {Op::kArgSort, kConstant},
    {Op::kSort, kNone},  // only the optimiser makes this op, and it runs after gradients are built
    {Op::kCustom, kNone},
    {Op::kNative, kNone},
    {Op::kCheckIndex, kConstant},
    {Op::kDft, rules([](const Step& s) { return transformed_back(s)[1]; }, [](const Step& s) { return transformed_back(s)[0]; })},

    // Parts of complex numbers. The gradient of the real part is the real part of the gradient, and likewise for the imaginary part.
    {Op::kReal, rules([](const Step& s) { return build::complex_from_parts(s.g, number(s, 0)); })},
    {Op::kImag, rules([](const Step& s) { return build::complex_from_parts(number(s, 0), s.g); })},
    {Op::kComplex, rules([](const Step& s) { return build::real(s.g); }, [](const Step& s) { return build::imag(s.g); })},
};

consteval std::array<Adjoint, kOpCount> make_table() {
  std::array<Adjoint, kOpCount> table{};
  std::array<bool, kOpCount> has_row{};
  for (const Row& row : kAdjoints) {
    const int op = static_cast<int>(row.op), sources = kOps[op].arity < 0 ? 1 : kOps[op].arity;
    if (has_row[op]) throw "an op has two rows";
    if ((row.adjoint.flow == Flow::kLeaf) != (sources == 0)) throw "kLeaf is for ops without sources, and for all of them";
    if (row.adjoint.flow == Flow::kRules && row.adjoint.rule_count != sources) throw "one rule for each source";
    has_row[op] = true;
    table[op] = row.adjoint;
  }
  for (int op = 0; op < kOpCount; ++op)
    if (!has_row[op]) throw "an op of ops.def has no row above: give it adjoint rules, kConstant or kNone";
  return table;
}
constexpr std::array<Adjoint, kOpCount> kTable = make_table();

}  // namespace

const Adjoint& adjoint_of(Op op) { return kTable[static_cast<int>(op)]; }

NodeRef contribution(const Step& s) {
  const Rule rule = adjoint_of(s.y->op).rules[info(s.y->op).arity < 0 ? 0 : s.index];
  return rule(s);
}

}  // namespace harp::grad
