// Defines a position in the list of tokens, and operations that all parts of the parser share: lookahead, expected tokens, error messages
// with line and column, and a limit on nesting, so that no input can exhaust the stack.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>

#include "base/error.h"
#include "base/utf8.h"
#include "graph/graph.h"
#include "graph/text_lexer.h"

namespace harp::text {

class Cursor {
 public:
  explicit Cursor(std::string_view source) : source_(source), tokens_(tokenize(source)) {}

  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& next() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool sees(std::string_view text, size_t ahead = 0) const {
    return (peek(ahead).kind == TokenKind::kSymbol || peek(ahead).kind == TokenKind::kName) && peek(ahead).text == text;
  }
  bool sees(TokenKind kind) const { return peek().kind == kind; }
  bool accept(std::string_view text) {
    if (!sees(text)) return false;
    next();
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text)) fail_expected(cat("\"", text, "\""));
  }
  /// Returns the text as written, from `offset` to the end of the last token that was read.
  std::string_view text_since(size_t offset) const {
    const Token& last = tokens_[at_ - 1];
    return source_.substr(offset, last.offset + last.text.size() - offset);
  }
  void skip_newlines() {
    while (sees(TokenKind::kNewline)) next();
  }
  void expect_end_of_line() {
    if (!sees(TokenKind::kNewline) && !sees("}")) fail_expected("the end of the line");
    skip_newlines();
  }
  /// Reads an identifier or a quoted name.
  std::string expect_name(std::string_view what) {
    if (sees(TokenKind::kName)) return std::string(next().text);
    if (sees(TokenKind::kString)) return unquote(next().text);
    fail_expected(what);
  }
  int64_t expect_integer(bool negative = false);  // reads an integer without a sign; negates it if `negative`

  [[noreturn]] void fail_here(std::string_view message) const { fail_at(source_, peek().offset, message); }
  [[noreturn]] void fail_expected(std::string_view what) const {
    const Token& token = peek();
    const std::string found = token.kind == TokenKind::kEnd       ? "the end of the text"
                              : token.kind == TokenKind::kNewline ? "the end of the line"
                                                                  : quote(utf8_prefix(token.text, 60));
    fail_here(cat("expected ", what, ", found ", found, hint_at_logic()));
  }
  [[noreturn]] void fail_token(size_t offset, std::string_view message) const { fail_at(source_, offset, message); }

  /// Runs body(). If it throws an Error, for example from the constructor of a node, rethrows it with line and column in front of the
  /// message and the same code.
  template <class Body>
  auto at(size_t offset, Body&& body) const {
    try {
      return body();
    } catch (const Error& e) {
      const SourcePosition position = position_of(source_, offset);
      throw Error(e.code, cat("line ", position.line, ", column ", position.column, ": ", escape_invalid_utf8(e.message)));
    }
  }

  /// Counts one nesting level of brackets, calls, signs or blocks as long as the object exists. The constructor fails if there are too many
  /// levels.
  class Nested {
   public:
    explicit Nested(Cursor& cursor) : cursor_(cursor) {
      if (++cursor_.depth_ > kMaxDepth) cursor_.fail_here(cat("brackets and blocks nest deeper than ", kMaxDepth, " levels"));
    }
    ~Nested() { --cursor_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Cursor& cursor_;
  };

 private:
  static constexpr int kMaxDepth = 100;

  /// If the token belongs to a logical operator of C or Python (&&, ||, and, or), returns a hint at what to write instead; else "".
  std::string_view hint_at_logic() const {
    const auto sees_twice = [&](std::string_view symbol) { return sees(symbol) && at_ > 0 && tokens_[at_ - 1].text == symbol; };
    if (sees("and") || sees_twice("&")) return "; logical and is written &, as in (a < b) & (c < d)";
    if (sees("or") || sees_twice("|")) return "; logical or is written |, as in (a < b) | (c < d)";
    return "";
  }

  std::string_view source_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
};

/// Parses a size that is not a shape variable, such as input0[1] in the signature of a native function. If the cursor is at something else,
/// returns nothing and does not move the cursor.
using SizeNames = std::function<std::optional<Dim>(Cursor& cursor)>;
/// Parses a dimension expression. With `declare`, unknown variables are declared with the default bounds; without it, they are errors.
Dim parse_dim(Cursor& cursor, SymTable& table, bool declare, const SizeNames& more = nullptr);
/// Parses `n` or `n in 1..4096`, and declares the variable.
Dim parse_variable(Cursor& cursor, SymTable& table);

inline constexpr int64_t kDefaultLeast = 0, kDefaultGreatest = INT32_MAX;  // the bounds of a variable that is declared without bounds

}  // namespace harp::text
