#include "render/c/vector_value.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"
#include "ir/interleaved_accesses.h"
#include "render/c/access.h"
#include "render/c/function.h"
#include "render/c/interleave.h"
#include "render/c/masks.h"
#include "render/c/vector_functions.h"
#include "render/kernel/address.h"
#include "render/kernel/operators.h"

namespace harp::render {

using ir::UKind;
using ir::UOp;

namespace {

Text call(const std::string& function, const std::string& arguments, int mask_bits = 0) {
  return {cat(function, "(", arguments, ")"), kPrimary, mask_bits};
}

bool is_small(Sym step) {
  constexpr int64_t kSmall = 1 << 20;
  return step.is_constant() && step.constant() < kSmall && step.constant() > -kSmall;
}

/// Returns which of two mask widths (bits per lane; 0: any) is better for a value that combines two masks of these widths. A mask from
/// memory, with 8 bits, is converted to the width of the other mask. Otherwise the narrower width is chosen.
int narrower(int a, int b) {
  if (a == kOneBitALane || b == kOneBitALane) return kOneBitALane;
  if (a == 0 || b == 0) return std::max(a, b);
  if (a == 8 || b == 8) return std::max(a, b);
  return std::min(a, b);
}

/// Tests whether the condition can be written as a mask with one bit per lane that is set exactly in the first n lanes, for some n.
bool is_first_lanes(const Scope& scope, const UOp* in_range) {
  return in_range->lane_step.is_constant(-1) && has_bit_masks(scope.unit.options, lanes_of(scope, in_range));
}

/// Returns the text of a scalar that is an operand of an operation with a vector. It is cast to exactly the element type, because C
/// promotes the results of 8-bit and 16-bit operations to int.
Text scalar_operand(const Scope& scope, const UOp* u) {
  const Text text = uniform(scope, u);
  const DType dtype = u->type.dtype;
  if (!is_int(dtype) || size_of(dtype) >= 4 || text.precedence >= kUnary) return text;
  return {cat("(", value_type(dtype), ")", bracket(text, kUnary)), kUnary};
}

/// Returns an expression with a C operator on vectors. An operand that is the same in all lanes is written as a scalar; but if all operands
/// are the same in all lanes, the first one is written as a vector. Float operands are always vectors in functions that keep constants in
/// registers.
Text vector_operators(const Scope& scope, const UOp* u, const Rule& rule) {
  return operators(scope, u, rule, [&](std::span<const UOp* const> sources, size_t i) {
    const UOp* source = sources[i];
    if (!is_uniform(scope, source)) return value(scope, source);
    const bool all_uniform = std::all_of(sources.begin(), sources.end(), [&](const UOp* s) { return is_uniform(scope, s); });
    const bool is_vector = (all_uniform && i == 0) || (scope.subject.holds_constants && is_float(source->type.dtype));
    return is_vector ? whole(scope, source) : scalar_operand(scope, source);
  });
}

/// Returns a comparison whose result is a mask with one bit per lane. If `mask`, which must also have one bit per lane, is given, the
/// result is true only in lanes where both the comparison and `mask` are true.
Text comparison(const Scope& scope, const UOp* u, const std::string& mask = {}) {
  const std::string list = arguments(scope, u->sources);
  return call(comparison_function(scope.unit, u->op, u->sources[0]->type.dtype, lanes_of(scope, u), !mask.empty()),
              mask.empty() ? list : cat(mask, ", ", list), kOneBitALane);
}

/// Tests whether the text of the value is to be an expression that comparison() writes. The result is false if a variable already holds the
/// value.
bool is_comparison(const Scope& scope, const UOp* u) {
  if (u->kind != UKind::kAlu || is_bool(u->sources[0]->type.dtype) || scope.names.find(u) != nullptr) return false;
  const Form form = rule_for(scope.unit.dialect, u->op, u->sources.back()->type.dtype).form;
  return (form == Form::kPredicate || form == Form::kOperator) &&
         has_predicates(scope.unit.options, u->sources[0]->type.dtype, lanes_of(scope, u));
}

/// If `u` is a conjunction of comparisons and of a mask in an accumulator, returns it as a mask with one bit per lane; otherwise returns
/// nullopt. Each compare instruction gets the conjunction of the other parts as its mask operand. (gcc 12 would compile the operator & to
/// an instruction on general registers. It takes six cycles to move the mask to a general register and back, in each iteration of a loop
/// that updates the accumulator.)
std::optional<Text> kept_conjunction(const Scope& scope, const UOp* u) {
  std::vector<const UOp*> comparisons, others, left = {u};
  while (!left.empty()) {
    const UOp* part = left.back();
    left.pop_back();
    if (part->kind == UKind::kAlu && part->op == Op::kBitAnd && (part == u || scope.names.find(part) == nullptr))
      left.insert(left.end(), part->sources.rbegin(), part->sources.rend());
    else
      (is_comparison(scope, part) ? comparisons : others).push_back(part);
  }
  const auto is_kept = [](const UOp* part) { return part->kind == UKind::kAcc; };
  if (comparisons.empty() || std::ranges::none_of(others, is_kept)) return std::nullopt;
  std::string mask = join(others, " & ", [&](const UOp* part) { return mask_text(scope, part, kOneBitALane, kUnary); });
  for (const UOp* part : comparisons) mask = comparison(scope, part, mask).text;
  return Text{mask, kPrimary, kOneBitALane};
}

Text mask_operators(const Scope& scope, const UOp* u, const Rule& rule) {
  int bits = natural_mask_bits(scope, u);
  if (bits == 0) bits = 32;
  if (bits == kOneBitALane && u->op == Op::kBitAnd)
    if (const std::optional<Text> text = kept_conjunction(scope, u)) return *text;
  std::vector<std::string> operands;
  for (const UOp* s : u->sources) operands.push_back(mask_text(scope, s, bits, kUnary));
  if (bits == kOneBitALane && u->op == Op::kEq) return {cat("~(", operands[0], " ^ ", operands[1], ")"), kUnary, bits};
  return {substitute_pattern(scope.unit.dialect, rule.mask_pattern, operands, DType::kBool), rule.mask_precedence, bits};
}

Text select(const Scope& scope, const UOp* u) {
  const int n = lanes_of(scope, u);
  const DType dtype = u->type.dtype;
  const UOp *condition = u->sources[0], *a = u->sources[1], *b = u->sources[2];
  const auto mask = [&](const UOp* of, int bits) { return mask_text(scope, of, bits, 0); };
  if (is_bool(dtype)) {
    const int bits = natural_mask_bits(scope, u) == 0 ? 32 : natural_mask_bits(scope, u);
    const std::string third = mask(b, bits), second = mask(a, bits), first = mask(condition, bits);
    return call(select_mask_function(scope.unit, bits, n), cat(first, ", ", second, ", ", third), bits);
  }
  const std::string other = whole(scope, b).text, chosen = cat(whole(scope, a).text, ", ", other);
  if (condition->kind == UKind::kAlu && condition->op == Op::kLt && scope.names.find(condition) == nullptr) {
    const bool first = condition->sources[0] == a && condition->sources[1] == b;
    const bool second = condition->sources[0] == b && condition->sources[1] == a;
    if (first || second)
      if (const std::string name = first_if_less_function(scope.unit, second, dtype, n); !name.empty()) return call(name, chosen);
  }
  const bool blends = has_predicates(scope.unit.options, dtype, n);
  const std::string m = mask(condition, blends ? kOneBitALane : bits_of_dtype(dtype));
  return call(blends ? blend_function(scope.unit, dtype, n) : select_function(scope.unit, dtype, n), cat(m, ", ", chosen));
}

/// Returns the conversion of numbers to bools, which tests whether they differ from zero.
Text cast_to_bools(const Scope& scope, const UOp* source) {
  const DType from = source->type.dtype;
  const int n = lanes_of(scope, source);
  const std::string zero = zero_text(scope.unit.dialect, from);
  if (!has_predicates(scope.unit.options, from, n))
    return {cat(bracket(whole(scope, source), kSum), " != ", zero), kEquality, bits_of_dtype(from)};
  const std::string zeros = cat(splat_function(scope.unit, from, n), "(", zero, ")"), text = whole(scope, source).text;
  return call(comparison_function(scope.unit, Op::kNe, from, n), cat(text, ", ", zeros), kOneBitALane);
}

Text cast(const Scope& scope, const UOp* u) {
  Unit& unit = scope.unit;
  const UOp* source = u->sources[0];
  const DType from = source->type.dtype, to = u->type.dtype;
  const int n = lanes_of(scope, u);
  if (is_bool(to)) return cast_to_bools(scope, source);
  if (is_float(from) && is_int(to) && scope.subject.kernel != nullptr) {
    const std::string text = whole(scope, source).text;
    return call(cast_function(unit, from, to, n), text);
  }
  if (is_bool(from)) {
    const std::string mask = mask_text(scope, source, bits_of_dtype(to), kUnary), type = value_type(unit, to, n);
    if (is_signed_int(to)) return {cat(mask, " & 1"), kAnd};
    if (is_int(to)) return {cat("(", type, ")(", mask, " & 1)"), kUnary};
    // keeps the bits of 1.0: no instruction of AVX2 converts 64-bit integers to floats
    const std::string ones = cat(splat_function(unit, to, n), "(", c_literal(scalar_from_double(to, 1)).text, ")");
    return {cat("(", type, ")(", mask, " & (", mask_type(unit, bits_of_dtype(to), n), ")", ones, ")"), kUnary};
  }
  // If a vector of positions is converted to i32, it is computed directly in i32: first + lane * step wraps to the same bits as if it were
  // computed in 64 bits and then converted.
  if (source->kind == UKind::kIndex && to == DType::kI32 && scope.names.find(source) == nullptr) {
    const std::string step = bracket(scope.position(source->lane_step), kUnary), first = bracket(scope.position(source->index), kUnary);
    return call(ramp_function(unit, to, n), cat("(int32_t)", first, ", (int32_t)", step));
  }
  if (is_int(from) && is_int(to) && size_of(from) == size_of(to)) {
    const std::string text = bracket(whole(scope, source), kUnary);
    return {cat("(", value_type(unit, to, n), ")", text), kUnary};
  }
  std::string text = whole(scope, source).text;
  // A vector that needs two registers is converted lane by lane, because gcc 12 at -O0 has no instruction for converting i32x16 to f64x16.
  // Speed does not matter here.
  constexpr size_t kLargestRegister = 64;
  if (is_float(to) && static_cast<size_t>(n) * size_of(to) > kLargestRegister) return call(lanewise_cast_function(unit, from, to, n), text);
  // The conversion goes through integers as wide as the float, as the CPU's instructions do. From narrower integers gcc would convert lane
  // by lane.
  DType integer = from;
  if (is_int(from) && is_float(to) && size_of(from) < 4) text = converted_vector(unit, text, from, integer = DType::kI32, n);
  return {converted_vector(unit, text, integer, to, n), kPrimary};
}

Text bitcast(const Scope& scope, const UOp* u) {
  const UOp* source = u->sources[0];
  const DType from = source->type.dtype, to = u->type.dtype;
  const int n = lanes_of(scope, u);
  if (from == to) return whole(scope, source);
  HARP_ASSERT(!is_bool(from) && !is_bool(to), "a bitcast from ", name(from), " to ", name(to), "; bools have no bits to keep");
  const bool canonical = scope.subject.kernel != nullptr && is_float(from) && !is_half(from);
  const Text text = whole(scope, source);
  if (canonical) return call(bits_function(scope.unit, from, to, n, true), text.text);
  return {cat("(", value_type(scope.unit, to, n), ")", bracket(text, kUnary)), kUnary};
}

Text alu(const Scope& scope, const UOp* u) {
  const int n = lanes_of(scope, u);
  const DType operand = u->sources[0]->type.dtype;
  if (const UOp* sum = negated_sum(scope, u)) {
    const std::string text = whole(scope, sum).text;
    return call(negation_function(scope.unit, u->type.dtype, n), text);
  }
  const Rule& rule = rule_for(scope.unit.dialect, u->op, u->sources.back()->type.dtype);
  switch (rule.form) {
    case Form::kSelect: return select(scope, u);
    case Form::kCast: return cast(scope, u);
    case Form::kBitcast: return bitcast(scope, u);
    case Form::kShift:
      if (is_count_in_range(scope, u)) return vector_operators(scope, u, shift_operator(u->op));
      [[fallthrough]];
    case Form::kHelper:
    case Form::kVectorHelper:
    case Form::kPredicate: {
      const bool is_predicate = rule.form == Form::kPredicate;
      if (is_predicate && has_predicates(scope.unit.options, operand, n)) return comparison(scope, u);
      const std::string name = elementwise_function(scope.unit, rule, operand, n);
      return call(name, arguments(scope, u->sources), is_predicate ? bits_of_dtype(operand) : 0);
    }
    case Form::kOperator: break;
  }
  if (is_bool(operand)) return mask_operators(scope, u, rule);
  return is_bool(u->type.dtype) && has_predicates(scope.unit.options, operand, n) ? comparison(scope, u) : vector_operators(scope, u, rule);
}

/// Returns the text of a gather whose positions are a vector.
Text gather(const Scope& scope, const UOp* u, const Address& at) {
  const int n = lanes_of(scope, u);
  const DType dtype = u->type.dtype;
  const UOp *position = u->sources[0], *guard = ir::mask_of(u);
  const GatherForm form{dtype, position->type.dtype, !u->stride.is_constant(1), !u->lane_step.is_constant(0), guard != nullptr};
  const std::string positions = whole(scope, position).text, pointer = pointer_text(scope, at);
  std::string text = cat(gather_function(scope.unit, form, n), "(", pointer, ", ", positions);
  if (form.strided) append(text, cat(", ", scope.position(u->stride).text));
  if (form.steps) append(text, cat(", ", scope.position(u->lane_step).text));
  if (form.masked) append(text, cat(", ", mask_text(scope, guard, bits_of_dtype(dtype), 0)));
  text += ")";
  if (is_bool(dtype)) return {cat(text, " != 0"), kEquality, 8};
  return {text, kPrimary};
}

/// Returns the text of a load, or of a gather whose position is the same for all lanes. They differ only in the offset that is added to the
/// address.
Text read(const Scope& scope, const UOp* u) {
  Unit& unit = scope.unit;
  const int n = lanes_of(scope, u);
  const DType dtype = u->type.dtype;
  Address at = address_of(scope, u->buffer, u->index);
  if (const std::string* source = scope.names.find_source(u)) at.pointer = *source;
  if (u->kind == UKind::kGather) {
    if (lanes_of(scope, u->sources[0]) > 1) return gather(scope, u, at);
    at.offset = offset_text(scope, u->sources[0], u->stride);
  }
  const UOp* guard = ir::mask_of(u);
  const auto part = static_cast<int>(u->kind == UKind::kLoad ? ir::part_of(u) : -1);
  if (part >= 0) {
    const std::string* source = scope.names.find_source(u);
    at = address_of(scope, u->buffer, u->index - part);
    if (source != nullptr) at.pointer = *source;
  }
  const std::string pointer = pointer_text(scope, at);
  std::string text;
  if (part >= 0)
    text = cat(load_part_function(unit, dtype, n, static_cast<int>(u->lane_step.constant()), part), "(", pointer, ")");
  else if (guard == nullptr && u->lane_step.is_constant(1))
    text = cat("*(const ", memory_vector(unit, dtype, n), "*)", at.is_pointer() ? pointer : cat("(", pointer, ")"));
  else if (guard == nullptr && u->lane_step.is_constant(-1))
    text = cat(load_reversed_function(unit, dtype, n), "(", pointer, ")");
  else if (guard == nullptr && loads_whole_vectors(dtype, n, u->lane_step))
    text = cat(load_every_function(unit, dtype, n, static_cast<int>(u->lane_step.constant())), "(", pointer, ")");
  else {
    const bool strided = !u->lane_step.is_constant(1);
    text = cat(load_function(unit, dtype, n, strided, guard != nullptr), "(", pointer);
    if (strided) append(text, cat(", ", scope.position(u->lane_step).text));
    const bool by_bits = !strided && has_masked_access(unit.options, dtype, n);
    if (guard != nullptr) append(text, cat(", ", mask_text(scope, guard, by_bits ? kOneBitALane : bits_of_dtype(dtype), 0)));
    text += ")";
  }
  if (is_bool(dtype)) return {cat(text, " != 0"), kEquality, 8};
  return {text, text[0] == '*' ? int{kUnary} : int{kPrimary}};
}

Text check(const Scope& scope, const UOp* u) {
  const UOp* guard = ir::mask_of(u);
  std::string list = cat("fault, ", u->buffer, ", ", scope.position(u->index).text);
  const std::string name = check_function(scope.unit, lanes_of(scope, u), guard != nullptr);
  append(list, cat(", ", scope.position(u->lane_step).text));
  for (size_t i = 0; i < 3; ++i) append(list, cat(", ", whole(scope, u->sources[i]).text));
  if (guard != nullptr) append(list, cat(", ", mask_text(scope, guard, 64, 0)));
  return call(name, list);
}

Text accumulator(const Scope& scope, const UOp* u) {
  const int n = lanes_of(scope, u);
  const bool each_lane = scope.accumulator(u->buffer).type.lanes > 1;
  if (each_lane && u->index.is_constant(0))
    if (const std::string* name = scope.names.find_folded(u->buffer)) return {*name, kPrimary};
  if (!each_lane && !u->lane_step.is_constant(1)) {
    const std::string step = scope.position(u->lane_step).text;
    const std::string pointer = pointer_text(scope, accumulator_address(scope, u->buffer, u->index));
    return call(load_function(scope.unit, u->type.dtype, n, true, false), cat(pointer, ", ", step));
  }
  const std::string text = accumulator_text(scope, u->buffer, u->index, n);
  if (is_bool(u->type.dtype)) {
    if (scope.layout(u->buffer).lanes == n) return {text, kPrimary, mask_bits_of_accumulator(scope, u->buffer)};
    return {cat(text, " != 0"), kEquality, 8};  // bools that are stored as single elements are bytes in memory
  }
  return {text, text[0] == '*' ? int{kUnary} : int{kPrimary}};
}

Text in_range(const Scope& scope, const UOp* u) {
  const int n = lanes_of(scope, u);
  if (!is_first_lanes(scope, u)) {
    const std::string step = scope.position(u->lane_step).text, first = scope.position(u->index).text;
    return call(in_range_function(scope.unit, n, is_small(u->lane_step)), cat(first, ", ", step), 32);
  }
  if (!u->index.is_constant()) {
    const std::string count = scope.position(u->index + 1).text;
    return call(first_lanes_function(scope.unit, n), count, kOneBitALane);
  }
  const int64_t count = std::clamp<int64_t>(u->index.constant() + 1, 0, n);
  return {cat((1u << count) - 1), kPrimary, kOneBitALane};
}

}  // namespace

Text vector_computation(const Scope& scope, const UOp* u) {
  const int n = lanes_of(scope, u);
  switch (u->kind) {
    case UKind::kConst:
    case UKind::kSplat: return splatted_value(scope, u);
    case UKind::kIndex: {
      const std::string step = scope.position(u->lane_step).text, first = scope.position(u->index).text;
      return call(ramp_function(scope.unit, DType::kI64, n), cat(first, ", ", step));
    }
    case UKind::kInRange: return in_range(scope, u);
    case UKind::kLoad:
    case UKind::kGather: return read(scope, u);
    case UKind::kCheck: return check(scope, u);
    case UKind::kAcc: return accumulator(scope, u);
    case UKind::kAlu: return alu(scope, u);
    case UKind::kCall: {
      const std::string list = arguments(scope, u->sources);
      return call(function_of(scope.unit, *u->function, n), list, is_bool(u->type.dtype) ? mask_bits_of(*u->function) : 0);
    }
    case UKind::kTable: {
      const std::string name = lookup_function(scope.unit, *u->table, n);
      return call(name, whole(scope, u->sources[0]).text);
    }
    case UKind::kParam:
    case UKind::kLineOffset:  // kLineOffset (an element's offset in its cache line) is always a scalar
    case UKind::kRarely:      // StatementWriter writes a kRarely value as a variable, so it always has a name
      break;
  }
  fail(Code::kInternal, "a value of several lanes that cannot be an expression: kind ", static_cast<int>(u->kind));
}

Text splatted_value(const Scope& scope, const UOp* u) {
  const int n = lanes_of(scope, u);
  const std::string scalar = uniform(scope, u).text;
  const DType dtype = u->type.dtype;
  if (is_bool(dtype)) return call(splat_mask_function(scope.unit, 32, n), scalar, 32);
  const bool is_held = scope.subject.holds_constants && is_float(dtype);
  return call(is_held ? constant_function(scope.unit, dtype, n) : splat_function(scope.unit, dtype, n), scalar);
}

std::string mask_text(const Scope& scope, const UOp* u, int bits, int precedence) {
  const int n = lanes_of(scope, u);
  if (is_uniform(scope, u)) {
    const std::string scalar = uniform(scope, u).text;
    return cat(splat_mask_function(scope.unit, bits, n), "(", scalar, ")");
  }
  const Text text = value(scope, u);
  if (text.mask_bits == bits) return bracket(text, precedence);
  return converted_mask(scope.unit, text.text, text.mask_bits, bits, n);
}

int mask_bits_of_accumulator(const Scope& scope, int accumulator) {
  const AccumulatorLayout& layout = scope.layout(accumulator);
  return comparison_bits(scope.unit.options, layout.selected_bits == 64 ? DType::kI64 : DType::kI32, layout.lanes);
}

std::string any_element(const Scope& scope, int accumulator) {
  const AccumulatorLayout& layout = scope.layout(accumulator);
  const std::string name = accumulator_name(scope, accumulator);
  if (layout.lanes == 1) return cat(any_of_array_function(scope.unit, layout.size), "(", name, ")");
  HARP_ASSERT(layout.size == 1, "acc", accumulator, " has ", layout.size, " vectors of bools; expected one where a loop ends by it");
  return cat(any_function(scope.unit, mask_bits_of_accumulator(scope, accumulator), layout.lanes), "(", name, ")");
}

int natural_mask_bits(const Scope& scope, const UOp* u) {
  if (const NamedValue* named = scope.names.find(u)) return named->mask_bits;
  if (is_uniform(scope, u)) return 0;
  switch (u->kind) {
    case UKind::kLoad:
    case UKind::kGather: return 8;
    case UKind::kCall: return mask_bits_of(*u->function);
    case UKind::kInRange: return is_first_lanes(scope, u) ? kOneBitALane : 32;
    case UKind::kAcc: return scope.layout(u->buffer).lanes == u->type.lanes ? mask_bits_of_accumulator(scope, u->buffer) : 8;
    case UKind::kAlu: {
      const DType operand = u->sources[0]->type.dtype;
      if (!is_bool(operand)) return comparison_bits(scope.unit.options, operand, lanes_of(scope, u));
      int bits = 0;
      for (const UOp* s : u->sources) bits = narrower(bits, natural_mask_bits(scope, s));
      return bits;
    }
    default: return 32;
  }
}

}  // namespace harp::render
