#include "render/kernel/expression.h"

#include <algorithm>

#include "base/error.h"
#include "ops/math_coefficients.h"
#include "render/c/types.h"

namespace harp::render {

using ir::UKind;
using ir::UOp;

namespace {

Text literal_text(const Scalar& value) {
  const Literal l = literal(value);
  if (l.text.find(' ') != std::string::npos) return {l.text, kSum};
  return {l.text, l.negative ? kUnary : kPrimary};
}

/// Returns the literal to subtract instead of adding this constant, if the constant is negative, or would be as a signed integer; else
/// empty.
std::string negated_text(const Scalar& value) {
  if (is_int(value.dtype) && !is_signed_int(value.dtype)) {
    const int width = bits_of_dtype(value.dtype);
    const Scalar opposite = scalar_from_int(value.dtype, -static_cast<WideInt>(value.bits[0]));
    return value.bits[0] >> (width - 1) != 0 && opposite != value ? literal_text(opposite).text : std::string();
  }
  const Text text = literal_text(value);
  return text.precedence == kUnary ? text.text.substr(1) : std::string();
}

/// Returns the lowest precedence an operand needs to stand without brackets. Only sums and products nest without brackets.
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

std::string substitute_pattern(std::string_view pattern, std::span<const std::string> operands, DType dtype) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '$') {
      out += pattern[i];
      continue;
    }
    const char what = pattern[++i];
    if (what == '1')
      append(out, literal(is_float(dtype) ? scalar_from_double(dtype, 1) : scalar_from_int(dtype, 1)).text);
    else
      append(out, operands[static_cast<size_t>(what - 'a')]);
  }
  return out;
}

bool is_small(Sym step) {
  constexpr int64_t kSmall = 1 << 20;
  return step.is_constant() && step.constant() < kSmall && step.constant() > -kSmall;
}

/// Returns the natural width for two combined masks. Masks from memory (8 bits) adapt to masks of comparisons, and wide masks to narrow
/// ones.
int narrower(int a, int b) {
  if (a == kOneBitALane || b == kOneBitALane) return kOneBitALane;
  if (a == 0 || b == 0) return std::max(a, b);
  if (a == 8 || b == 8) return std::max(a, b);
  return std::min(a, b);
}

/// Tests whether the compiler could find a fused multiply-add in this value.
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

bool Expressions::is_uniform(const UOp* u) const {
  return context_.kernel == nullptr ? context_.lanes > 1 && u->kind == UKind::kConst : u->kind == UKind::kSplat;
}

Text Expressions::uniform(const UOp* u) const { return u->kind == UKind::kSplat ? (*this)(u->sources[0]) : literal_text(u->value); }

Text Expressions::beside_vector(const UOp* u) const {
  const Text text = uniform(u);
  const DType dtype = u->type.dtype;
  if (!is_int(dtype) || size_of(dtype) >= 4 || text.precedence >= kUnary) return text;
  return {cat("(", value_type(dtype), ")", bracket(text, kUnary)), kUnary};
}

std::string Expressions::type(const UOp* u) const {
  const int n = lanes(u);
  if (n == 1 || !is_bool(u->type.dtype)) return unit_.type(u->type.dtype, n);
  const int bits = mask_bits(u);
  return unit_.mask(bits == 0 ? 32 : bits, n);
}

Text Expressions::operator()(const UOp* u) const {
  if (const NamedValue* named = names_.find(u)) return {named->name, kPrimary, named->mask_bits};
  return computation(u);
}

Text Expressions::whole(const UOp* u) const {
  const int n = lanes(u);
  if (n == 1 || !is_uniform(u)) return (*this)(u);
  if (is_bool(u->type.dtype)) return {cat(unit_.splat_mask(32, n), "(", uniform(u).text, ")"), kPrimary, 32};
  const DType dtype = u->type.dtype;
  return {cat(context_.holds_constants && is_float(dtype) ? unit_.held(dtype, n) : unit_.splat(dtype, n), "(", uniform(u).text, ")"),
          kPrimary};
}

