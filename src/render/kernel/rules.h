// Defines how each elementwise op is written in C: one rule (a row of kRules) for an op and the dtypes for which it is written in the same
// way. Ops that ops/math.h defines bit for bit (kFunction) are written as calls and need no rule. If another op has no rule, this file does
// not compile.
//
// Placeholders in patterns: $a, $b and $c are the operands, $1 is the number one, and $f is the suffix of a builtin for this float type
// ("f" or ""). $t is the operand's C type, $u the unsigned type of the same width, and $w the width in bits minus one.
#pragma once

#include <iterator>
#include <string_view>

#include "ops/ops.h"
#include "render/text/operand.h"

namespace harp::render {

enum class Form : uint8_t {
  kOperator,      // `pattern` is an expression with this `precedence`, for scalars and vectors; `mask_pattern` is the expression for masks
  kHelper,        // `pattern` is the body of an inline function for scalars; for vectors a loop over the lanes calls the function
  kVectorHelper,  // like kHelper, but the body is also correct for vectors
  kPredicate,     // like kVectorHelper, with a bool result
  kShift,         // like kHelper; if the count is known to be less than the width, the code has the plain operator instead
  kSelect,
  kCast,
  kBitcast,
};

/// The kinds of dtypes to which a rule applies. A rule with kWraps, which is used in addition to kInts, applies only to integers whose
/// overflow is undefined in C: signed integers, and u16, which C multiplies as int. It is for dialects whose compilers have no option like
/// -fwrapv.
enum Kinds : uint8_t { kBools = 1, kInts = 2, kFloats = 4, kNumbers = 6, kAll = 7, kWraps = 8 };

struct Rule {
  Op op;
  uint8_t kinds;
  Form form;
  int precedence = kPrimary;
  std::string_view pattern = {};
  int mask_precedence = kPrimary;
  std::string_view mask_pattern = {};
};

inline constexpr Rule kRules[] = {
    {Op::kNeg, kNumbers, Form::kOperator, kUnary, "-$a"},
    {Op::kRecip, kFloats, Form::kOperator, kProduct, "$1 / $a"},
    {Op::kAbs, kInts, Form::kVectorHelper, kPrimary, "($a ^ ($a >> $w)) - ($a >> $w)"},
    {Op::kAbs, kFloats, Form::kHelper, kPrimary, "__builtin_fabs$f($a)"},
    {Op::kSqrt, kFloats, Form::kHelper, kPrimary, "__builtin_sqrt$f($a)"},
    {Op::kFloor, kFloats, Form::kHelper, kPrimary, "__builtin_floor$f($a)"},
    {Op::kCeil, kFloats, Form::kHelper, kPrimary, "__builtin_ceil$f($a)"},
    {Op::kTrunc, kFloats, Form::kHelper, kPrimary, "__builtin_trunc$f($a)"},
    {Op::kRound, kFloats, Form::kHelper, kPrimary, "__builtin_rint$f($a)"},
    {Op::kIsNan, kFloats, Form::kPredicate, kPrimary, "$a != $a"},
    {Op::kBitNot, kInts, Form::kOperator, kUnary, "~$a"},
    {Op::kBitNot, kBools, Form::kOperator, kUnary, "!$a", kUnary, "~$a"},
    {Op::kAdd, kNumbers, Form::kOperator, kSum, "$a + $b"},
    {Op::kMul, kNumbers, Form::kOperator, kProduct, "$a * $b"},
    // A division of integers occurs only in functions of the IR. (The same is true of the remainder, kFmod.)
    {Op::kDiv, kNumbers, Form::kOperator, kProduct, "$a / $b"},
    // The remainder of integers occurs only in functions of the IR, which exclude division by zero and overflow.
    {Op::kFmod, kInts, Form::kOperator, kProduct, "$a % $b"},
    {Op::kLt, kNumbers, Form::kOperator, kRelational, "$a < $b"},
    {Op::kLe, kNumbers, Form::kOperator, kRelational, "$a <= $b"},
    {Op::kEq, kNumbers, Form::kOperator, kEquality, "$a == $b"},
    {Op::kNe, kNumbers, Form::kOperator, kEquality, "$a != $b"},
    {Op::kLt, kBools, Form::kOperator, kLogicalAnd, "!$a && $b", kAnd, "~$a & $b"},
    {Op::kLe, kBools, Form::kOperator, kLogicalOr, "!$a || $b", kOr, "~$a | $b"},
    {Op::kEq, kBools, Form::kOperator, kEquality, "$a == $b", kEquality, "$a == $b"},
    {Op::kNe, kBools, Form::kOperator, kEquality, "$a != $b", kXor, "$a ^ $b"},
    {Op::kBitAnd, kBools, Form::kOperator, kLogicalAnd, "$a && $b", kAnd, "$a & $b"},
    {Op::kBitAnd, kInts, Form::kOperator, kAnd, "$a & $b"},
    {Op::kBitOr, kBools, Form::kOperator, kLogicalOr, "$a || $b", kOr, "$a | $b"},
    {Op::kBitOr, kInts, Form::kOperator, kOr, "$a | $b"},
    {Op::kBitXor, kBools, Form::kOperator, kEquality, "$a != $b", kXor, "$a ^ $b"},
    {Op::kBitXor, kInts, Form::kOperator, kXor, "$a ^ $b"},
    {Op::kShl, kInts, Form::kShift, kPrimary, "($t)(($u)$a << ($b & $w))"},
    {Op::kShr, kInts, Form::kShift, kPrimary, "$a >> ($b & $w)"},
    {Op::kWhere, kAll, Form::kSelect},
    {Op::kFma, kFloats, Form::kHelper, kPrimary, "__builtin_fma$f($a, $b, $c)"},
    {Op::kCast, kAll, Form::kCast},
    {Op::kBitcast, kAll, Form::kBitcast},
};

inline constexpr size_t kNoRule = std::size(kRules);

constexpr uint8_t kind_of(DType dtype) {
  if (is_bool(dtype)) return kBools;
  if (is_float(dtype)) return kFloats;
  return is_signed_int(dtype) || dtype == DType::kU16 ? kInts | kWraps : kInts;
}

/// Returns the index in kRules of the rule for an op and a dtype. It does not return a pointer, because with UBSan a comparison of pointers
/// is no constant expression.
constexpr size_t rule_index(Op op, DType dtype) {
  size_t row = 0;
  while (row != kNoRule && (kRules[row].op != op || (kRules[row].kinds & kind_of(dtype)) == 0)) ++row;
  return row;
}

constexpr const Rule* rule_of(Op op, DType dtype) {
  const size_t row = rule_index(op, dtype);
  return row == kNoRule ? nullptr : &kRules[row];
}

consteval bool every_op_has_a_rule() {
  for (int op = 0; op < kOpCount; ++op)
    for (int dtype = 0; dtype < kDTypeCount; ++dtype) {
      const Op o = static_cast<Op>(op);
      const DType d = static_cast<DType>(dtype);
      const bool needed = is_elementwise(o) && info(d).in_graph && has_nodes_of(o, d) && (info(o).flags & kFunction) == 0;
      if (needed && rule_index(o, d) == kNoRule) return false;
    }
  return true;
}
static_assert(every_op_has_a_rule(), "an op of ops.def has neither a rule in rules.h nor a function in ops/math.h");

}  // namespace harp::render
