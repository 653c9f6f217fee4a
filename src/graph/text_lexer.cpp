// Implements the lexer of the text format; see text_lexer.h.
#include "graph/text_lexer.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/utf8.h"

namespace harp::text {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
int hex_value(char c) { return is_digit(c) ? c - '0' : (c | 32) - 'a' + 10; }

// All symbols. A symbol comes before its own prefixes, so that the longest symbol matches.
constexpr std::string_view kSymbols[] = {"...", "..", "//", "**", "==", "!=", "<=", ">=", "<<", ">>", "(", ")", "[", "]", "{", "}",
                                         ",",   ":",  "=",  "<",  ">",  "+",  "-",  "*",  "/",  "%",  "&", "|", "^", "~", "@"};
// Keywords outside sizes.
constexpr std::string_view kReserved[] = {"return", "shape", "graph", "none", "true", "false", "nan", "inf"};
// Keywords inside sizes.
constexpr std::string_view kReservedInSizes[] = {"in", "min", "max", "select"};

template <size_t N>
bool is_in(const std::string_view (&words)[N], std::string_view name) {
  return std::find(std::begin(words), std::end(words), name) != std::end(words);
}

constexpr std::string_view kLines = "\"\"\"";  // the quotes around text of several lines, in which a backslash has no special meaning

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (c == '#') {
        at_ = std::min(source_.find('\n', at_), source_.size());
      } else if (c == '\n') {
        if (nesting_ == 0 && !tokens.empty() && tokens.back().kind != TokenKind::kNewline)
          push(tokens, TokenKind::kNewline, 1);
        else
          ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (is_letter(c)) {
        push(tokens, TokenKind::kName, length_of([](char ch) { return is_letter(ch) || is_digit(ch); }));
      } else if (is_digit(c)) {
        push_number(tokens);
      } else if (c == '"') {
        push(tokens, TokenKind::kString, string_length());
        // A name must not contain a zero byte: the C API returns names as C strings, which end at the first zero byte.
        if (unquote(tokens.back().text).find('\0') != std::string::npos) fail_at(source_, tokens.back().offset, "a zero byte in a name");
      } else {
        push_symbol(tokens);
      }
    }
    tokens.push_back({TokenKind::kEnd, static_cast<uint32_t>(source_.size()), {}});
    return tokens;
  }

 private:
  void push(std::vector<Token>& tokens, TokenKind kind, size_t length) {
    tokens.push_back({kind, static_cast<uint32_t>(at_), source_.substr(at_, length)});
    at_ += length;
  }
  char peek(size_t ahead) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  template <class Accept>
  size_t length_of(Accept accept, size_t from = 0) const {
    while (at_ + from < source_.size() && accept(source_[at_ + from])) ++from;
    return from;
  }

  void push_number(std::vector<Token>& tokens) {
    TokenKind kind = TokenKind::kInteger;
    size_t length;
    if (peek(0) == '0' && peek(1) == 'x') {
      length = length_of(is_hex_digit, 2);
      if (length == 2) fail_at(source_, at_, "expected hexadecimal digits after 0x, as in 0x7fc00000");
    } else {
      length = length_of(is_digit);
      // A single dot begins a fraction; two dots belong to a range such as 1..4096.
      if (peek(length) == '.' && peek(length + 1) != '.') {
        kind = TokenKind::kReal;
        length = length_of(is_digit, length + 1);
      }
      if (peek(length) == 'e' || peek(length) == 'E') {
        const size_t sign = peek(length + 1) == '+' || peek(length + 1) == '-';
        if (is_digit(peek(length + 1 + sign))) {
          kind = TokenKind::kReal;
          length = length_of(is_digit, length + 1 + sign);
        }
      }
    }
    if (is_letter(peek(length))) fail_at(source_, at_, cat("\"", shortened(source_.substr(at_, length + 1)), "\" is not a number"));
    push(tokens, kind, length);
  }

  size_t string_length() const {
    if (source_.substr(at_, 3) == kLines) {
      const size_t end = source_.find(kLines, at_ + 3);
      if (end == source_.npos) fail_at(source_, at_, "the text that begins here has no closing \"\"\"");
      return end + 3 - at_;
    }
    for (size_t i = 1; at_ + i < source_.size() && source_[at_ + i] != '\n'; ++i) {
      if (source_[at_ + i] == '"') return i + 1;
      if (source_[at_ + i] == '\\') ++i;
    }
    fail_at(source_, at_, "the string that begins here has no closing quote on its line");
  }

  void push_symbol(std::vector<Token>& tokens) {
    for (std::string_view symbol : kSymbols) {
      if (source_.substr(at_, symbol.size()) != symbol) continue;
      if (symbol == "(" || symbol == "[") ++nesting_;
      if ((symbol == ")" || symbol == "]") && nesting_ > 0) --nesting_;
      return push(tokens, TokenKind::kSymbol, symbol.size());
    }
    fail_at(source_, at_, cat("unexpected character ", quote(source_.substr(at_, std::max<size_t>(utf8_length(source_.substr(at_)), 1)))));
  }

  std::string_view source_;
  size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

