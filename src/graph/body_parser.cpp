// Parses the loop language of body.h. A statement ends at the end of its line; body_expression_parser.cpp parses expressions. The depth of
// the syntax tree is limited, whether it comes from nested constructs or from long sums, so code that walks the tree may be recursive.
#include <algorithm>

#include "base/error.h"
#include "graph/body.h"
#include "graph/body_expression_parser.h"

namespace harp {
namespace {

using text::Token;
using text::TokenKind;

/// Keywords, which cannot be names of variables.
constexpr std::string_view kReserved[] = {"let", "for", "in", "while", "break", "if", "else", "size", "true", "false", "nan", "inf"};

class BodyParser : BodyExpressionParser {
 public:
  BodyParser(std::string_view source, std::span<const Node* const> inputs, std::span<const DType> dtypes, const Shape& shape)
      : BodyExpressionParser(source, inputs, dtypes, shape), is_set_(dtypes.size()) {}

  ElementBody run() {
    c_.skip_newlines();
    body_.statements = statements();
    if (!c_.sees(TokenKind::kEnd)) c_.fail_expected("a statement");
    for (size_t i = 0; i < is_set_.size(); ++i) HARP_CHECK(is_set_[i], Code::kInvalidArgument, "the body never sets ", result_names_[i]);
    return std::move(body_);
  }

 private:
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
  BodyStatement store(int variable, const Token& token) {
    const int index = element_index(token);
    const bool inside = is_inside(index, body_.lengths[static_cast<size_t>(variable)]);
    BodyStatement result{.kind = BodyStatement::kStore, .variable = variable, .index = index};
    if (!inside) result.site = add_site({-1, 0, std::string(token.text)});
    c_.expect("=");
    result.value = value_of(variable, token.offset);
    return result;
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
        fail(Code::kRange, "the array has ", length, length == 1 ? " element" : " elements",
             elements_ > 0 ? cat(", and the arrays before it have ", elements_) : "",
             "; an array must have at least 1, and all arrays of a body together at most ", ElementBody::kMaxElements);
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
    if (open_loops_ == 0) c_.fail_here("break must be inside a loop (for or while)");
    c_.next();
    return {BodyStatement::kBreak};
  }
  int bound() {
    const size_t offset = c_.peek().offset;
    const int value = typed(expression(), DType::kI64);
    if (!is_int(at(value).dtype))
      c_.at(offset, [&] { fail(Code::kDType, "a bound of a loop must be an integer, got ", name(at(value).dtype)); });
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
    if (!is_bool(at(value).dtype)) c_.at(offset, [&] { fail(Code::kDType, "the condition must be bool, got ", name(at(value).dtype)); });
    return value;
  }

  int64_t elements_ = 0;      // number of elements of all local arrays declared so far
  int open_loops_ = 0;        // number of loops around the current statement
  std::vector<bool> is_set_;  // for each result: whether a statement sets it
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