std::string Expressions::mask(const UOp* u, int bits, int precedence) const {
  const int n = lanes(u);
  if (is_uniform(u)) return cat(unit_.splat_mask(bits, n), "(", uniform(u).text, ")");
  const Text text = (*this)(u);
  if (text.mask_bits == bits) return bracket(text, precedence);
  return unit_.convert_mask(text.text, text.mask_bits, bits, n);
}

int Expressions::mask_bits(const UOp* u) const {
  if (const NamedValue* named = names_.find(u)) return named->mask_bits;
  if (is_uniform(u)) return 0;
  switch (u->kind) {
    case UKind::kLoad:
    case UKind::kGather: return 8;
    case UKind::kCall: return Unit::mask_bits_of(*u->function);
    case UKind::kInRange: return is_first_lanes(u) ? kOneBitALane : 32;
    case UKind::kAlu: {
      if (!is_bool(u->sources[0]->type.dtype)) return unit_.comparison_bits(u->sources[0]->type.dtype, lanes(u));
      int bits = 0;
      for (const UOp* s : u->sources) bits = narrower(bits, mask_bits(s));
      return bits;
    }
    default: return 32;
  }
}

bool Expressions::is_first_lanes(const UOp* in_range) const {
  return in_range->lane_step.is_constant(-1) && unit_.has_bit_masks(lanes(in_range));
}

Text Expressions::computation(const UOp* u) const {
  switch (u->kind) {
    case UKind::kConst: return lanes(u) > 1 ? whole(u) : literal_text(u->value);
    case UKind::kSplat: return whole(u);
    case UKind::kParam: return {context_.parameters[static_cast<size_t>(u->buffer)], kPrimary};
    case UKind::kIndex:
      if (lanes(u) == 1) return position_(u->index);
      return {cat(unit_.ramp(DType::kI64, lanes(u)), "(", position_(u->index).text, ", ", position_(u->lane_step).text, ")"), kPrimary};
    case UKind::kInRange:
      if (lanes(u) == 1) return position_.is_nonnegative(u->index);
      if (is_first_lanes(u)) {
        if (!u->index.is_constant())
          return {cat(unit_.first_lanes(lanes(u)), "(", position_(u->index + 1).text, ")"), kPrimary, kOneBitALane};
        const int64_t count = std::clamp<int64_t>(u->index.constant() + 1, 0, lanes(u));
        return {cat((1u << count) - 1), kPrimary, kOneBitALane};
      }
      return {cat(unit_.in_range(lanes(u), is_small(u->lane_step)), "(", position_(u->index).text, ", ", position_(u->lane_step).text, ")"),
              kPrimary, 32};
    case UKind::kLoad:
    case UKind::kGather: return read(u);
    case UKind::kCheck: return check(u);
    case UKind::kAcc: return acc(u);
    case UKind::kAlu: return alu(u);
    case UKind::kCall: return call(u);
    case UKind::kLineOffset: {
      const auto parameter = static_cast<size_t>(u->buffer);
      const std::string& array = context_.parameters[parameter];
      const std::string place = u->index.is_constant(0) ? array : cat("(", array, " + ", bracket(position_(u->index), kSum), ")");
      return {cat("(int64_t)((size_t)", place, " % ", kLineBytes, " / ", size_of(context_.kernel->params[parameter].dtype), ")"), kUnary};
    }
    case UKind::kTable: {
      const std::string name = unit_.table_element(*u->table, lanes(u));
      if (lanes(u) > 1) return {cat(name, "(", whole(u->sources[0]).text, ")"), kPrimary};
      const bool low_bits = u->table->values.size() == kPermutedTable;
      return {cat(name, "[", low_bits ? cat(bracket((*this)(u->sources[0]), kSum), " & 15") : whole(u->sources[0]).text, "]"), kPrimary};
    }
    case UKind::kRarely: break;  // always has a name; the line renderer writes it as statements
  }
  fail(Code::kInternal, "a rare call inside an expression");
}

