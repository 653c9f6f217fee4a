// Parses the loop language of body.h. A statement ends at the end of its line; expressions have the text format's operators and precedence.
// The depth of the syntax tree is limited, whether it comes from nested constructs or from long sums, so code that walks the tree may be
// recursive.
#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "base/error.h"
#include "graph/body.h"
#include "graph/text_values.h"

namespace harp {
namespace {

using text::Token;
using text::TokenKind;

constexpr int kMaxDepth = 256;

/// A binary operator. Operators of a higher level bind tighter.
struct Infix {
  std::string_view symbol;
  int level;
  Op op;
  // swaps: exchange the operands (a > b becomes b < a); inverts: negate the second operand (a - b becomes a + -b)
  bool swaps = false, inverts = false;
};
constexpr Infix kInfix[] = {
    {"<", 0, Op::kLt},    {"<=", 0, Op::kLe},   {">", 0, Op::kLt, true},         {">=", 0, Op::kLe, true}, {"==", 0, Op::kEq},
    {"!=", 0, Op::kNe},   {"|", 1, Op::kBitOr}, {"^", 2, Op::kBitXor},           {"&", 3, Op::kBitAnd},    {"<<", 4, Op::kShl},
    {">>", 4, Op::kShr},  {"+", 5, Op::kAdd},   {"-", 5, Op::kAdd, false, true}, {"*", 6, Op::kMul},       {"/", 6, Op::kDiv},
    {"//", 6, Op::kIdiv}, {"%", 6, Op::kRem},
};
constexpr Infix kPower = {"**", 7, Op::kPow};

/// Keywords, which cannot be names of variables.
constexpr std::string_view kReserved[] = {"let", "for", "in", "while", "break", "if", "else", "size", "true", "false", "nan", "inf"};

class BodyParser {
 public:
  BodyParser(std::string_view source, std::span<const Node* const> inputs, std::span<const DType> dtypes, const Shape& shape)
      : c_(source), inputs_(inputs), shape_(shape), is_set_(dtypes.size()) {
    body_.results = static_cast<int>(dtypes.size());
    body_.variables.assign(dtypes.begin(), dtypes.end());
    body_.lengths.assign(dtypes.size(), 0);
    ranges_.resize(dtypes.size());
    for (size_t i = 0; i < dtypes.size(); ++i) result_names_.push_back(dtypes.size() == 1 ? "output" : cat("output", i));
    scopes_.emplace_back();
    for (size_t i = 0; i < dtypes.size(); ++i) scopes_[0].emplace(result_names_[i], static_cast<int>(i));
  }

  ElementBody run() {
    c_.skip_newlines();
    body_.statements = statements();
    if (!c_.sees(TokenKind::kEnd)) c_.fail_expected("a statement");
    for (size_t i = 0; i < is_set_.size(); ++i) HARP_CHECK(is_set_[i], Code::kInvalidArgument, "the body never sets ", result_names_[i]);
    return std::move(body_);
  }

 private:
  /// What parsing an expression returns: the index of an expression node, or (if that is -1) a number whose dtype is not known yet.
  struct Value {
    int expression = -1;
    Literal literal = {};
    size_t offset = 0;
  };

  // Statements

  std::vector<BodyStatement> statements() {
    std::vector<BodyStatement> result;
    while (!c_.sees("}") && !c_.sees(TokenKind::kEnd)) {
      result.push_back(statement());
      if (!c_.sees("}") && !c_.sees(TokenKind::kEnd)) c_.expect_end_of_line();
      if (result.back().kind == BodyStatement::kBreak && !c_.sees("}")) c_.fail_expected("\"}\" after break");
    }
    return result;
  }

  std::vector<BodyStatement> block() {
    c_.expect("{");
    c_.skip_newlines();
    scopes_.emplace_back();
    std::vector<BodyStatement> result = statements();
    scopes_.pop_back();
    c_.expect("}");
    return result;
  }

