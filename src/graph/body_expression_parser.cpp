// Parses the expressions of the loop language (body.h). They have the text format's operators and precedence.
#include "graph/body_expression_parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "graph/text_values.h"

namespace harp {

namespace {

using text::Token;
using text::TokenKind;

constexpr int kMaxDepth = 256;

}  // namespace

/// A binary operator. Operators of a higher level bind tighter.
struct BodyExpressionParser::Infix {
  std::string_view symbol;
  int level;
  Op op;
  // swaps: exchange the operands (a > b becomes b < a); inverts: negate the second operand (a - b becomes a + -b)
  bool swaps = false, inverts = false;
};
constinit const BodyExpressionParser::Infix BodyExpressionParser::kInfix[] = {
    {"<", 0, Op::kLt},    {"<=", 0, Op::kLe},   {">", 0, Op::kLt, true},         {">=", 0, Op::kLe, true}, {"==", 0, Op::kEq},
    {"!=", 0, Op::kNe},   {"|", 1, Op::kBitOr}, {"^", 2, Op::kBitXor},           {"&", 3, Op::kBitAnd},    {"<<", 4, Op::kShl},
    {">>", 4, Op::kShr},  {"+", 5, Op::kAdd},   {"-", 5, Op::kAdd, false, true}, {"*", 6, Op::kMul},       {"/", 6, Op::kDiv},
    {"//", 6, Op::kIdiv}, {"%", 6, Op::kRem},
};
constinit const BodyExpressionParser::Infix BodyExpressionParser::kPower = {"**", 7, Op::kPow};

BodyExpressionParser::BodyExpressionParser(std::string_view source, std::span<const Node* const> inputs, std::span<const DType> dtypes,
                                           const Shape& shape)
    : c_(source), inputs_(inputs), shape_(shape) {
  body_.results = static_cast<int>(dtypes.size());
  body_.variables.assign(dtypes.begin(), dtypes.end());
  body_.lengths.assign(dtypes.size(), 0);
  ranges_.resize(dtypes.size());
  for (size_t i = 0; i < dtypes.size(); ++i) result_names_.push_back(dtypes.size() == 1 ? "output" : cat("output", i));
  scopes_.emplace_back();
  for (size_t i = 0; i < dtypes.size(); ++i) scopes_[0].emplace(result_names_[i], static_cast<int>(i));
}

int BodyExpressionParser::add(BodyExpression e, size_t offset) {
  for (const int operand : e.operands) e.depth = std::max(e.depth, at(operand).depth + 1);
  if (e.depth > kMaxDepth)
    c_.fail_token(offset, cat("the expression nests operations too deeply; at most ", kMaxDepth, " levels are allowed"));
  body_.expressions.push_back(std::move(e));
  return static_cast<int>(body_.expressions.size()) - 1;
}

int BodyExpressionParser::typed(const Value& value, std::optional<DType> wanted) {
  if (value.expression >= 0) return value.expression;
  if (!wanted && value.literal.kind == Literal::kReal)
    c_.fail_token(value.offset,
                  cat("the dtype of ", text::quote(value.literal.text), " is not known; write it, as in f32(", value.literal.text, ")"));
  const DType dtype = wanted.value_or(value.literal.kind == Literal::kBool ? DType::kBool : DType::kI64);
  const Scalar scalar = c_.at(value.offset, [&] { return to_scalar("number", value.literal, dtype); });
  return add({BodyKind::kConstant, dtype, scalar}, value.offset);
}

const BodyExpressionParser::Infix* BodyExpressionParser::see_infix(int least) const {
  for (const Infix& infix : kInfix)
    if (infix.level >= least && c_.sees(infix.symbol)) return &infix;
  return nullptr;
}

BodyExpressionParser::Value BodyExpressionParser::expression(int level) {
  Value left = unary();
  while (const Infix* infix = see_infix(level)) {
    const size_t offset = c_.next().offset;
    const Value right = expression(infix->level + 1);
    left = combine(*infix, left, right, offset);
    if (infix->level == 0 && see_infix(0) != nullptr && see_infix(0)->level == 0)
      c_.fail_here("comparisons do not chain; write (a < b) & (b < c)");
  }
  return left;
}

BodyExpressionParser::Value BodyExpressionParser::combine(const Infix& infix, const Value& left, const Value& right, size_t offset) {
  std::optional<DType> dtype;
  if (left.expression >= 0) dtype = at(left.expression).dtype;
  if (!dtype && right.expression >= 0) dtype = at(right.expression).dtype;
  const int a = typed(left, dtype), b = typed(right, dtype);
  if (infix.inverts) return {apply(Op::kAdd, {a, apply(Op::kNeg, {b}, offset)}, offset), {}, offset};
  return {infix.swaps ? apply(infix.op, {b, a}, offset) : apply(infix.op, {a, b}, offset), {}, offset};
}

int BodyExpressionParser::apply(Op op, std::vector<int> operands, size_t offset) {
  const OpInfo& row = info(op);
  DType dtype = DType::kUnknown;
  for (size_t i = 0; i < operands.size(); ++i) {
    const DType mine = at(operands[i]).dtype;
    if (!is_operand(op, i)) {
      if (!is_bool(mine)) c_.at(offset, [&] { fail(Code::kDType, row.name, ": the condition must be bool, got ", name(mine)); });
      continue;
    }
    if (dtype != DType::kUnknown && mine != dtype)
      c_.at(offset, [&] {
        fail(Code::kDType, row.name, ": operands are ", name(dtype), " and ", name(mine), "; cast one, as in ", name(dtype), "(x)");
      });
    dtype = mine;
  }
  if (!accepts(op, dtype)) c_.at(offset, [&] { fail(Code::kDType, row.name, " takes ", describe(row.operands), ", not ", name(dtype)); });
  return add(
      {.kind = BodyKind::kApply, .dtype = row.result == Result::kBool ? DType::kBool : dtype, .op = op, .operands = std::move(operands)},
      offset);
}

BodyExpressionParser::Value BodyExpressionParser::unary() {
  const Token token = c_.peek();
  if (!c_.sees("-") && !c_.sees("+") && !c_.sees("~")) return power();
  text::Cursor::Nested level(c_);
  c_.next();
  Value operand = unary();
  if (operand.expression < 0 && token.text != "~" && operand.literal.kind != Literal::kBool) {
    operand.literal.negative ^= token.text == "-";
    return operand;
  }
  if (token.text == "+") return operand;
  return {apply(token.text == "-" ? Op::kNeg : Op::kBitNot, {typed(operand, std::nullopt)}, token.offset), {}, token.offset};
}

BodyExpressionParser::Value BodyExpressionParser::power() {
  const Value base = primary();
  if (!c_.sees("**")) return base;
  text::Cursor::Nested level(c_);
  const size_t offset = c_.next().offset;
  return combine(kPower, base, unary(), offset);
}

BodyExpressionParser::Value BodyExpressionParser::primary() {
  const Token token = c_.peek();
  if (auto literal = text::accept_literal(c_)) return {-1, *literal, token.offset};
  text::Cursor::Nested level(c_);
  if (c_.accept("(")) {
    const Value inner = expression();
    c_.expect(")");
    return inner;
  }
  if (token.kind != TokenKind::kName) c_.fail_expected("an expression");
  c_.next();
  if (c_.sees("(")) return {call(token), {}, token.offset};
  return {named(token), {}, token.offset};
}

int BodyExpressionParser::numbered(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return -1;
  const std::string_view digits = name.substr(prefix.size());
  int number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::result_out_of_range && !digits.empty()) return INT32_MAX;
  return error == std::errc() && end == digits.data() + digits.size() && number >= 0 ? number : -1;
}