const UOp* Expressions::negated_sum(const UOp* u) const {
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
  return source != nullptr && may_be_multiply_add(context_.kernel, source) ? source : nullptr;
}

Text Expressions::alu(const UOp* u) const {
  if (const UOp* sum = negated_sum(u)) return {cat(unit_.negation(u->type.dtype, lanes(u)), "(", whole(sum).text, ")"), kPrimary};
  const Rule* rule = rule_of(u->op, u->sources.back()->type.dtype);
  HARP_ASSERT(rule != nullptr, "no rule for ", name(u->op), " of ", name(u->sources.back()->type.dtype));
  switch (rule->form) {
    case Form::kSelect: return select(u);
    case Form::kCast: return cast(u);
    case Form::kBitcast: return bitcast(u);
    case Form::kShift:
      if (is_count_in_range(u)) return operators(u, {u->op, kInts, Form::kOperator, kShift, u->op == Op::kShl ? "$a << $b" : "$a >> $b"});
      [[fallthrough]];
    case Form::kHelper:
    case Form::kVectorHelper:
    case Form::kPredicate: {
      if (rule->form == Form::kPredicate && unit_.has_predicates(u->sources[0]->type.dtype, lanes(u))) return comparison(u);
      const std::string name = unit_.helper(*rule, u->sources[0]->type.dtype, lanes(u));
      const int bits = rule->form == Form::kPredicate && lanes(u) > 1 ? bits_of_dtype(u->sources[0]->type.dtype) : 0;
      return {cat(name, "(", arguments(u->sources), ")"), kPrimary, bits};
    }
    case Form::kOperator: break;
  }
  if (lanes(u) > 1 && is_bool(u->sources[0]->type.dtype)) return masks(u, *rule);
  return is_bool(u->type.dtype) && unit_.has_predicates(u->sources[0]->type.dtype, lanes(u)) ? comparison(u) : operators(u, *rule);
}

/// Tests whether a shift count is in range: inside functions always, elsewhere if it is a suitable constant.
bool Expressions::is_count_in_range(const UOp* shift) const {
  if (context_.kernel == nullptr) return true;
  const UOp* count = shift->sources[1]->kind == UKind::kSplat ? shift->sources[1]->sources[0] : shift->sources[1];
  return count->kind == UKind::kConst && count->value.bits[0] < size_of(shift->type.dtype) * 8;
}

Text Expressions::operators(const UOp* u, const Rule& rule) const {
  const int n = lanes(u);
  std::vector<const UOp*> sources = u->sources;
  std::string_view pattern = rule.pattern;
  // a + (-b) and a - b are the same operation
  std::string negated;
  if (u->op == Op::kAdd) {
    const auto is_negation = [&](const UOp* s) { return s->kind == UKind::kAlu && s->op == Op::kNeg && names_.find(s) == nullptr; };
    const auto constant = [&](const UOp* s) {
      const UOp* one = s->kind == UKind::kSplat ? s->sources[0] : s;
      return one->kind == UKind::kConst ? &one->value : nullptr;
    };
    if (is_negation(sources[0]) && !is_negation(sources[1])) std::swap(sources[0], sources[1]);
    if (is_negation(sources[1])) {
      sources[1] = sources[1]->sources[0];
      pattern = "$a - $b";
    } else if (const Scalar* c = constant(sources[1])) {
      negated = negated_text(*c);
      if (!negated.empty()) pattern = "$a - $b";
    }
  }
  const bool all_uniform = std::all_of(sources.begin(), sources.end(), [&](const UOp* s) { return is_uniform(s); });
  std::vector<std::string> operands;
  for (size_t i = 0; i < sources.size(); ++i) {
    Text text;
    if (i == 1 && !negated.empty())
      text = {negated, kPrimary};
    else if (n > 1 && is_uniform(sources[i]))
      text = (all_uniform && i == 0) || (context_.holds_constants && is_float(sources[i]->type.dtype)) ? whole(sources[i])
                                                                                                       : beside_vector(sources[i]);
    else
      text = (*this)(sources[i]);
    const bool negated_first = i == 0 && pattern[0] == '!';
    const int needed = negated_first ? int{kUnary} : operand_precedence(rule.precedence, i == 0 && rule.op != Op::kRecip);
    const bool minus = text.text.starts_with('-') && (rule.precedence == kUnary || (rule.precedence == kSum && i > 0));
    const bool misread = text.text.starts_with('!') && rule.precedence == kEquality;  // !a == b would be misread
    operands.push_back(minus || misread ? cat("(", text.text, ")") : bracket(text, needed));
  }
  const DType operand = sources[0]->type.dtype;
  const bool compares = n > 1 && is_bool(u->type.dtype);
  const Text result{substitute_pattern(pattern, operands, operand), rule.precedence, compares ? bits_of_dtype(operand) : 0};
  // C computes 8-bit and 16-bit integers as int
  const bool may_leave = u->op != Op::kBitAnd && u->op != Op::kBitOr && u->op != Op::kBitXor && u->op != Op::kShr;
  if (n > 1 || !is_int(u->type.dtype) || size_of(u->type.dtype) >= 4 || !may_leave) return result;
  return {cat("(", value_type(u->type.dtype), ")", bracket(result, kUnary)), kUnary};
}