  BodyStatement statement() {
    if (c_.accept("let")) return let();
    if (c_.accept("for")) return counted_loop();
    if (c_.accept("while")) return conditional_loop();
    if (c_.accept("if")) return choice();
    if (c_.sees("break")) return leave();
    const Token token = c_.peek();
    if (token.kind != TokenKind::kName) c_.fail_expected("a statement (let, for, while, if, break, or an assignment)");
    c_.next();
    if (token.text == "else") c_.fail_token(token.offset, "else must follow the } of its if on the same line");
    if (is_placeholder(token.text))
      c_.fail_token(token.offset, cat(text::quote(token.text), " cannot be set; only ", results(), " and names declared by let can"));
    const int variable = find(token);
    if (ranges_[static_cast<size_t>(variable)].is_loop)
      c_.fail_token(token.offset, cat(text::quote(token.text), " is a loop counter and cannot be set"));
    if (is_result(variable)) is_set_[static_cast<size_t>(variable)] = true;
    if (is_array(variable)) return store(variable, token);
    c_.expect("=");
    return {BodyStatement::kSet, variable, value_of(variable, token.offset)};
  }

  /// Parses the right-hand side of an assignment to a variable or to an element of a local array. Returns the index of its expression.
  int value_of(int variable, size_t offset) {
    const DType wanted = body_.variables[static_cast<size_t>(variable)];
    const int value = typed(expression(), wanted);
    const DType got = at(value).dtype;
    if (wanted != got)
      c_.at(offset, [&] {
        fail(Code::kDType, "the value is ", name(got), ", but ",
             is_result(variable) ? std::string_view(result_names_[static_cast<size_t>(variable)]) : "the variable", " is ", name(wanted),
             "; cast it, as in ", name(wanted), "(x)");
      });
    return value;
  }

  bool is_result(int variable) const { return variable < body_.results; }
  /// Returns the name by which error messages call the results: "output", or for several results a range such as "output0 to output2".
  std::string results() const { return body_.results == 1 ? "output" : cat(result_names_.front(), " to ", result_names_.back()); }

  bool is_array(int variable) const { return body_.lengths[static_cast<size_t>(variable)] > 0; }
  BodyStatement store(int variable, const Token& token) {
    const int index = element_index(token);
    const bool inside = is_inside(index, body_.lengths[static_cast<size_t>(variable)]);
    BodyStatement result{.kind = BodyStatement::kStore, .variable = variable, .index = index};
    if (!inside) result.site = add_site({-1, 0, std::string(token.text)});
    c_.expect("=");
    result.value = value_of(variable, token.offset);
    return result;
  }
  /// Parses the index of an element of a local array.
  int element_index(const Token& array) {
    if (!c_.accept("["))
      c_.fail_token(array.offset, cat(text::quote(array.text), " is an array; name one of its elements, as in ", array.text, "[0]"));
    const int result = index();
    c_.expect("]");
    return result;
  }
  int add_site(BodySite site) {
    body_.sites.push_back(std::move(site));
    return static_cast<int>(body_.sites.size()) - 1;
  }

  /// Declares a variable in the innermost block. Fails if a variable of this name is visible here, or if the name is reserved.
  int declare(const Token& token, DType dtype, int64_t length = 0) {
    for (const auto& scope : scopes_)
      if (scope.contains(token.text)) c_.fail_token(token.offset, cat(text::quote(token.text), " is already declared"));
    const bool names_result = token.text == "output" || (body_.results > 1 && numbered(token.text, "output") >= 0);
    if (names_result || is_placeholder(token.text)) c_.fail_token(token.offset, cat(text::quote(token.text), " is a reserved name"));
    const int variable = static_cast<int>(body_.variables.size());
    body_.variables.push_back(dtype);
    body_.lengths.push_back(length);
    ranges_.emplace_back();
    scopes_.back().emplace(token.text, variable);
    return variable;
  }
  static bool is_placeholder(std::string_view name) {
    for (const std::string_view prefix : {"input", "shape", "ridx"})
      if (numbered(name, prefix) >= 0) return true;
    const auto op = op_from_name(name);
    return std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved) || dtype_from_name(name).has_value() ||
           (op && info(*op).family == Family::kElementwise);
  }

