#include "graph/text_expression.h"

#include <array>
#include <charconv>

#include "graph/arguments.h"
#include "graph/called_as.h"

namespace harp::text {

struct Infix {
  std::string_view symbol;
  int level;
  std::string_view operation;
};
namespace {

constexpr int kComparison = 1;
constexpr Infix kInfix[] = {
    {"<", kComparison, "lt"},  {"<=", kComparison, "le"}, {">", kComparison, "gt"}, {">=", kComparison, "ge"}, {"==", kComparison, "eq"},
    {"!=", kComparison, "ne"}, {"|", 2, "bitwise_or"},    {"^", 3, "bitwise_xor"},  {"&", 4, "bitwise_and"},   {"<<", 5, "left_shift"},
    {">>", 5, "right_shift"},  {"+", 6, "add"},           {"-", 6, "sub"},          {"*", 7, "mul"},           {"/", 7, "div"},
    {"//", 7, "floor_divide"}, {"%", 7, "remainder"},     {"@", 7, "matmul"},
};
// The operator **. It binds tighter than a sign on its left, and is right-associative.
constexpr Infix kPower = {"**", 8, "pow"};

std::string list_parameters(std::span<const Parameter> parameters) {
  return join(parameters, ", ", [](const Parameter& p) { return p.name; });
}

}  // namespace

const Node* ExpressionParser::variable(const std::string& name, size_t offset) const {
  const auto found = names_.find(name);
  if (found != names_.end()) return found->second;
  if (graph_.dims().find_variable(name))
    c_.fail_token(offset, cat(quote(name), " is a size, not an array; write size(", name, ") for its value, an i64"));
  c_.fail_token(offset, cat("unknown name ", quote(name)));
}

const Node* ExpressionParser::typed(const Value& value) const {
  if (value.node == nullptr)
    c_.fail_token(value.offset, cat("the number ", value.literal.negative ? "-" : "", value.literal.text,
                                    " has no dtype here: write it as f32(…), f64(…), i32(…), i64(…) or bool(…)"));
  return value.node;
}
const Node* ExpressionParser::with_dtype(const Value& value, DType dtype) const {
  if (value.node != nullptr) return value.node;
  return c_.at(value.offset, [&] { return build::constant(graph_, to_scalar("number", value.literal, dtype)); });
}

/// Parses an expression whose binary operators have at least this precedence level. Brackets, calls and signs count as nesting levels.
/// Binary operators do not count, because they recurse at most once per precedence level.
Value ExpressionParser::parse_expression(int level) {
  Value left = parse_unary();
  while (const Infix* infix = see_infix(level)) {
    const size_t offset = c_.next().offset;
    const Value right = parse_expression(infix->level + 1);
    left = combine(*infix, left, right, offset);
    if (infix->level == kComparison && see_infix(kComparison) != nullptr) c_.fail_here("comparisons do not chain; write (a < b) & (b < c)");
  }
  return left;
}

const Infix* ExpressionParser::see_infix(int least_level) const {
  if (!c_.sees(TokenKind::kSymbol)) return nullptr;
  for (const Infix& infix : kInfix)
    if (infix.symbol == c_.peek().text) return infix.level >= least_level ? &infix : nullptr;
  return nullptr;
}

Value ExpressionParser::combine(const Infix& infix, const Value& left, const Value& right, size_t offset) {
  const Operation* operation = find_operation(infix.operation);
  if (left.node == nullptr && right.node == nullptr) return fold(infix, left, right, offset);
  const DType dtype = left.node != nullptr ? left.node->dtype : right.node->dtype;
  const std::array<Argument, 2> operands = {with_dtype(left, dtype), with_dtype(right, dtype)};
  return c_.at(offset, [&] { return Value{operation->build(graph_, operands)[0], {}, offset}; });
}

int64_t to_i64(const Cursor& cursor, const Value& value) {
  const std::string_view digits = value.literal.text;
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  const bool negative = value.literal.negative;
  if (error != std::errc() || end != digits.data() + digits.size() || magnitude > uint64_t{INT64_MAX} + negative)
    cursor.fail_token(value.offset, cat("the number ", negative ? "-" : "", shortened(digits),
                                        " does not fit i64, in which whole numbers without a dtype are computed"));
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

Value ExpressionParser::whole_number(int64_t value, size_t offset) {
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return {nullptr, {Literal::kInteger, value < 0, computed_.emplace_back(std::to_string(magnitude)), {}}, offset};
}

namespace {

/// Computes a power by repeated squaring; exponent must be >= 0. Returns nothing if the result does not fit i64.
std::optional<int64_t> power_of(int64_t base, int64_t exponent) {
  int64_t result = 1;
  while (true) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return std::nullopt;
    exponent >>= 1;
    if (exponent == 0) return result;
    if (__builtin_mul_overflow(base, base, &base)) return std::nullopt;
  }
}

/// Computes Python's operator on two integers. Returns nothing if the result does not fit i64. The caller has checked that a divisor is not
/// 0, and that an exponent or a shift count is not negative.
std::optional<int64_t> computed(std::string_view symbol, int64_t a, int64_t b) {
  int64_t result = 0;
  if (symbol == "+") return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (symbol == "-") return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (symbol == "*") return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (symbol == "**") return power_of(a, b);
  if (symbol == "//") {
    if (a == INT64_MIN && b == -1) return std::nullopt;
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  }
  if (symbol == "%") {
    if (b == -1) return 0;
    const int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  if (symbol == "<<") {
    if (a == 0 || b == 0) return a;
    const auto factor = power_of(2, b);
    if (!factor) return b == 63 && a == -1 ? std::optional(INT64_MIN) : std::nullopt;
    return computed("*", a, *factor);
  }
  if (symbol == ">>") return a >> std::min<int64_t>(b, 63);
  return symbol == "&" ? a & b : symbol == "|" ? a | b : a ^ b;
}

}  // namespace

Value ExpressionParser::fold(const Infix& infix, const Value& left, const Value& right, size_t offset) {
  for (const Value* side : {&left, &right})
    if (side->literal.kind != Literal::kInteger) typed(*side);
  const bool is_whole = infix.level != kComparison && infix.symbol != "@";
  if (!is_whole) typed(left);
  const int64_t a = to_i64(c_, left), b = to_i64(c_, right);
  const std::string text = cat(a, " ", infix.symbol, " ", b);
  if (infix.symbol == "/")
    c_.fail_token(offset, cat(text, ": whole numbers without a dtype have no fractions; write ", a, " // ", b,
                              " for the quotient rounded down, or give a dtype, as in f64(", a, ") / ", b));
  if ((infix.symbol == "//" || infix.symbol == "%") && b == 0) c_.fail_token(offset, cat(text, ": division by zero"));
  if ((infix.symbol == "<<" || infix.symbol == ">>") && b < 0) c_.fail_token(offset, cat(text, ": the count of a shift is negative"));
  if (infix.symbol == "**" && b < 0)
    c_.fail_token(offset, cat(text, ": whole numbers without a dtype have no negative powers; give a dtype, as in f64(", a, ") ** ", b));
  const auto result = computed(infix.symbol, a, b);
  if (!result) {
    const std::string too_large = cat(text, " does not fit i64, in which whole numbers without a dtype are computed");
    if (infix.symbol != "<<") c_.fail_token(offset, cat(too_large, "; give a dtype, as in f64(", a, ") ", infix.symbol, " ", b));
    const bool fits_u64 = a > 0 && b < 64 && static_cast<uint64_t>(a) << b >> b == static_cast<uint64_t>(a);
    c_.fail_token(offset,
                  cat(too_large, fits_u64 ? cat("; give a dtype, as in u64(", a, ") << ", b) : "; no integer dtype has more than 64 bits"));
  }
  return whole_number(*result, left.offset);
}

Value ExpressionParser::parse_unary() {
  const Token token = c_.peek();
  if (!c_.sees("-") && !c_.sees("+") && !c_.sees("~")) return parse_power();
  Cursor::Nested nested(c_);
  c_.next();
  Value operand = parse_unary();
  if (token.text == "+") return operand;
  if (token.text == "-" && operand.node == nullptr && operand.literal.kind != Literal::kBool) {
    operand.literal.negative = !operand.literal.negative;
    operand.offset = token.offset;
    return operand;
  }
  if (token.text == "~" && operand.node == nullptr && operand.literal.kind == Literal::kInteger)
    return whole_number(~to_i64(c_, operand), token.offset);
  const Op op = token.text == "-" ? Op::kNeg : Op::kBitNot;
  return c_.at(token.offset, [&] { return Value{build::elementwise(op, {typed(operand)}), {}, token.offset}; });
}

/// `**` binds tighter than a sign before it, and looser than a sign after it: -x ** -y is -(x ** (-y)).
Value ExpressionParser::parse_power() {
  const Value base = parse_indexed();
  if (!c_.sees("**")) return base;
  Cursor::Nested nested(c_);
  const size_t offset = c_.next().offset;
  const Value exponent = parse_unary();
  if (base.node == nullptr || exponent.node != nullptr || exponent.literal.kind != Literal::kInteger)
    return combine(kPower, base, exponent, offset);
  // The exponent is an integer without a dtype, so the power is computed by multiplications (powi).
  const int64_t k = to_i64(c_, exponent);
  return c_.at(offset, [&] { return called_as("**", [&] { return Value{build::powi(base.node, k), {}, offset}; }); });
}

/// Parses an operand that may be indexed, such as x, x[…] or x[…][…].
Value ExpressionParser::parse_indexed() {
  Value value = parse_primary();
  while (c_.sees("[")) {
    const size_t offset = c_.peek().offset;
    if (value.node == nullptr) c_.fail_here("a number cannot be indexed");
    Cursor::Nested nested(c_);
    c_.next();
    std::vector<IndexItem> items;
    do items.push_back(parse_index_item());
    while (c_.accept(",") && !c_.sees("]"));
    if (!c_.accept("]")) c_.fail_expected("\",\" or \"]\"");
    value = {c_.at(offset, [&] { return index(value.node, items); }), {}, value.offset};
  }
  return value;
}

Value ExpressionParser::parse_primary() {
  const Token token = c_.peek();
  if (auto literal = accept_literal(c_)) return {nullptr, *literal, token.offset};
  if (c_.accept("(")) {
    Cursor::Nested nested(c_);
    Value inner = parse_expression();
    c_.expect(")");
    return inner;
  }
  if (token.kind == TokenKind::kString) {
    c_.next();
    return {variable(unquote(token.text), token.offset), {}, token.offset};
  }
  if (token.kind != TokenKind::kName) c_.fail_expected("an expression");
  if (!c_.sees("(", 1)) {
    c_.next();
    return {variable(std::string(token.text), token.offset), {}, token.offset};
  }
  if (dtype_from_name(token.text)) {
    const Scalar value = parse_typed_literal(c_);
    return {c_.at(token.offset, [&] { return build::constant(graph_, value); }), {}, token.offset};
  }
  const Operation* operation = find(token.text);
  if (operation == nullptr) {
    const std::string_view near = nearest_operation(token.text);
    c_.fail_here(cat("unknown operation ", quote(token.text), near.empty() ? "" : cat("; is it ", near, "?")));
  }
  const std::vector<const Node*> results = parse_call(*operation);
  if (results.size() != 1)
    c_.fail_token(token.offset, cat(token.text, " gives ", results.size(), " results; assign them in a statement of their own"));
  return {results[0], {}, token.offset};
}

const Operation* ExpressionParser::find(std::string_view name) const {
  for (const Operation& operation : more_)
    if (operation.name == name) return &operation;
  return find_operation(name);
}

std::vector<const Node*> ExpressionParser::parse_call(const Operation& operation) {
  Cursor::Nested nested(c_);
  const Token name = c_.next();
  const std::span<const Parameter> parameters = operation.parameters();
  Given given{std::vector<Argument>(parameters.size()), std::vector<size_t>(parameters.size(), 0), {}};
  c_.expect("(");
  size_t position = 0;
  bool keywords_began = false;
  while (!c_.sees(")")) {
    size_t index = position;
    if (c_.sees(TokenKind::kName) && c_.sees("=", 1)) {
      const Token keyword = c_.peek();
      for (index = 0; index < parameters.size() && parameters[index].name != keyword.text;) ++index;
      if (index == parameters.size())
        c_.fail_here(cat(name.text, " has no parameter ", quote(keyword.text), "; it takes ", list_parameters(parameters)));
      if (given.offsets[index] != 0) c_.fail_here(cat("parameter ", keyword.text, " is given twice"));
      c_.next();
      c_.next();
      keywords_began = true;
    } else if (keywords_began) {
      c_.fail_here("a positional argument follows a keyword argument");
    } else if (position >= parameters.size()) {
      c_.fail_here(cat(name.text, " takes at most ", parameters.size(), " arguments: ", list_parameters(parameters)));
    } else if (parameters[index].kind != ParameterKind::kNodes) {
      ++position;
    }
    given.offsets[index] = c_.peek().offset;
    parse_argument(parameters[index].kind, index, given);
    if (!c_.accept(",") && !c_.sees(")")) c_.fail_expected("\",\" or \")\"");
  }
  c_.expect(")");
  fill_defaults(name, parameters, given);
  give_dtypes(parameters, given);
  return c_.at(name.offset, [&] {
    try {
      return operation.build(graph_, given.arguments);
    } catch (const arguments::ArgumentError& e) {
      throw Error(e.code, cat(name.text, ", ", parameters[e.index].name, ": ", e.message));
    }
  });
}

void ExpressionParser::fill_defaults(const Token& name, std::span<const Parameter> parameters, Given& given) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (given.offsets[i] != 0) continue;
    const Parameter& parameter = parameters[i];
    if (parameter.default_text.empty()) c_.fail_token(name.offset, cat(name.text, " needs ", parameter.name));
    if (parameter.default_text == "none") continue;
    Cursor text(parameter.default_text);  // a default value is parsed like an argument in the text
    ExpressionParser(text, graph_, names_, more_).parse_argument(parameter.kind, i, given);
  }
}