/// Writes a comparison whose mask has one bit a lane.
Text Expressions::comparison(const UOp* u) const {
  return {cat(unit_.comparison(u->op, u->sources[0]->type.dtype, lanes(u)), "(", arguments(u->sources), ")"), kPrimary, kOneBitALane};
}

Text Expressions::masks(const UOp* u, const Rule& rule) const {
  int bits = mask_bits(u);
  if (bits == 0) bits = 32;
  std::vector<std::string> operands;
  for (const UOp* s : u->sources) operands.push_back(mask(s, bits, kUnary));
  if (bits == kOneBitALane && u->op == Op::kEq) return {cat("~(", operands[0], " ^ ", operands[1], ")"), kUnary, bits};
  return {substitute_pattern(rule.mask_pattern, operands, DType::kBool), rule.mask_precedence, bits};
}

Text Expressions::select(const UOp* u) const {
  const int n = lanes(u);
  const DType dtype = u->type.dtype;
  if (n == 1) {
    const auto part = [&](int i) { return bracket((*this)(u->sources[static_cast<size_t>(i)]), kSum); };
    return {cat(bracket((*this)(u->sources[0]), kRelational), " ? ", part(1), " : ", part(2)), kConditional};
  }
  if (is_bool(dtype)) {
    const int bits = mask_bits(u) == 0 ? 32 : mask_bits(u);
    return {cat(unit_.select_mask(bits, n), "(", mask(u->sources[0], bits), ", ", mask(u->sources[1], bits), ", ",
                mask(u->sources[2], bits), ")"),
            kPrimary, bits};
  }
  const std::string chosen = cat(whole(u->sources[1]).text, ", ", whole(u->sources[2]).text, ")");
  const UOp *condition = u->sources[0], *a = u->sources[1], *b = u->sources[2];
  if (condition->kind == UKind::kAlu && condition->op == Op::kLt && names_.find(condition) == nullptr) {
    const bool first = condition->sources[0] == a && condition->sources[1] == b;
    const bool second = condition->sources[0] == b && condition->sources[1] == a;
    if (first || second)
      if (const std::string name = unit_.first_if_less(second, dtype, n); !name.empty()) return {cat(name, "(", chosen), kPrimary};
  }
  if (unit_.has_predicates(dtype, n)) return {cat(unit_.blend(dtype, n), "(", mask(condition, kOneBitALane), ", ", chosen), kPrimary};
  return {cat(unit_.select(dtype, n), "(", mask(condition, bits_of_dtype(dtype)), ", ", chosen), kPrimary};
}