  BodyStatement let() {
    const Token token = c_.peek();
    if (token.kind != TokenKind::kName) c_.fail_expected("a name");
    c_.next();
    c_.expect("=");
    if (const auto dtype = dtype_from_name(c_.peek().text); dtype && *dtype != DType::kUnknown && c_.sees("[", 1))
      return let_array(token, *dtype);
    const int value = typed(expression(), std::nullopt);
    return {BodyStatement::kSet, declare(token, at(value).dtype), value};
  }
  /// Parses the declaration of a local array, such as f32[8].
  BodyStatement let_array(const Token& token, DType dtype) {
    const Token type = c_.next();
    if (is_complex(dtype)) c_.fail_token(type.offset, cat(type.text, ": a body computes with real numbers"));
    c_.expect("[");
    const size_t offset = c_.peek().offset;
    const int64_t length = c_.expect_integer();
    c_.expect("]");
    if (length < 1 || length > ElementBody::kMaxElements - elements_)
      c_.at(offset, [&] {
        fail(Code::kRange, "an array of ", length, length == 1 ? " element" : " elements", elements_ > 0 ? cat(" after ", elements_) : "",
             "; the arrays of a body have 1 to ", ElementBody::kMaxElements, " elements in all");
      });
    elements_ += length;
    body_.has_arrays = true;
    return {BodyStatement::kClear, declare(token, dtype, length)};
  }

  BodyStatement counted_loop() {
    text::Cursor::Nested level(c_);
    const Token token = c_.peek();
    if (token.kind != TokenKind::kName) c_.fail_expected("a name");
    c_.next();
    if (!c_.accept("in")) c_.fail_expected("\"in\"");
    const int begin = bound();
    c_.expect("..");
    const int end = bound();
    scopes_.emplace_back();
    const int variable = declare(token, DType::kI64);
    ranges_[static_cast<size_t>(variable)] = {true, begin, end};
    std::vector<BodyStatement> inner = loop_block();
    scopes_.pop_back();
    return {BodyStatement::kFor, variable, begin, end, std::move(inner)};
  }
  BodyStatement conditional_loop() {
    text::Cursor::Nested level(c_);
    const int goes_on = condition();
    return {BodyStatement::kWhile, -1, goes_on, -1, loop_block()};
  }
  std::vector<BodyStatement> loop_block() {
    body_.has_loop = true;
    ++open_loops_;
    std::vector<BodyStatement> inner = block();
    --open_loops_;
    return inner;
  }
  BodyStatement leave() {
    if (open_loops_ == 0) c_.fail_here("break stands in no loop");
    c_.next();
    return {BodyStatement::kBreak};
  }
  int bound() {
    const size_t offset = c_.peek().offset;
    const int value = typed(expression(), DType::kI64);
    if (!is_int(at(value).dtype))
      c_.at(offset, [&] { fail(Code::kDType, "a bound of a loop is ", name(at(value).dtype), ", not an integer"); });
    return as_i64(value, offset);
  }

  BodyStatement choice() {
    text::Cursor::Nested level(c_);
    const int chooses = condition();
    BodyStatement result{BodyStatement::kIf, -1, chooses, -1, block()};
    if (!c_.accept("else")) return result;
    if (c_.accept("if"))
      result.otherwise.push_back(choice());
    else
      result.otherwise = block();
    return result;
  }
  int condition() {
    const size_t offset = c_.peek().offset;
    const int value = typed(expression(), std::nullopt);
    if (!is_bool(at(value).dtype)) c_.at(offset, [&] { fail(Code::kDType, "the condition is ", name(at(value).dtype), ", not bool"); });
    return value;
  }

  // Expressions

  const BodyExpression& at(int expression) const { return body_.expressions[static_cast<size_t>(expression)]; }

  int add(BodyExpression e, size_t offset) {
    for (const int operand : e.operands) e.depth = std::max(e.depth, at(operand).depth + 1);
    if (e.depth > kMaxDepth) c_.fail_token(offset, cat("the expression nests more than ", kMaxDepth, " operations"));
    body_.expressions.push_back(std::move(e));
    return static_cast<int>(body_.expressions.size()) - 1;
  }

  /// Converts a value to an expression and returns the index of that expression. A literal gets the dtype `wanted`; without `wanted`, a
  /// whole number becomes an i64.
  int typed(const Value& value, std::optional<DType> wanted) {
    if (value.expression >= 0) return value.expression;
    if (!wanted && value.literal.kind == Literal::kReal)
      c_.fail_token(value.offset,
                    cat("the dtype of ", text::quote(value.literal.text), " is not known; write it, as in f32(", value.literal.text, ")"));
    const DType dtype = wanted.value_or(value.literal.kind == Literal::kBool ? DType::kBool : DType::kI64);
    const Scalar scalar = c_.at(value.offset, [&] { return to_scalar("number", value.literal, dtype); });
    return add({BodyKind::kConstant, dtype, scalar}, value.offset);
  }

