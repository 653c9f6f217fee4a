// Defines every math function of harp once. math::Functions<M>::exp(x) and so on are templates over a policy M. They have two
// instantiations:
//   - The interpreter instantiates them with plain numbers (ScalarMath in ops/scalar_math.h). This defines the results.
//   - The IR builder instantiates them with expressions. The rendered C does the same IEEE operations in the same order, so it gives the
//     same bits.
// Therefore a template contains no branch on values and no loop over data, only selects and loops with a fixed trip count, which the
// builder unrolls. tests/ulp/README.md has the errors measured over all f32 inputs and f64 samples; docs/semantics.md has the guaranteed
// bounds.
//
// The policy M is a type with only static members:
//   template <DType D> using T             value types for kBool, kI32, kU32, kI64, kU64, kF32, kF64, all distinct, so that
//                                          functions overload on them; cheap to copy. kU16, kF16, kBF16 are only converted
//                                          (math_half.h). A policy whose arithmetic wraps at 8 and 16 bits also has value types for
//                                          the other narrow integers, and functions on them.
//   Operators on T<D>, where both operands have the same D:
//     floats                               + - * / and unary -   IEEE, round to nearest; never contracted
//     ints                                 + - * and unary -     wrapping;  & | ^ ~ << >>  (>> is arithmetic on signed types;
//                                          a count is always in [0, width));  / %  truncating as in C, and only with divisors
//                                          that do not trap (never 0, never least / -1)
//     floats and ints                      < <= > >= == != give T<kBool>; float comparisons with NaN are false, != is true
//     bool                                 & | ! == !=           (never && and ||, because overloads evaluate both operands)
//   f32(float) f64(double) i32 u32 i64 u64 literals; templates never rely on an implicit conversion of a number
//   template integer<D>(int64_t)           a literal of any integer dtype, wrapped to that dtype
//   fma(a, b, c) sqrt(x) abs(x)            floats; fma rounds once, abs clears the sign bit
//   floor ceil trunc rint(x)               floats; rint rounds half to even
//   select(condition, a, b)                a where condition is true, else b; both are evaluated
//   template bitcast<D>(x)                 a T<D> with the bits of x, which has the same size
//   template cast<D>(x)                    between ints: truncates or extends; int to float and f64 to f32: round to nearest
//                                          even (overflow to infinity); f32 to f64: exact; f64 to i64: only whole numbers of
//                                          magnitude <= 2^61, so no saturation is needed. Other casts are not used.
//   template table<D>(table, index)        element of a MathTable of dtype D. The T<kI32> index is in bounds by construction for
//                                          every input, even if the result is not used. A table of sixteen elements is indexed by the
//                                          low four bits of the index; some targets implement it as a register permutation
//   named(name, function, args...)         function(args...), where function is a capture-free function object on T values. An IR
//                                          policy creates a function with this name, which a target may replace by an instruction.
//                                          A name always stands for the same function.
//   rarely(name, condition, common, rare, args...)
//                                          rare(args...) where condition is true, else common. rare is a capture-free function object
//                                          on T values. An IR policy creates a function with this name and calls it lane by lane, only
//                                          for lanes where condition is true. A name always stands for the same function.
// The functions do not use the C library, errno or the floating-point flags. The sign and payload of a NaN are unspecified.
#pragma once

// The templates combine T<kBool> values by & and | on purpose: overloaded && and || would evaluate both operands anyway, and on plain bools
// they would branch.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"
#endif

#include "ops/math_erf.h"
#include "ops/math_exact.h"
#include "ops/math_exp.h"
#include "ops/math_half.h"
#include "ops/math_int.h"
#include "ops/math_inverse_trig.h"
#include "ops/math_log.h"
#include "ops/math_log_f32.h"
#include "ops/math_logaddexp.h"
#include "ops/math_power.h"
#include "ops/math_trig.h"