Text Expressions::cast(const UOp* u) const {
  const UOp* source = u->sources[0];
  const DType from = source->type.dtype, to = u->type.dtype;
  const int n = lanes(u);
  const auto zero = [&] { return literal(is_float(from) ? scalar_from_double(from, 0) : scalar_from_int(from, 0)).text; };
  if (is_bool(to) && unit_.has_predicates(from, n))
    return {cat(unit_.comparison(Op::kNe, from, n), "(", whole(source).text, ", ", unit_.splat(from, n), "(", zero(), "))"), kPrimary,
            kOneBitALane};
  if (is_bool(to)) return {cat(bracket(whole(source), kSum), " != ", zero()), kEquality, n > 1 ? bits_of_dtype(from) : 0};
  if (is_float(from) && is_int(to) && context_.kernel != nullptr)
    return {cat(unit_.cast(from, to, n), "(", whole(source).text, ")"), kPrimary};
  if (n == 1) return {cat("(", unit_.type(to, 1), ")", bracket((*this)(source), kUnary)), kUnary};
  if (is_bool(from)) {
    const Text bit{cat(mask(source, bits_of_dtype(to), kUnary), " & 1"), kAnd};
    if (is_signed_int(to)) return bit;
    if (is_int(to)) return {cat("(", unit_.type(to, n), ")(", bit.text, ")"), kUnary};
    return {cat("__builtin_convertvector(", bit.text, ", ", unit_.type(to, n), ")"), kPrimary};
  }
  // positions converted to i32: the ramp wraps to the same bits whether it is computed in 64 or 32 bits
  if (source->kind == UKind::kIndex && to == DType::kI32 && names_.find(source) == nullptr)
    return {cat(unit_.ramp(to, n), "((int32_t)", bracket(position_(source->index), kUnary), ", (int32_t)",
                bracket(position_(source->lane_step), kUnary), ")"),
            kPrimary};
  if (is_int(from) && is_int(to) && size_of(from) == size_of(to))
    return {cat("(", unit_.type(to, n), ")", bracket(whole(source), kUnary)), kUnary};
  std::string text = whole(source).text;
  // gcc 12 finds no instruction for i32x16 to f64x16 at -O0; vectors that span two registers need not be fast
  constexpr size_t kLargestRegister = 64;
  if (is_float(to) && static_cast<size_t>(n) * size_of(to) > kLargestRegister)
    return {cat(unit_.cast_by_lanes(from, to, n), "(", text, ")"), kPrimary};
  // convert through integers of the float's width, as the instructions do: from narrower integers gcc would convert lane by lane
  if (is_int(from) && is_float(to) && size_of(from) < 4)
    text = cat("__builtin_convertvector(", text, ", ", unit_.type(DType::kI32, n), ")");
  return {cat("__builtin_convertvector(", text, ", ", unit_.type(to, n), ")"), kPrimary};
}

Text Expressions::bitcast(const UOp* u) const {
  const UOp* source = u->sources[0];
  const DType from = source->type.dtype, to = u->type.dtype;
  if (from == to || (lanes(u) == 1 && value_type(from) == value_type(to))) return whole(source);
  HARP_ASSERT(!is_bool(from) && !is_bool(to), "bitcast of bool");
  const bool canonical = context_.kernel != nullptr && is_float(from) && !is_half(from);
  if (lanes(u) == 1 || canonical) return {cat(unit_.bits_of(from, to, lanes(u), canonical), "(", whole(source).text, ")"), kPrimary};
  return {cat("(", unit_.type(to, lanes(u)), ")", bracket(whole(source), kUnary)), kUnary};
}