  const Infix* see_infix(int least) const {
    for (const Infix& infix : kInfix)
      if (infix.level >= least && c_.sees(infix.symbol)) return &infix;
    return nullptr;
  }

  Value expression(int level = 0) {
    Value left = unary();
    while (const Infix* infix = see_infix(level)) {
      const size_t offset = c_.next().offset;
      const Value right = expression(infix->level + 1);
      left = combine(*infix, left, right, offset);
      if (infix->level == 0 && see_infix(0) != nullptr && see_infix(0)->level == 0) c_.fail_here("comparisons do not chain");
    }
    return left;
  }

  Value combine(const Infix& infix, const Value& left, const Value& right, size_t offset) {
    std::optional<DType> dtype;
    if (left.expression >= 0) dtype = at(left.expression).dtype;
    if (!dtype && right.expression >= 0) dtype = at(right.expression).dtype;
    const int a = typed(left, dtype), b = typed(right, dtype);
    if (infix.inverts) return {apply(Op::kAdd, {a, apply(Op::kNeg, {b}, offset)}, offset), {}, offset};
    return {infix.swaps ? apply(infix.op, {b, a}, offset) : apply(infix.op, {a, b}, offset), {}, offset};
  }

  int apply(Op op, std::vector<int> operands, size_t offset) {
    const OpInfo& row = info(op);
    DType dtype = DType::kUnknown;
    for (size_t i = 0; i < operands.size(); ++i) {
      const DType mine = at(operands[i]).dtype;
      if (!is_operand(op, i)) {
        if (!is_bool(mine)) c_.at(offset, [&] { fail(Code::kDType, row.name, ": the condition is ", name(mine), ", not bool"); });
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

  Value unary() {
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

  /// ** binds tighter than a unary sign before it, and looser than a unary sign after it.
  Value power() {
    const Value base = primary();
    if (!c_.sees("**")) return base;
    text::Cursor::Nested level(c_);
    const size_t offset = c_.next().offset;
    return combine(kPower, base, unary(), offset);
  }

  Value primary() {
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

  /// Returns N if the name is the prefix followed by a number N, such as input12; else -1.
  static int numbered(std::string_view name, std::string_view prefix) {
    if (!name.starts_with(prefix)) return -1;
    const std::string_view digits = name.substr(prefix.size());
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc::result_out_of_range && !digits.empty()) return INT32_MAX;
    return error == std::errc() && end == digits.data() + digits.size() && number >= 0 ? number : -1;
  }

  int find(const Token& token) const {
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

  int named(const Token& token) {
    if (const int input = numbered(token.text, "input"); input >= 0) return load(token, input);
    const int position = numbered(token.text, "ridx"), size = numbered(token.text, "shape");
    if (position >= 0 || size >= 0) {
      const int axis = std::max(position, size);
      if (static_cast<size_t>(axis) >= shape_.size())
        c_.at(token.offset, [&] {
          fail(Code::kShape, token.text.substr(0, 40), ": the result has no axis ", axis, "; its shape is ", to_string(shape_));
        });
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

  int checked_input(const Token& token, int input) const {
    if (static_cast<size_t>(input) >= inputs_.size())
      c_.fail_token(token.offset, cat(token.text.substr(0, 40), ", but there ",
                                      inputs_.empty()       ? std::string("are no inputs")
                                      : inputs_.size() == 1 ? std::string("is only input0")
                                                            : cat("are only input0 to input", inputs_.size() - 1)));
    return input;
  }

  int load(const Token& token, int input) {
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
  int index() {
    const size_t offset = c_.peek().offset;
    const int value = typed(expression(), DType::kI64);
    if (!is_int(at(value).dtype)) c_.at(offset, [&] { fail(Code::kDType, "an index is ", name(at(value).dtype), ", not an integer"); });
    return as_i64(value, offset);
  }
  int as_i64(int value, size_t offset) {
    if (at(value).dtype == DType::kI64) return value;
    // Values above INT64_MAX are clamped to INT64_MAX, which is not a valid index of any axis.
    if (at(value).dtype == DType::kU64)
      value = apply(Op::kMin, {value, add({BodyKind::kConstant, DType::kU64, Scalar::of(DType::kU64, INT64_MAX)}, offset)}, offset);
    return add({.kind = BodyKind::kApply, .dtype = DType::kI64, .op = Op::kCast, .operands = {value}}, offset);
  }
  /// True if the index is proven to be in 0 … size - 1, so that no check at run time is needed.
  bool is_inside(int index, Dim size) const {
    const BodyExpression& e = at(index);
    if (e.kind == BodyKind::kConstant) return e.value.as<int64_t>() >= 0 && proven_nonnegative(size - 1 - Dim(e.value.as<int64_t>()));
    if (e.kind == BodyKind::kPosition) return shape_[static_cast<size_t>(e.axis)] == size;
    if (e.kind != BodyKind::kVariable) return false;
    const LoopRange& range = ranges_[static_cast<size_t>(e.variable)];
    if (!range.is_loop || at(range.begin).kind != BodyKind::kConstant) return false;
    // Lowering converts an index that needs no check to a size expression, and assumes that it is at most 2^61 (lower/custom_body.cpp). If
    // a constant bound of the loop is larger, the index is checked at run time.
    constexpr int64_t kMostPosition = int64_t{1} << 61;
    if (const auto begin = at(range.begin).value.as<int64_t>(); begin < 0 || begin > kMostPosition) return false;
    const BodyExpression& end = at(range.end);
    if (end.kind == BodyKind::kConstant)
      return end.value.as<int64_t>() >= -kMostPosition && proven_nonnegative(size - Dim(end.value.as<int64_t>()));
    return end.kind == BodyKind::kSize && size_of_axis(end) == size;
  }
  Dim size_of_axis(const BodyExpression& e) const {
    return e.array == ElementBody::kOutput ? shape_[static_cast<size_t>(e.axis)]
                                           : inputs_[static_cast<size_t>(e.array)]->shape[static_cast<size_t>(e.axis)];
  }

  int call(const Token& function) {
    c_.expect("(");
    if (function.text == "size") return size_call(function);
    std::vector<Value> values;
    while (!c_.accept(")")) {
      if (!values.empty() && !c_.accept(",")) c_.fail_expected("\",\" or \")\"");
      if (values.size() == 4) c_.fail_here("too many arguments");
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
    for (size_t i = 0; i < values.size(); ++i)
      operands.push_back(typed(values[i], is_operand(*op, i) ? dtype : std::optional(DType::kBool)));
    return apply(*op, std::move(operands), function.offset);
  }

  int convert(const Token& function, DType dtype, const std::vector<Value>& values) {
    if (values.size() != 1) c_.fail_token(function.offset, cat(function.text, " takes 1 argument, but got ", values.size()));
    if (is_complex(dtype))
      c_.fail_token(function.offset, cat(function.text, ": a body computes with real numbers; take real() and imag() of the array first"));
    const int value = typed(values[0], dtype);
    if (at(value).dtype == dtype) return value;
    return add({.kind = BodyKind::kApply, .dtype = dtype, .op = Op::kCast, .operands = {value}}, function.offset);
  }

  /// Parses the arguments of a call of size(), such as size(input0, 1) or size(output, 0).
  int size_call(const Token& function) {
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

  /// The bounds of a `for` loop, as indices of expressions. The loop variable runs from `begin` to `end` - 1.
  struct LoopRange {
    bool is_loop = false;
    int begin = -1, end = -1;
  };

  text::Cursor c_;
  const std::span<const Node* const> inputs_;
  const Shape& shape_;
  ElementBody body_;
  std::vector<std::unordered_map<std::string_view, int>> scopes_;
  std::vector<LoopRange> ranges_;  // by variable number
  int64_t elements_ = 0;           // number of elements of all local arrays declared so far
  int open_loops_ = 0;             // number of loops around the current statement
  std::vector<bool> is_set_;       // for each result: whether a statement sets it
  std::vector<std::string> result_names_;
};

}  // namespace

bool has_break(const std::vector<BodyStatement>& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const BodyStatement& s) {
    return s.kind == BodyStatement::kBreak || (s.kind == BodyStatement::kIf && (has_break(s.body) || has_break(s.otherwise)));
  });
}

std::shared_ptr<const ElementBody> parse_body(std::string_view text, std::span<const Node* const> inputs, std::span<const DType> dtypes,
                                              const Shape& shape) {
  return std::make_shared<const ElementBody>(BodyParser(text, inputs, dtypes, shape).run());
}

}  // namespace harp
