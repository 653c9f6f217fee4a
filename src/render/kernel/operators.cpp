#include "render/kernel/operators.h"

#include <algorithm>

#include "base/error.h"

namespace harp::render {

using ir::UKind;
using ir::UOp;

namespace {

/// Returns the negation of a negative constant as a literal, so that the addition of the constant can be written as a subtraction. A
/// constant of an unsigned type counts as negative if the signed integer with the same bits is negative. Returns "" for all other
/// constants.
std::string negated_text(const Dialect& dialect, const Scalar& value) {
  if (is_int(value.dtype) && !is_signed_int(value.dtype)) {
    const int width = static_cast<int>(size_of(value.dtype)) * 8;
    const Scalar opposite = scalar_from_int(value.dtype, -static_cast<WideInt>(value.bits[0]));
    return value.bits[0] >> (width - 1) != 0 && opposite != value ? literal_text(dialect, opposite).text : std::string();
  }
  const Text text = literal_text(dialect, value);
  return text.precedence == kUnary ? text.text.substr(1) : std::string();
}

/// Returns the lowest precedence with which an operand of an operator needs no brackets. Operands that are sums or products may stand
/// without brackets; other operands have brackets even where C does not require them.
int operand_precedence(int precedence, bool first) {
  switch (precedence) {
    case kSum: return first ? kSum : kProduct;
    case kProduct: return first ? kProduct : kUnary;
    case kRelational:
    case kEquality: return kSum;
    case kLogicalAnd:
    case kLogicalOr: return kOr;
    default: return kUnary;
  }
}

/// Tests whether compiled code may compute this value by a fused multiply-add, into which the compiler could merge a negation.
bool may_be_multiply_add(const ir::Kernel* kernel, const UOp* u) {
  switch (u->kind) {
    case UKind::kAcc: return kernel->accumulators[static_cast<size_t>(u->buffer)].combine == Op::kAdd;
    case UKind::kCall:
    case UKind::kParam:
    case UKind::kRarely: return true;
    case UKind::kSplat: return may_be_multiply_add(kernel, u->sources[0]);
    case UKind::kAlu:
      if (u->op == Op::kFma) return true;
      if (u->op != Op::kWhere && u->op != Op::kMax && u->op != Op::kMin) return false;
      return std::any_of(u->sources.begin(), u->sources.end(), [&](const UOp* s) { return may_be_multiply_add(kernel, s); });
    default: return false;
  }
}

}  // namespace

const Rule& rule_for(const Dialect& dialect, Op op, DType dtype) {
  for (const Rule& rule : dialect.rules)
    if (rule.op == op && (rule.kinds & kind_of(dtype)) != 0) return rule;
  const Rule* rule = rule_of(op, dtype);
  HARP_ASSERT(rule != nullptr, "no rule for ", name(op), " of ", name(dtype));
  return *rule;
}

std::string substitute_pattern(const Dialect& dialect, std::string_view pattern, std::span<const std::string> operands, DType dtype) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '$') {
      out += pattern[i];
      continue;
    }
    const char what = pattern[++i];
    if (what == '1')
      append(out, dialect.literal(is_float(dtype) ? scalar_from_double(dtype, 1) : scalar_from_int(dtype, 1)).text);
    else
      append(out, operands[static_cast<size_t>(what - 'a')]);
  }
  return out;
}

Text operators(const Scope& scope, const UOp* u, const Rule& rule,
               const std::function<Text(std::span<const UOp* const> sources, size_t i)>& operand) {
  const Dialect& dialect = scope.unit.dialect;
  const int n = lanes_of(scope, u);
  std::vector<const UOp*> sources = u->sources;
  std::string_view pattern = rule.pattern;
  // a + (-b) is written as a - b, which is the same operation
  std::string negated;
  if (u->op == Op::kAdd) {
    const auto is_negation = [&](const UOp* s) { return s->kind == UKind::kAlu && s->op == Op::kNeg && scope.names.find(s) == nullptr; };
    const auto constant = [&](const UOp* s) {
      const UOp* one = s->kind == UKind::kSplat ? s->sources[0] : s;
      return one->kind == UKind::kConst ? &one->value : nullptr;
    };
    if (is_negation(sources[0]) && !is_negation(sources[1])) std::swap(sources[0], sources[1]);
    if (is_negation(sources[1])) {
      sources[1] = sources[1]->sources[0];
      pattern = "$a - $b";
    } else if (const Scalar* c = constant(sources[1])) {
      negated = negated_text(dialect, *c);
      if (!negated.empty()) pattern = "$a - $b";
    }
  }
  std::vector<std::string> operands;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Text text = i == 1 && !negated.empty() ? Text{negated, kPrimary} : operand(sources, i);
    const bool negated_first = i == 0 && pattern[0] == '!';
    const int needed = negated_first ? int{kUnary} : operand_precedence(rule.precedence, i == 0 && rule.op != Op::kRecip);
    const bool minus = text.text.starts_with('-') && (rule.precedence == kUnary || (rule.precedence == kSum && i > 0));
    // An operand such as !a needs brackets, because compilers warn about !a == b.
    const bool misread = text.text.starts_with('!') && rule.precedence == kEquality;
    operands.push_back(minus || misread ? cat("(", text.text, ")") : bracket(text, needed));
  }
  const DType dtype = sources[0]->type.dtype;
  const bool compares = n > 1 && is_bool(u->type.dtype);
  const Text result{substitute_pattern(dialect, pattern, operands, dtype), rule.precedence,
                    compares ? static_cast<int>(size_of(dtype)) * 8 : 0};
  // C computes 8-bit and 16-bit integers as int, so the result is cast to its own type
  const bool may_leave = u->op != Op::kBitAnd && u->op != Op::kBitOr && u->op != Op::kBitXor && u->op != Op::kShr;
  if (n > 1 || !is_int(u->type.dtype) || size_of(u->type.dtype) >= 4 || !may_leave) return result;
  return {cat("(", dialect.value_type(scope.unit, u->type.dtype, 1), ")", bracket(result, kUnary)), kUnary};
}

bool is_count_in_range(const Scope& scope, const UOp* shift) {
  if (scope.subject.kernel == nullptr) return true;
  const UOp* count = shift->sources[1]->kind == UKind::kSplat ? shift->sources[1]->sources[0] : shift->sources[1];
  return count->kind == UKind::kConst && count->value.bits[0] < size_of(shift->type.dtype) * 8;
}

Rule shift_operator(Op op) { return {op, kInts, Form::kOperator, kShift, op == Op::kShl ? "$a << $b" : "$a >> $b"}; }

const UOp* negated_sum(const Scope& scope, const UOp* u) {
  if (u->type.dtype != DType::kF32 && u->type.dtype != DType::kF64) return nullptr;
  const auto is_minus_one = [](const UOp* s) {
    if (s->kind == UKind::kSplat) s = s->sources[0];
    return s->kind == UKind::kConst && s->value == scalar_from_double(s->value.dtype, -1);
  };
  const UOp* source = nullptr;
  if (u->op == Op::kNeg) source = u->sources[0];
  if (u->op == Op::kMul || u->op == Op::kDiv)
    for (const size_t i : {0, 1})
      if (is_minus_one(u->sources[i]) && (i == 1 || u->op == Op::kMul)) source = u->sources[1 - i];
  return source != nullptr && may_be_multiply_add(scope.subject.kernel, source) ? source : nullptr;
}

}  // namespace harp::render