/// Writes a load, or a gather with one position for all lanes. They differ only in the offset that is added to the address.
Text Expressions::read(const UOp* u) const {
  const int n = lanes(u);
  const DType dtype = u->type.dtype;
  Address at = address(u->buffer, u->index);
  if (const std::string* source = names_.find_source(u)) at.pointer = *source;
  if (u->kind == UKind::kGather) {
    if (lanes(u->sources[0]) > 1) return gather_lanes(u, at);
    at.offset = offset(u->sources[0], u->stride);
  }
  const UOp* guard = ir::mask_of(u);
  if (n == 1) {
    const Text element{is_bool(dtype) ? cat(element_text(at), " != 0") : element_text(at), is_bool(dtype) ? int{kEquality} : int{kPrimary}};
    if (guard == nullptr) return element;
    const Scalar zero{dtype, {0, 0}};
    return {cat(bracket((*this)(guard), kRelational), " ? ", element.text, " : ", literal(zero).text), kConditional};
  }
  const std::string pointer = pointer_text(at);
  std::string text;
  if (guard == nullptr && u->lane_step.is_constant(1))
    text = cat("*(const ", unit_.memory_vector(dtype, n), "*)", at.is_pointer() ? pointer : cat("(", pointer, ")"));
  else if (guard == nullptr && u->lane_step.is_constant(-1))
    text = cat(unit_.load_reversed(dtype, n), "(", pointer, ")");
  else if (guard == nullptr && u->lane_step.is_constant(2))
    text = cat(unit_.load_every_second(dtype, n), "(", pointer, ")");
  else {
    const bool strided = !u->lane_step.is_constant(1);
    text = cat(unit_.load(dtype, n, strided, guard != nullptr), "(", pointer);
    if (strided) append(text, cat(", ", position_(u->lane_step).text));
    const bool by_bits = !strided && unit_.has_masked_load(dtype, n);
    if (guard != nullptr) append(text, cat(", ", mask(guard, by_bits ? kOneBitALane : bits_of_dtype(dtype))));
    text += ")";
  }
  if (is_bool(dtype)) return {cat(text, " != 0"), kEquality, 8};
  return {text, text[0] == '*' ? int{kUnary} : int{kPrimary}};
}

Text Expressions::gather_lanes(const UOp* u, const Address& at) const {
  const int n = lanes(u);
  const DType dtype = u->type.dtype;
  const UOp *position = u->sources[0], *guard = ir::mask_of(u);
  const Unit::GatherForm form{dtype, position->type.dtype, !u->stride.is_constant(1), !u->lane_step.is_constant(0), guard != nullptr};
  std::string text = cat(unit_.gather(form, n), "(", pointer_text(at), ", ", whole(position).text);
  if (form.strided) append(text, cat(", ", position_(u->stride).text));
  if (form.steps) append(text, cat(", ", position_(u->lane_step).text));
  if (form.masked) append(text, cat(", ", mask(guard, bits_of_dtype(dtype))));
  text += ")";
  if (is_bool(dtype)) return {cat(text, " != 0"), kEquality, 8};
  return {text, kPrimary};
}

Expressions::Address Expressions::scattered(int buffer, Sym index, const UOp* position, Sym stride) const {
  Address at = address(buffer, index);
  at.offset = offset(position, stride);
  return at;
}

Text Expressions::check(const UOp* u) const {
  const int n = lanes(u);
  const UOp* guard = ir::mask_of(u);
  std::string text = cat(unit_.check(n, guard != nullptr), "(fault, ", u->buffer, ", ", position_(u->index).text);
  if (n > 1) append(text, cat(", ", position_(u->lane_step).text));
  for (size_t i = 0; i < 3; ++i) append(text, cat(", ", whole(u->sources[i]).text));
  if (guard != nullptr) append(text, cat(", ", n > 1 ? mask(guard, 64) : (*this)(guard).text));
  return {cat(text, ")"), kPrimary};
}

/// Returns position * stride, computed in 64 bits.
std::string Expressions::offset(const UOp* position, Sym stride) const {
  const Text text = (*this)(position);
  if (stride.is_constant(1)) return bracket(text, kSum);
  return cat(position->type.dtype == DType::kI32 ? "(int64_t)" : "", bracket(text, kUnary), " * ", bracket(position_(stride), kUnary));
}