int BodyExpressionParser::find(const Token& token) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(token.text); found != scope->end()) return found->second;
  c_.fail_token(token.offset,
                cat("unknown name ", text::quote(token.text.substr(0, 60)), "; known names: ",
                    inputs_.empty()       ? ""
                    : inputs_.size() == 1 ? "input0, "
                                          : cat("input0 to input", inputs_.size() - 1, ", "),
                    shape_.empty()       ? ""
                    : shape_.size() == 1 ? "ridx0, shape0, "
                                         : cat("ridx0 to ridx", shape_.size() - 1, ", shape0 to shape", shape_.size() - 1, ", "),
                    results(), ", and names declared by let and for"));
}

int BodyExpressionParser::named(const Token& token) {
  if (const int input = numbered(token.text, "input"); input >= 0) return load(token, input);
  const int position = numbered(token.text, "ridx"), size = numbered(token.text, "shape");
  if (position >= 0 || size >= 0) {
    const int axis = std::max(position, size);
    if (static_cast<size_t>(axis) >= shape_.size())
      c_.at(token.offset,
            [&] { fail(Code::kShape, token.text.substr(0, 40), ": the result has no axis ", axis, "; its shape is ", to_string(shape_)); });
    if (position >= 0) return add({.kind = BodyKind::kPosition, .dtype = DType::kI64, .axis = axis}, token.offset);
    return add({.kind = BodyKind::kSize, .dtype = DType::kI64, .axis = axis, .array = ElementBody::kOutput}, token.offset);
  }
  const int variable = find(token);
  const DType dtype = body_.variables[static_cast<size_t>(variable)];
  if (!is_array(variable)) return add({.kind = BodyKind::kVariable, .dtype = dtype, .variable = variable}, token.offset);
  const int index = element_index(token);
  BodyExpression e{.kind = BodyKind::kElement, .dtype = dtype, .variable = variable, .operands = {index}};
  e.is_inside = {is_inside(index, body_.lengths[static_cast<size_t>(variable)])};
  if (!e.is_inside[0]) e.site = add_site({-1, 0, std::string(token.text)});
  return add(std::move(e), token.offset);
}