void ExpressionParser::give_dtypes(std::span<const Parameter> parameters, Given& given) const {
  if (given.pending.empty()) return;
  const Node* typed_operand = nullptr;
  for (size_t i = 0; i < parameters.size() && typed_operand == nullptr; ++i) {
    if (parameters[i].kind == ParameterKind::kNode)
      if (auto* node = std::get_if<const Node*>(&given.arguments[i])) typed_operand = *node;
    if (auto* nodes = std::get_if<std::vector<const Node*>>(&given.arguments[i]))
      for (const Node* node : *nodes)
        if (typed_operand == nullptr) typed_operand = node;
  }
  for (const Given::Pending& p : given.pending) {
    const ParameterKind kind = parameters[p.parameter].kind;
    const bool is_index = kind == ParameterKind::kIndices;
    if (!is_index && (typed_operand == nullptr || kind == ParameterKind::kCondition)) typed(p.literal);
    const Node* node = with_dtype(p.literal, is_index ? DType::kI64 : typed_operand->dtype);
    if (auto* nodes = std::get_if<std::vector<const Node*>>(&given.arguments[p.parameter]))
      (*nodes)[p.item] = node;
    else
      given.arguments[p.parameter] = node;
  }
}

void ExpressionParser::parse_argument(ParameterKind kind, size_t index, Given& given) {
  Argument& argument = given.arguments[index];
  if (c_.sees("none") && !c_.sees("(", 1)) {
    c_.next();
    return;
  }
  switch (kind) {
    case ParameterKind::kNode:
    case ParameterKind::kCondition:
    case ParameterKind::kIndices: {
      const Value value = parse_expression();
      if (value.node != nullptr)
        argument = value.node;
      else
        given.pending.push_back({index, 0, value});
      return;
    }
    case ParameterKind::kNodes: {
      if (!std::holds_alternative<std::vector<const Node*>>(argument)) argument = std::vector<const Node*>();
      auto& nodes = std::get<std::vector<const Node*>>(argument);
      const bool in_list = c_.accept("[");
      while (!in_list || !c_.accept("]")) {
        const Value value = parse_expression();
        if (value.node == nullptr) given.pending.push_back({index, nodes.size(), value});
        nodes.push_back(value.node);
        if (!in_list) return;
        if (!c_.accept(",") && !c_.sees("]")) c_.fail_expected("\",\" or \"]\"");
      }
      return;
    }
    case ParameterKind::kInteger:
    case ParameterKind::kSize: argument = parse_dim(c_, graph_.dims(), false); return;
    case ParameterKind::kIntegers:
    case ParameterKind::kSizes:
    case ParameterKind::kPadding:
    case ParameterKind::kSections:
      if (c_.sees("["))
        argument = parse_size_list(c_, graph_.dims());
      else
        argument = parse_dim(c_, graph_.dims(), false);
      return;
    case ParameterKind::kBool: argument = parse_literal(c_, "true or false"); return;
    case ParameterKind::kNumber:
    case ParameterKind::kLiteral: argument = parse_literal(c_); return;
    case ParameterKind::kValue: {
      if (sees_typed_literal(c_)) {  // a literal with a dtype, such as f32(0.5), is kept as a literal instead of being made a node
        argument = parse_literal(c_);
        return;
      }
      const Value value = parse_expression();
      argument = value.node != nullptr ? Argument(value.node) : Argument(value.literal);
      return;
    }
    case ParameterKind::kArray: argument = parse_array(c_); return;
    case ParameterKind::kDTypes:
      if (c_.sees("["))
        argument = parse_words(c_);
      else
        argument = c_.expect_name("a word");
      return;
    case ParameterKind::kDType:
    case ParameterKind::kWord: argument = c_.expect_name("a word"); return;
  }
}

}  // namespace harp::text
