// Literals, lists and arrays of the text format:
//   literal  = number | dtype "(" value [ "," value ] ")"          two for complex numbers; value = number | "bits" "=" hexadecimal
//   number   = { "-" | "+" } ( integer | real | "nan" | "inf" ) | "true" | "false"
//   list     = "[" [ item { "," item } ] "]"          item = "none" | dim | "[" dim { "," dim } "]"
//   words    = "[" [ word { "," word } ] "]"
//   array    = literal | "[" [ array { "," array } ] "]"
#include "graph/text_values.h"

#include "graph/check.h"

namespace harp::text {

DType parse_dtype(Cursor& c) {
  const Token token = c.peek();
  const auto dtype = token.kind == TokenKind::kName ? dtype_from_name(token.text) : std::nullopt;
  if (!dtype || *dtype == DType::kUnknown) c.fail_expected(cat("a dtype (", dtype_names(), ")"));
  c.next();
  return *dtype;
}

std::optional<Literal> accept_literal(Cursor& c) {
  const Token token = c.peek();
  Literal literal{Literal::kReal, false, token.text, {}};
  if (token.kind == TokenKind::kInteger)
    literal.kind = Literal::kInteger;
  else if (c.sees("true") || c.sees("false"))
    literal.kind = Literal::kBool;
  else if (token.kind != TokenKind::kReal && !c.sees("nan") && !c.sees("inf"))
    return std::nullopt;
  if (token.kind == TokenKind::kInteger && token.text.starts_with("0x"))
    c.fail_expected("a value in decimal (its bits can be given in hexadecimal, as in f32(bits=0x7fc00000))");
  c.next();
  return literal;
}

namespace {

/// Parses a number that may have a sign and has no dtype, or true or false. `what` says in the error what is expected.
Literal parse_number(Cursor& c, std::string_view what) {
  bool negative = false;
  while (c.sees("-") || c.sees("+")) negative ^= c.next().text == "-";
  auto literal = accept_literal(c);
  if (!literal) c.fail_expected(what);
  if (negative && literal->kind == Literal::kBool) c.fail_here("true and false have no sign");
  literal->negative = negative;
  return *literal;
}

/// Parses the text between the parentheses of a real number such as f32(0.5).
Scalar parse_value(Cursor& c, DType dtype, size_t offset) {
  Scalar value{dtype, {0, 0}};
  if (c.accept("bits")) {  // the value can be given by its bits, because not every NaN has another notation
    c.expect("=");
    const Token bits = c.peek();
    const size_t digits = bits.text.size() < 2 ? 0 : bits.text.size() - 2;
    if (bits.kind != TokenKind::kInteger || !bits.text.starts_with("0x") || digits > 2 * size_of(dtype))
      c.fail_expected(cat("0x and up to ", 2 * size_of(dtype), " hexadecimal digits, the bits of ", name(dtype)));
    c.next();
    for (char digit : bits.text.substr(2))
      value.bits[0] = value.bits[0] << 4 | static_cast<uint64_t>(digit <= '9' ? digit - '0' : (digit | 32) - 'a' + 10);
    if (is_bool(dtype)) value.bits[0] = value.bits[0] != 0;
  } else {
    const Literal literal = parse_number(c, "a number");
    value = c.at(offset, [&] { return to_scalar(name(dtype), literal, dtype); });
  }
  return value;
}

}  // namespace

Scalar parse_typed_literal(Cursor& c) {
  const size_t offset = c.peek().offset;
  const DType dtype = parse_dtype(c);
  c.expect("(");
  Scalar value = parse_value(c, real_dtype(dtype), offset);
  if (is_complex(dtype))
    value = complex_scalar(value, c.accept(",") ? parse_value(c, real_dtype(dtype), offset) : scalar_from_int(value.dtype, 0));
  c.expect(")");
  return value;
}

bool sees_typed_literal(const Cursor& c) {
  return c.sees(TokenKind::kName) && c.sees("(", 1) && dtype_from_name(c.peek().text).has_value();
}

Literal parse_literal(Cursor& c, std::string_view what) {
  if (sees_typed_literal(c)) return {Literal::kTyped, false, {}, parse_typed_literal(c)};
  return parse_number(c, what);
}

std::vector<SizeItem> parse_size_list(Cursor& c, SymTable& table) {
  std::vector<SizeItem> items;
  c.expect("[");
  while (!c.accept("]")) {
    if (c.accept("none")) {
      items.emplace_back(std::monostate());
    } else if (c.accept("[")) {
      std::vector<Dim> inner;
      while (!c.accept("]")) {
        inner.push_back(parse_dim(c, table, false));
        if (!c.accept(",") && !c.sees("]")) c.fail_expected("\",\" or \"]\"");
      }
      items.emplace_back(std::move(inner));
    } else {
      items.emplace_back(parse_dim(c, table, false));
    }
    if (!c.accept(",") && !c.sees("]")) c.fail_expected("\",\" or \"]\"");
  }
  return items;
}

std::vector<std::string> parse_words(Cursor& c) {
  std::vector<std::string> words;
  c.expect("[");
  while (!c.accept("]")) {
    words.push_back(c.expect_name("a word"));
    if (!c.accept(",") && !c.sees("]")) c.fail_expected("\",\" or \"]\"");
  }
  return words;
}

// This function is not recursive: a loop over the tokens counts the items of every open list.
ArrayLiteral parse_array(Cursor& c) {
  ArrayLiteral array;
  std::vector<int64_t> counts;
  do {
    if (c.sees("[")) {
      if (counts.size() == static_cast<size_t>(kMaxRank)) c.fail_here(cat("lists nest deeper than ", kMaxRank, " levels"));
      if (!array.shape.empty() && counts.size() == array.shape.size()) c.fail_here("a list where a number is expected");
      c.next();
      counts.push_back(0);
      if (!c.sees("]")) continue;
    } else {
      const size_t offset = c.peek().offset;
      array.items.push_back(parse_literal(c));
      if (counts.empty()) return array;  // a single number has rank 0
      if (array.shape.empty()) array.shape.assign(counts.size(), -1);
      if (counts.size() != array.shape.size()) c.fail_token(offset, "a number where a list is expected");
      ++counts.back();
    }
    // After an item, read a comma if more items follow; else read the closing brackets of the lists that end here.
    while (!counts.empty() && !(c.accept(",") && !c.sees("]"))) {
      const Token end = c.peek();
      c.expect("]");
      if (array.shape.empty()) array.shape.assign(counts.size(), -1);
      int64_t& size = array.shape[counts.size() - 1];
      if (counts.size() > array.shape.size() || (size != -1 && size != counts.back()))
        c.fail_token(end.offset,
                     cat("this list has ", counts.back(), counts.back() == 1 ? " entry" : " entries", ", the one before has ", size));
      size = counts.back();
      counts.pop_back();
      if (!counts.empty()) ++counts.back();
    }
  } while (!counts.empty());
  for (int64_t& size : array.shape)
    if (size < 0) size = 0;
  return array;
}

}  // namespace harp::text