int BodyExpressionParser::checked_input(const Token& token, int input) const {
  if (static_cast<size_t>(input) >= inputs_.size())
    c_.fail_token(token.offset, cat(token.text.substr(0, 40), ", but there ",
                                    inputs_.empty()       ? std::string("are no inputs")
                                    : inputs_.size() == 1 ? std::string("is only input0")
                                                          : cat("are only input0 to input", inputs_.size() - 1)));
  return input;
}

int BodyExpressionParser::element_index(const Token& array) {
  if (!c_.accept("["))
    c_.fail_token(array.offset, cat(text::quote(array.text), " is an array; name one of its elements, as in ", array.text, "[0]"));
  const int result = index();
  c_.expect("]");
  return result;
}

int BodyExpressionParser::add_site(BodySite site) {
  body_.sites.push_back(std::move(site));
  return static_cast<int>(body_.sites.size()) - 1;
}

int BodyExpressionParser::load(const Token& token, int input) {
  const Node& array = *inputs_[static_cast<size_t>(checked_input(token, input))];
  BodyExpression e{.kind = BodyKind::kLoad, .dtype = array.dtype, .array = input};
  if (c_.accept("[")) {
    do {
      e.operands.push_back(index());
    } while (c_.accept(","));
    c_.expect("]");
  }
  if (e.operands.size() != array.shape.size())
    c_.at(token.offset, [&] {
      fail(Code::kShape, token.text, " has shape ", to_string(array.shape), " and needs ", array.shape.size(),
           array.shape.size() == 1 ? " index" : " indices", ", but got ", e.operands.size());
    });
  e.site = static_cast<int>(body_.sites.size());
  for (size_t axis = 0; axis < e.operands.size(); ++axis) {
    e.is_inside.push_back(is_inside(e.operands[axis], array.shape[axis]));
    if (!e.is_inside.back()) add_site({input, static_cast<int>(axis)});
  }
  return add(std::move(e), token.offset);
}

int BodyExpressionParser::index() {
  const size_t offset = c_.peek().offset;
  const int value = typed(expression(), DType::kI64);
  if (!is_int(at(value).dtype)) c_.at(offset, [&] { fail(Code::kDType, "an index must be an integer, got ", name(at(value).dtype)); });
  return as_i64(value, offset);
}

int BodyExpressionParser::as_i64(int value, size_t offset) {
  if (at(value).dtype == DType::kI64) return value;
  // Values above INT64_MAX are clamped to INT64_MAX, which is not a valid index of any axis.
  if (at(value).dtype == DType::kU64)
    value = apply(Op::kMin, {value, add({BodyKind::kConstant, DType::kU64, Scalar::of(DType::kU64, INT64_MAX)}, offset)}, offset);
  return add({.kind = BodyKind::kApply, .dtype = DType::kI64, .op = Op::kCast, .operands = {value}}, offset);
}