/// X(name, arity): functions on f32 and f64 whose result has the operand's dtype.
#define HARP_MATH_FUNCTIONS(X) \
  X(exp, 1)                    \
  X(exp2, 1)                   \
  X(expm1, 1)                  \
  X(log, 1)                    \
  X(log2, 1)                   \
  X(log10, 1)                  \
  X(log1p, 1)                  \
  X(sin, 1)                    \
  X(cos, 1)                    \
  X(tan, 1)                    \
  X(asin, 1)                   \
  X(acos, 1)                   \
  X(atan, 1)                   \
  X(sinh, 1)                   \
  X(cosh, 1)                   \
  X(tanh, 1)                   \
  X(asinh, 1)                  \
  X(acosh, 1)                  \
  X(atanh, 1)                  \
  X(erf, 1)                    \
  X(erfc, 1)                   \
  X(cbrt, 1)                   \
  X(abs, 1)                    \
  X(sign, 1)                   \
  X(round, 1)                  \
  X(pow, 2)                    \
  X(atan2, 2)                  \
  X(hypot, 2)                  \
  X(logaddexp, 2)              \
  X(maximum, 2)                \
  X(minimum, 2)                \
  X(copysign, 2)               \
  X(fmod, 2)                   \
  X(remainder, 2)              \
  X(floor_divide, 2)

/// X(name, arity): functions on f32 and f64 whose result is a bool.
#define HARP_MATH_PREDICATES(X) \
  X(isnan, 1)                   \
  X(isinf, 1)                   \
  X(isfinite, 1)

/// X(name, arity): functions on integers whose result has the operand's dtype.
#define HARP_MATH_INT_FUNCTIONS(X) \
  X(abs, 1)                        \
  X(sign, 1)                       \
  X(maximum, 2)                    \
  X(minimum, 2)                    \
  X(fmod, 2)                       \
  X(remainder, 2)                  \
  X(floor_divide, 2)               \
  X(pow, 2)

namespace harp::math {

/// All functions of one float dtype.
template <class M, DType D>
struct FloatFunctions : ExpFunctions<M, D>,
                        LogFunctions<M, D>,
                        TrigFunctions<M, D>,
                        InverseTrigFunctions<M, D>,
                        ErrorFunctions<M, D>,
                        PowerFunctions<M, D>,
                        LogAddExpFunctions<M, D>,
                        ExactFunctions<M, D> {};

/// All functions of all dtypes, overloaded on the policy's value types: math::Functions<M>::exp(x).
template <class M>
struct Functions : FloatFunctions<M, DType::kF32>,
                   FloatFunctions<M, DType::kF64>,
                   IntFunctions<M, DType::kI8>,
                   IntFunctions<M, DType::kU8>,
                   IntFunctions<M, DType::kI16>,
                   IntFunctions<M, DType::kU16>,
                   IntFunctions<M, DType::kI32>,
                   IntFunctions<M, DType::kU32>,
                   IntFunctions<M, DType::kI64>,
                   IntFunctions<M, DType::kU64>,
                   BoolFunctions<M> {
#define HARP_MATH_USING(name, arity)          \
  using FloatFunctions<M, DType::kF32>::name; \
  using FloatFunctions<M, DType::kF64>::name;
  HARP_MATH_FUNCTIONS(HARP_MATH_USING)
  HARP_MATH_PREDICATES(HARP_MATH_USING)
#undef HARP_MATH_USING
#define HARP_MATH_USING(name, arity)        \
  using IntFunctions<M, DType::kI8>::name;  \
  using IntFunctions<M, DType::kU8>::name;  \
  using IntFunctions<M, DType::kI16>::name; \
  using IntFunctions<M, DType::kU16>::name; \
  using IntFunctions<M, DType::kI32>::name; \
  using IntFunctions<M, DType::kU32>::name; \
  using IntFunctions<M, DType::kI64>::name; \
  using IntFunctions<M, DType::kU64>::name;
  HARP_MATH_INT_FUNCTIONS(HARP_MATH_USING)
#undef HARP_MATH_USING
  using BoolFunctions<M>::maximum;
  using BoolFunctions<M>::minimum;
};

}  // namespace harp::math

#undef HARP_MATH_TYPES

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
