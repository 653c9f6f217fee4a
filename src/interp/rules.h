// Rule<op>::apply computes one element of an elementwise op. Functions such as exp come from ops/math.h, instantiated for scalars. The
// other ops are one C++ expression; -ffp-contract=off and -fwrapv make it the IEEE operation or wrapping integer operation that
// docs/semantics.md requires. kernels.h instantiates all rules, so an op of family Elementwise does not compile if its Rule is missing or
// lacks a dtype that ops.def accepts.
#pragma once

#include <type_traits>

#include "interp/element.h"
#include "ops/math.h"
#include "ops/ops.h"
#include "ops/scalar_math.h"

namespace harp::interp {

using Functions = math::Functions<ScalarMath>;

template <class T>
concept FloatElement = std::is_floating_point_v<T>;
template <class T>
concept IntElement = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <Op op>
struct Rule;

#define HARP_RULE1(id, expression) \
  template <>                      \
  struct Rule<Op::k##id> {         \
    template <class T>             \
    static auto apply(T x) {       \
      return expression;           \
    }                              \
  };
#define HARP_RULE2(id, expression) \
  template <>                      \
  struct Rule<Op::k##id> {         \
    template <class T>             \
    static auto apply(T x, T y) {  \
      return expression;           \
    }                              \
  };

// Arithmetic ops that are a single C++ operation.
HARP_RULE1(Neg, -x)
HARP_RULE1(Recip, T(1) / x)
HARP_RULE1(Sqrt, ScalarMath::sqrt(x))
HARP_RULE1(Floor, ScalarMath::floor(x))
HARP_RULE1(Ceil, ScalarMath::ceil(x))
HARP_RULE1(Round, Functions::round(x))
HARP_RULE1(Trunc, ScalarMath::trunc(x))
HARP_RULE1(IsNan, Functions::isnan(x))
HARP_RULE2(Add, x + y)
HARP_RULE2(Mul, x* y)
HARP_RULE2(Div, x / y)

// Comparisons as in C: all except Ne are false if an operand is NaN. For bools, false < true.
HARP_RULE2(Lt, x < y)
HARP_RULE2(Le, x <= y)
HARP_RULE2(Eq, x == y)
HARP_RULE2(Ne, x != y)

// Bitwise ops. C promotes bool to int, so the result is converted back to T.
HARP_RULE2(BitAnd, static_cast<T>(x& y))
HARP_RULE2(BitOr, static_cast<T>(x | y))
HARP_RULE2(BitXor, static_cast<T>(x ^ y))
template <>
struct Rule<Op::kBitNot> {
  static bool apply(bool x) { return !x; }
  template <IntElement T>
  static T apply(T x) {
    return ~x;
  }
};
// Shift counts are taken modulo the number of bits of the dtype. Right shifts of signed integers preserve the sign.
HARP_RULE2(Shl, static_cast<T>(x << (y & T(8 * sizeof(T) - 1))))
HARP_RULE2(Shr, static_cast<T>(x >> (y & T(8 * sizeof(T) - 1))))

// ops computed by functions of ops/math.h
HARP_RULE1(Abs, Functions::abs(x))
HARP_RULE1(Sign, Functions::sign(x))
HARP_RULE1(Exp, Functions::exp(x))
HARP_RULE1(Exp2, Functions::exp2(x))
HARP_RULE1(Expm1, Functions::expm1(x))
HARP_RULE1(Log, Functions::log(x))
HARP_RULE1(Log2, Functions::log2(x))
HARP_RULE1(Log10, Functions::log10(x))
HARP_RULE1(Log1p, Functions::log1p(x))
HARP_RULE1(Sin, Functions::sin(x))
HARP_RULE1(Cos, Functions::cos(x))
HARP_RULE1(Tan, Functions::tan(x))
HARP_RULE1(Asin, Functions::asin(x))
HARP_RULE1(Acos, Functions::acos(x))
HARP_RULE1(Atan, Functions::atan(x))
HARP_RULE1(Sinh, Functions::sinh(x))
HARP_RULE1(Cosh, Functions::cosh(x))
HARP_RULE1(Tanh, Functions::tanh(x))
HARP_RULE1(Asinh, Functions::asinh(x))
HARP_RULE1(Acosh, Functions::acosh(x))
HARP_RULE1(Atanh, Functions::atanh(x))
HARP_RULE1(Erf, Functions::erf(x))
HARP_RULE1(Erfc, Functions::erfc(x))
HARP_RULE1(Cbrt, Functions::cbrt(x))
HARP_RULE2(Idiv, Functions::floor_divide(x, y))
HARP_RULE2(Rem, Functions::remainder(x, y))
HARP_RULE2(Fmod, Functions::fmod(x, y))
HARP_RULE2(Pow, Functions::pow(x, y))
HARP_RULE2(Atan2, Functions::atan2(x, y))
HARP_RULE2(Hypot, Functions::hypot(x, y))
HARP_RULE2(LogAddExp, Functions::logaddexp(x, y))
HARP_RULE2(Copysign, Functions::copysign(x, y))
HARP_RULE2(Max, Functions::maximum(x, y))
HARP_RULE2(Min, Functions::minimum(x, y))

template <>
struct Rule<Op::kWhere> {
  template <class T>
  static T apply(bool condition, T x, T y) {
    return condition ? x : y;
  }
};
template <>
struct Rule<Op::kFma> {
  template <FloatElement T>
  static T apply(T x, T y, T z) {
    return ScalarMath::fma(x, y, z);
  }
};

#undef HARP_RULE1
#undef HARP_RULE2

}  // namespace harp::interp