bool BodyExpressionParser::is_inside(int index, Dim size) const {
  const BodyExpression& e = at(index);
  if (e.kind == BodyKind::kConstant) return e.value.as<int64_t>() >= 0 && proven_nonnegative(size - 1 - Dim(e.value.as<int64_t>()));
  if (e.kind == BodyKind::kPosition) return shape_[static_cast<size_t>(e.axis)] == size;
  if (e.kind != BodyKind::kVariable) return false;
  const LoopRange& range = ranges_[static_cast<size_t>(e.variable)];
  if (!range.is_loop || at(range.begin).kind != BodyKind::kConstant) return false;
  // Lowering converts an index that needs no check to a size expression, and assumes that it is at most 2^61 (schedule/body_positions.h).
  // If a constant bound of the loop is larger, the index is checked at run time.
  constexpr int64_t kMostPosition = int64_t{1} << 61;
  if (const auto begin = at(range.begin).value.as<int64_t>(); begin < 0 || begin > kMostPosition) return false;
  const BodyExpression& end = at(range.end);
  if (end.kind == BodyKind::kConstant)
    return end.value.as<int64_t>() >= -kMostPosition && proven_nonnegative(size - Dim(end.value.as<int64_t>()));
  return end.kind == BodyKind::kSize && size_of_axis(end) == size;
}

Dim BodyExpressionParser::size_of_axis(const BodyExpression& e) const {
  return e.array == ElementBody::kOutput ? shape_[static_cast<size_t>(e.axis)]
                                         : inputs_[static_cast<size_t>(e.array)]->shape[static_cast<size_t>(e.axis)];
}

int BodyExpressionParser::call(const Token& function) {
  c_.expect("(");
  if (function.text == "size") return size_call(function);
  std::vector<Value> values;
  while (!c_.accept(")")) {
    if (!values.empty() && !c_.accept(",")) c_.fail_expected("\",\" or \")\"");
    if (values.size() == 4) c_.fail_here("too many arguments; a function takes at most 3");
    values.push_back(expression());
  }
  if (const auto dtype = dtype_from_name(function.text); dtype && *dtype != DType::kUnknown) return convert(function, *dtype, values);
  const auto op = op_from_name(function.text);
  if (!op || info(*op).family != Family::kElementwise)
    c_.fail_token(function.offset, cat("no function ", text::quote(function.text.substr(0, 60)),
                                       "; a body may call elementwise operations on primitives, dtypes (as casts), and size"));
  const auto arity = static_cast<size_t>(info(*op).arity);
  if (values.size() != arity)
    c_.fail_token(function.offset,
                  cat(function.text, " takes ", arity, arity == 1 ? " argument" : " arguments", ", but got ", values.size()));
  std::optional<DType> dtype;
  for (size_t i = 0; i < values.size(); ++i)
    if (!dtype && values[i].expression >= 0 && is_operand(*op, i)) dtype = at(values[i].expression).dtype;
  std::vector<int> operands;
  for (size_t i = 0; i < values.size(); ++i) operands.push_back(typed(values[i], is_operand(*op, i) ? dtype : std::optional(DType::kBool)));
  return apply(*op, std::move(operands), function.offset);
}

int BodyExpressionParser::convert(const Token& function, DType dtype, const std::vector<Value>& values) {
  if (values.size() != 1) c_.fail_token(function.offset, cat(function.text, " takes 1 argument, but got ", values.size()));
  if (is_complex(dtype))
    c_.fail_token(function.offset, cat(function.text, ": a body computes with real numbers; take real() and imag() of the array first"));
  const int value = typed(values[0], dtype);
  if (at(value).dtype == dtype) return value;
  return add({.kind = BodyKind::kApply, .dtype = dtype, .op = Op::kCast, .operands = {value}}, function.offset);
}

int BodyExpressionParser::size_call(const Token& function) {
  const Token array = c_.peek();
  const int input = numbered(array.text, "input");
  if (input < 0 && array.text != "output") c_.fail_expected("input0, input1 ... or output");
  if (input >= 0) checked_input(array, input);
  c_.next();
  c_.expect(",");
  const bool negative = c_.accept("-");
  const int64_t given = c_.expect_integer(negative);
  c_.expect(")");
  const Shape& shape = input < 0 ? shape_ : inputs_[static_cast<size_t>(input)]->shape;
  const int64_t rank = static_cast<int64_t>(shape.size()), axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank)
    c_.at(function.offset, [&] { fail(Code::kShape, array.text, " has no axis ", given, ": its shape is ", to_string(shape)); });
  return add(
      {.kind = BodyKind::kSize, .dtype = DType::kI64, .axis = static_cast<int>(axis), .array = input < 0 ? ElementBody::kOutput : input},
      function.offset);
}

}  // namespace harp
