// Splits a text of the text format into tokens. Newlines end statements, but not inside ( ) and [ ]; comments run from # to the end of the
// line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace harp::text {

enum class TokenKind : uint8_t { kName, kInteger, kReal, kString, kSymbol, kNewline, kEnd };

struct Token {
  TokenKind kind;
  uint32_t offset;
  std::string_view text;  // the text as written; a string includes its quotes
};

/// Line and column of an offset, both counted from 1; a column is a number of bytes.
struct SourcePosition {
  size_t line, column;
};
SourcePosition position_of(std::string_view source, size_t offset);

/// Returns the tokens of the whole text; the last one is kEnd. Throws Error{kParse} with line and column if the text contains an invalid
/// token.
std::vector<Token> tokenize(std::string_view source);

/// Returns the text of a string token without its quotes and with its escapes replaced.
std::string unquote(std::string_view token);
/// Writes a name in the format's syntax: unquoted if it is an identifier and not a keyword, else in quotes with escapes.
std::string quote_name(std::string_view name);
std::string quote(std::string_view text);
/// Returns the text for use in a message, without quotes. Control characters and bytes that are not UTF-8 are escaped.
std::string printable(std::string_view text);
/// Writes text of several lines unchanged between """ if the text allows it, else in quotes with escapes.
std::string quote_lines(std::string_view text);

bool is_identifier(std::string_view name);

/// Checks the name of a shape variable, which cannot be quoted in sizes. Throws Error{kInvalidArgument} with a message that begins with
/// `what` unless `name` is an identifier and not a keyword of sizes.
void check_variable_name(std::string_view what, std::string_view name);

/// Throws Error{kParse} with the message "line 3, column 9: …", in which bytes that are not UTF-8 are escaped.
[[noreturn]] void fail_at(std::string_view source, size_t offset, std::string_view message);

}  // namespace harp::text