Text Expressions::acc(const UOp* u) const {
  const int n = lanes(u);
  const bool each_lane = context_.kernel->accumulators[static_cast<size_t>(u->buffer)].type.lanes > 1;
  if ((n == 1 || each_lane) && u->index.is_constant(0))
    if (const std::string* name = names_.find_folded(u->buffer)) return {*name, kPrimary};
  if (n > 1 && !each_lane && !u->lane_step.is_constant(1)) {
    const std::string text = cat(unit_.load(u->type.dtype, n, true, false), "(", pointer_text(place(u->buffer, u->index)), ", ",
                                 position_(u->lane_step).text, ")");
    return {text, kPrimary};
  }
  const std::string text = accumulator(u->buffer, u->index, n);
  return {text, text[0] == '*' ? int{kUnary} : int{kPrimary}};
}

Text Expressions::call(const UOp* u) const {
  const int bits = is_bool(u->type.dtype) && lanes(u) > 1 ? Unit::mask_bits_of(*u->function) : 0;
  return {cat(unit_.function(*u->function, lanes(u)), "(", arguments(u->sources), ")"), kPrimary, bits};
}

std::string Expressions::arguments(const std::vector<const UOp*>& sources) const {
  return join(sources, ", ", [&](const UOp* s) { return whole(s).text; });
}

Expressions::Address Expressions::address(int buffer, Sym index, const SymAtom* innermost) const {
  ir::SplitIndex split = ir::split_index(index, innermost);
  const std::string& name = context_.parameters[static_cast<size_t>(buffer)];
  if (split.row.empty()) return {name, std::move(split.rest)};
  if (const std::string* row = names_.find_pointer(buffer, split.row)) return {*row, std::move(split.rest)};
  return {name, ir::terms_of(index)};
}

std::string Expressions::pointer_text(const Address& at) const {
  const std::string pointer = at.offset.empty() ? at.pointer : cat(at.pointer, " + ", at.offset);
  if (at.rest.empty() && at.rest.constant == 0) return pointer;
  const Text rest = position_(at.rest);
  if (rest.text[0] == '-' && rest.precedence == kUnary) return cat(pointer, " - ", rest.text.substr(1));
  return cat(pointer, " + ", bracket(rest, kSum));
}

std::string Expressions::element_text(const Address& at) const {
  const bool is_offset = !at.offset.empty() && at.rest.empty() && at.rest.constant == 0;
  const std::string rest = is_offset ? std::string() : position_(at.rest).text;
  return cat(at.pointer, "[", at.offset, at.offset.empty() || is_offset ? "" : " + ", rest, "]");
}

std::string Expressions::name_of(int accumulator) const {
  return cat(context_.kernel->accumulators[static_cast<size_t>(accumulator)].is_row ? "row" : "acc", accumulator);
}

Expressions::Address Expressions::place(int accumulator, Sym index) const {
  ir::Terms all = ir::terms_of(index);
  ir::Terms row = all;
  row.constant = 0;
  if (const std::string* pointer = names_.find_pointer(static_cast<int>(context_.parameters.size()) + accumulator, row))
    return {*pointer, {{}, all.constant}};
  return {name_of(accumulator), std::move(all)};
}

std::string Expressions::accumulator(int accumulator, Sym index, int lanes) const {
  const ir::Accumulator& a = context_.kernel->accumulators[static_cast<size_t>(accumulator)];
  const AccumulatorLayout& layout = context_.accumulators[static_cast<size_t>(accumulator)];
  const std::string name = name_of(accumulator);
  if (lanes == 1 && a.type.lanes > 1) return cat(name, "[0]");
  if (lanes != layout.lanes) {
    HARP_ASSERT(layout.lanes == 1, "one lane of an accumulator of vectors");
    const Address at = place(accumulator, index);
    return cat("*(", unit_.type(a.type.dtype, lanes), "*)", at.is_pointer() ? at.pointer : cat("(", pointer_text(at), ")"));
  }
  if (layout.size == 1) return name;
  if (layout.lanes == 1) return element_text(place(accumulator, index));
  const Sym slot = a.type.lanes == 1 ? floor_div(index, layout.lanes) : index;
  return cat(name, "[", position_(slot).text, "]");
}

}  // namespace harp::render
