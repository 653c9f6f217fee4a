// Dimension expressions of the text format:
//   dim     = term { ("+" | "-") term }
//   term    = factor { ("*" | "//" | "%") factor }
//   factor  = "-" factor | "+" factor | integer | variable | "(" dim ")" | ("min" | "max") "(" dim "," dim ")"
//           | "select" "(" dim ">=" "0" "," dim "," dim ")"
#include <charconv>
#include <limits>

#include "graph/check.h"
#include "graph/text_cursor.h"

namespace harp::text {

int64_t Cursor::expect_integer(bool negative) {
  const Token& token = peek();
  if (token.kind != TokenKind::kInteger) fail_expected("an integer");
  const bool is_hex = token.text.starts_with("0x");
  const std::string_view digits = is_hex ? token.text.substr(2) : token.text;
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, is_hex ? 16 : 10);
  const uint64_t most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + negative;
  if (error != std::errc() || end != digits.data() + digits.size() || magnitude > most)
    fail_here(cat(negative ? "-" : "", shortened(token.text), " does not fit 64 bits"));
  next();
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

namespace {

class DimParser {
 public:
  DimParser(Cursor& cursor, SymTable& table, bool declare, const SizeNames& more)
      : c_(cursor), table_(table), declare_(declare), more_(more) {}

  Dim sum() {
    Dim result = term();
    while (c_.sees("+") || c_.sees("-")) {
      const Token op = c_.next();
      const Dim other = term();
      result = checked(op.offset, [&] { return op.text == "+" ? result + other : result - other; });
    }
    return result;
  }

 private:
  /// Runs one operation on expressions. Fails if the result has more than kMaxDimWeight terms and factors, because a long text could
  /// otherwise build an expression of any size.
  template <class Operation>
  Dim checked(size_t offset, Operation operation) {
    const Dim result = c_.at(offset, operation);
    if (!result.is_constant() && result.node()->weight > kMaxDimWeight)
      c_.fail_token(offset, cat("the expression is too long; at most ", kMaxDimWeight, " terms and factors are allowed"));
    return result;
  }

  Dim term() {
    Dim result = factor();
    while (c_.sees("*") || c_.sees("//") || c_.sees("%")) {
      const Token op = c_.next();
      const Dim other = factor();
      result = checked(op.offset, [&] {
        return op.text == "*" ? result * other : op.text == "//" ? floor_div(result, other) : mod(result, other);
      });
    }
    return result;
  }

  Dim factor() {
    const Token token = c_.peek();
    if (token.kind == TokenKind::kInteger) return c_.expect_integer();
    if (token.kind == TokenKind::kName && more_)
      if (const std::optional<Dim> known = more_(c_)) return *known;
    if (token.kind == TokenKind::kName && !c_.sees("(", 1)) return variable();
    Cursor::Nested level(c_);
    if (c_.accept("-")) {
      if (c_.peek().kind == TokenKind::kInteger) return c_.expect_integer(true);
      const Dim operand = factor();
      return c_.at(token.offset, [&] { return -operand; });
    }
    if (c_.accept("+")) return factor();
    if (c_.accept("(")) {
      const Dim inner = sum();
      c_.expect(")");
      return inner;
    }
    if (token.kind != TokenKind::kName) c_.fail_expected("a size");
    return call();
  }

  Dim variable() {
    const Token token = c_.next();
    if (const auto known = table_.find_variable(token.text)) return *known;
    if (!declare_)
      c_.fail_token(token.offset, cat("unknown shape variable ", quote(token.text), "; the inputs or a shape statement declare them"));
    return c_.at(token.offset, [&] {
      check_variable_name("shape variable", token.text);
      return table_.variable(token.text, kDefaultLeast, kDefaultGreatest);
    });
  }

  Dim call() {
    const Token function = c_.next();
    c_.expect("(");
    Dim condition = 0;
    if (function.text == "select") {
      condition = sum();
      c_.expect(">=");
      if (c_.expect_integer() != 0) c_.fail_token(function.offset, "select compares with 0, as in select(n - 1 >= 0, a, b)");
      c_.expect(",");
    } else if (function.text != "min" && function.text != "max") {
      c_.fail_token(function.offset, cat("sizes have no function ", quote(function.text), "; expected min, max or select"));
    }
    const Dim a = sum();
    c_.expect(",");
    const Dim b = sum();
    c_.expect(")");
    return checked(function.offset, [&] {
      return function.text == "min" ? min(a, b) : function.text == "max" ? max(a, b) : select(condition, a, b);
    });
  }

  Cursor& c_;
  SymTable& table_;
  bool declare_;
  const SizeNames& more_;
};

int64_t parse_bound(Cursor& cursor) {
  const bool negative = cursor.accept("-");
  return cursor.expect_integer(negative);
}

}  // namespace

Dim parse_dim(Cursor& cursor, SymTable& table, bool declare, const SizeNames& more) {
  return DimParser(cursor, table, declare, more).sum();
}

Dim parse_variable(Cursor& cursor, SymTable& table) {
  const Token token = cursor.peek();
  if (token.kind != TokenKind::kName) cursor.fail_expected("the name of a shape variable");
  cursor.next();
  int64_t least = kDefaultLeast, greatest = kDefaultGreatest;
  if (cursor.accept("in")) {
    least = parse_bound(cursor);
    cursor.expect("..");
    greatest = parse_bound(cursor);
  } else if (const auto known = table.find_variable(token.text)) {
    return *known;
  }
  return cursor.at(token.offset, [&] {
    check_variable_name("shape variable", token.text);
    return table.variable(token.text, least, greatest);
  });
}

}  // namespace harp::text
