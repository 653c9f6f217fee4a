// Tokens of the text format. Newlines end statements, but not inside ( ) and [ ]; comments run from # to the end of the line.
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
  std::string_view text;  // as written; a string with its quotes
};

/// Line and column of an offset, both from 1; columns count bytes.
struct Place {
  size_t line, column;
};
Place place_of(std::string_view source, size_t offset);

/// The whole text; the last token is kEnd. Throws Error{kParse} with the place.
std::vector<Token> tokenize(std::string_view source);

/// The text of a string token, escapes resolved.
std::string unquote(std::string_view token);
/// A name as the format writes it: bare if it is an identifier that means nothing else, else in quotes with escapes.
std::string quote_name(std::string_view name);
std::string quote(std::string_view text);
/// Without quotes, control characters written out: for messages.
std::string printable(std::string_view text);
/// Text of several lines, as it is, between """ wherever that can be.
std::string quote_lines(std::string_view text);

bool is_identifier(std::string_view name);

/// Names of shape variables stand in sizes, where nothing can be quoted: Error{kInvalidArgument}, beginning with `what`, unless `name`
/// is an identifier that means nothing else there.
void check_variable_name(std::string_view what, std::string_view name);

/// Error{kParse} "line 3, column 9: …".
[[noreturn]] void fail_at(std::string_view source, size_t offset, std::string_view message);

}  // namespace harp::text
