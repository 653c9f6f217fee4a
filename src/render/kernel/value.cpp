#include "render/kernel/value.h"

#include "base/error.h"
#include "ops/math_coefficients.h"
#include "render/kernel/address.h"
#include "render/kernel/operators.h"
#include "render/kernel/scalar_functions.h"

namespace harp::render {

using ir::UKind;
using ir::UOp;

namespace {

Text call(const std::string& function, const std::string& arguments) { return {cat(function, "(", arguments, ")"), kPrimary}; }

Text select(const Scope& scope, const UOp* u) {
  const auto part = [&](size_t i) { return bracket(value(scope, u->sources[i]), kSum); };
  return {cat(bracket(value(scope, u->sources[0]), kRelational), " ? ", part(1), " : ", part(2)), kConditional};
}

Text cast(const Scope& scope, const UOp* u) {
  const UOp* source = u->sources[0];
  const DType from = source->type.dtype, to = u->type.dtype;
  if (is_bool(to)) return {cat(bracket(whole(scope, source), kSum), " != ", zero_text(scope.unit.dialect, from)), kEquality};
  if (is_float(from) && is_int(to) && scope.subject.kernel != nullptr) {
    const std::string number = whole(scope, source).text;
    return call(scalar_cast_function(scope.unit, from, to), number);
  }
  return {cat("(", scope.unit.dialect.value_type(scope.unit, to, 1), ")", bracket(value(scope, source), kUnary)), kUnary};
}

Text bitcast(const Scope& scope, const UOp* u) {
  const UOp* source = u->sources[0];
  const DType from = source->type.dtype, to = u->type.dtype;
  const auto type = [&](DType dtype) { return scope.unit.dialect.value_type(scope.unit, dtype, 1); };
  if (from == to || type(from) == type(to)) return whole(scope, source);
  HARP_ASSERT(!is_bool(from) && !is_bool(to), "a bitcast from ", name(from), " to ", name(to), "; bools have no bits to keep");
  const bool canonical = scope.subject.kernel != nullptr && is_float(from) && !is_half(from);
  const std::string number = whole(scope, source).text;
  return call(scalar_bits_function(scope.unit, from, to, canonical), number);
}

Text alu(const Scope& scope, const UOp* u) {
  if (const UOp* sum = negated_sum(scope, u)) {
    const std::string number = whole(scope, sum).text;
    return call(scalar_negation_function(scope.unit, u->type.dtype), number);
  }
  const Rule& rule = rule_for(scope.unit.dialect, u->op, u->sources.back()->type.dtype);
  const auto operand = [&](std::span<const UOp* const> sources, size_t i) { return value(scope, sources[i]); };
  switch (rule.form) {
    case Form::kSelect: return select(scope, u);
    case Form::kCast: return cast(scope, u);
    case Form::kBitcast: return bitcast(scope, u);
    case Form::kShift:
      if (is_count_in_range(scope, u)) return operators(scope, u, shift_operator(u->op), operand);
      [[fallthrough]];
    case Form::kHelper:
    case Form::kVectorHelper:
    case Form::kPredicate: {
      const std::string name = scope.unit.dialect.elementwise(scope.unit, rule, u->sources[0]->type.dtype, 1);
      return call(name, arguments(scope, u->sources));
    }
    case Form::kOperator: break;
  }
  return operators(scope, u, rule, operand);
}

/// Returns the expression of a load or of a gather. The two differ only in the offset that is added to the address.
Text read(const Scope& scope, const UOp* u) {
  Address at = address_of(scope, u->buffer, u->index);
  if (const std::string* source = scope.names.find_source(u)) at.pointer = *source;
  if (u->kind == UKind::kGather) at.offset = offset_text(scope, u->sources[0], u->stride);
  const bool of_bools = is_bool(u->type.dtype);
  const std::string element = element_text(scope, at);
  const Text read{of_bools ? cat(element, " != 0") : element, of_bools ? int{kEquality} : int{kPrimary}};
  const UOp* guard = ir::mask_of(u);
  if (guard == nullptr) return read;
  const Scalar zero{u->type.dtype, {0, 0}};
  return {cat(bracket(value(scope, guard), kRelational), " ? ", read.text, " : ", scope.unit.dialect.literal(zero).text), kConditional};
}

Text check(const Scope& scope, const UOp* u) {
  const UOp* guard = ir::mask_of(u);
  std::string text = cat("fault, ", u->buffer, ", ", scope.position(u->index).text);
  const std::string name = scalar_check_function(scope.unit, guard != nullptr);
  for (size_t i = 0; i < 3; ++i) append(text, cat(", ", whole(scope, u->sources[i]).text));
  if (guard != nullptr) append(text, cat(", ", value(scope, guard).text));
  return call(name, text);
}

Text accumulator(const Scope& scope, const UOp* u) {
  if (u->index.is_constant(0))
    if (const std::string* name = scope.names.find_folded(u->buffer)) return {*name, kPrimary};
  const std::string text = accumulator_text(scope, u->buffer, u->index, 1);
  return {text, text[0] == '*' ? int{kUnary} : int{kPrimary}};
}

/// Returns an expression for the distance of an element from the beginning of its cache line, in elements.
Text line_offset(const Scope& scope, const UOp* u) {
  const std::string& array = scope.name_of_parameter(u->buffer);
  const std::string address = u->index.is_constant(0) ? array : cat("(", array, " + ", bracket(scope.position(u->index), kSum), ")");
  return {
      cat("(", scope.unit.dialect.index, ")((size_t)", address, " % ", kLineBytes, " / ", size_of(scope.parameter(u->buffer).dtype), ")"),
      kUnary};
}

Text table(const Scope& scope, const UOp* u) {
  const auto joined = scope.unit.joined_tables.find(u->table->name);
  if (joined == scope.unit.joined_tables.end()) define_table(scope.unit, *u->table);
  const bool low_bits = u->table->values.size() == kPermutedTable;
  const std::string index = low_bits ? cat(bracket(value(scope, u->sources[0]), kSum), " & 15") : whole(scope, u->sources[0]).text;
  return {cat(joined == scope.unit.joined_tables.end() ? u->table->name : joined->second, "[", index, "]"), kPrimary};
}

}  // namespace

Text value(const Scope& scope, const UOp* u) {
  if (const NamedValue* named = scope.names.find(u)) return {named->name, kPrimary, named->mask_bits};
  return computation(scope, u);
}

Text computation(const Scope& scope, const UOp* u) {
  if (u->kind == UKind::kParam) return {scope.name_of_parameter(u->buffer), kPrimary};
  if (lanes_of(scope, u) > 1) return scope.unit.dialect.vectors.computation(scope, u);
  switch (u->kind) {
    case UKind::kConst: return literal_text(scope.unit.dialect, u->value);
    case UKind::kIndex: return scope.position(u->index);
    case UKind::kInRange: return scope.position.is_nonnegative(u->index);
    case UKind::kLoad:
    case UKind::kGather: return read(scope, u);
    case UKind::kCheck: return check(scope, u);
    case UKind::kAcc: return accumulator(scope, u);
    case UKind::kAlu: return alu(scope, u);
    case UKind::kCall: {
      // The arguments are written first, because that defines functions that the text of the call uses.
      const std::string list = arguments(scope, u->sources);
      return call(scope.unit.dialect.function(scope.unit, *u->function, 1), list);
    }
    case UKind::kLineOffset: return line_offset(scope, u);
    case UKind::kTable: return table(scope, u);
    case UKind::kParam:
    case UKind::kSplat:   // a splat is always a vector; the functions in Dialect::vectors write its expression
    case UKind::kRarely:  // StatementWriter writes this value as a variable, so it always has a name
      break;
  }
  fail(Code::kInternal, "a value of one lane that cannot be an expression: kind ", static_cast<int>(u->kind));
}

Text whole(const Scope& scope, const UOp* u) {
  return lanes_of(scope, u) > 1 && is_uniform(scope, u) ? scope.unit.dialect.vectors.splatted(scope, u) : value(scope, u);
}

std::string arguments(const Scope& scope, const std::vector<const UOp*>& sources) {
  return join(sources, ", ", [&](const UOp* s) { return whole(scope, s).text; });
}

int lanes_of(const Scope& scope, const UOp* u) { return scope.subject.kernel == nullptr ? scope.subject.lanes : u->type.lanes; }

bool is_uniform(const Scope& scope, const UOp* u) {
  return scope.subject.kernel == nullptr ? scope.subject.lanes > 1 && u->kind == UKind::kConst : u->kind == UKind::kSplat;
}

Text uniform(const Scope& scope, const UOp* u) {
  return u->kind == UKind::kSplat ? value(scope, u->sources[0]) : literal_text(scope.unit.dialect, u->value);
}

std::string type_of(const Scope& scope, const UOp* u) {
  const Dialect& dialect = scope.unit.dialect;
  const int n = lanes_of(scope, u);
  if (n == 1 || !is_bool(u->type.dtype)) return dialect.value_type(scope.unit, u->type.dtype, n);
  const int bits = dialect.vectors.mask_bits(scope, u);
  return dialect.vectors.mask_type(scope.unit, bits == 0 ? 32 : bits, n);
}

Text literal_text(const Dialect& dialect, const Scalar& value) {
  const Literal l = dialect.literal(value);
  if (l.text.find(' ') != std::string::npos) return {l.text, kSum};
  return {l.text, l.negative ? kUnary : kPrimary};
}

std::string zero_text(const Dialect& dialect, DType dtype) {
  return dialect.literal(is_float(dtype) ? scalar_from_double(dtype, 0) : scalar_from_int(dtype, 0)).text;
}

}  // namespace harp::render