SourcePosition position_of(std::string_view source, size_t offset) {
  const std::string_view before = source.substr(0, offset);
  const size_t line_start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  return {static_cast<size_t>(std::count(before.begin(), before.end(), '\n')) + 1, offset - line_start + 1};
}

void fail_at(std::string_view source, size_t offset, std::string_view message) {
  const SourcePosition position = position_of(source, offset);
  fail(Code::kParse, "line ", position.line, ", column ", position.column, ": ", escape_invalid_utf8(message));
}

std::vector<Token> tokenize(std::string_view source) {
  HARP_CHECK(source.size() < UINT32_MAX, Code::kParse, "the text has ", source.size(), " bytes; at most ", UINT32_MAX, " are read");
  return Lexer(source).run();
}

std::string unquote(std::string_view token) {
  if (token.size() >= 6 && token.starts_with(kLines)) return std::string(token.substr(3, token.size() - 6));
  std::string result;
  for (size_t i = 1; i + 1 < token.size(); ++i) {
    char c = token[i];
    if (c == '\\') {
      c = token[++i];
      if (c == 'n')
        c = '\n';
      else if (c == 't')
        c = '\t';
      else if (c == 'x' && i + 3 < token.size() && is_hex_digit(token[i + 1]) && is_hex_digit(token[i + 2])) {
        c = static_cast<char>(hex_value(token[i + 1]) * 16 + hex_value(token[i + 2]));
        i += 2;
      }
    }
    result += c;
  }
  return result;
}

std::string printable(std::string_view text) {
  std::string result;
  for (char c : escape_invalid_utf8(text)) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 32 || byte == 127)
      append_hex_escape(result, c);
    else
      result += c;
  }
  return result;
}

std::string quote(std::string_view text) {
  std::string escaped;
  for (char c : text) escaped += c == '"' || c == '\\' ? cat("\\", c) : std::string(1, c);
  return cat("\"", printable(escaped), "\"");
}

std::string quote_lines(std::string_view text) {
  const bool stands_for_itself = text.find(kLines) == text.npos && !text.ends_with('"');
  return stands_for_itself ? cat(kLines, text, kLines) : quote(text);
}

bool is_identifier(std::string_view name) {
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::string quote_name(std::string_view name) { return is_identifier(name) && !is_in(kReserved, name) ? std::string(name) : quote(name); }

void check_variable_name(std::string_view what, std::string_view name) {
  HARP_CHECK(is_identifier(name), Code::kInvalidArgument, what, ": ", quote(name),
             " is not a valid name for a size; use letters, digits and _, and do not begin with a digit");
  HARP_CHECK(!is_in(kReserved, name) && !is_in(kReservedInSizes, name), Code::kInvalidArgument, what, ": ", quote(name),
             " is not a valid name for a size: it is a reserved word of the text format (", join(kReserved, ", "), ", ",
             join(kReservedInSizes, ", "), ")");
}

}  // namespace harp::text
