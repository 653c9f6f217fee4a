// Reads and writes lines and digests, of which the text files in harp's cache directory (tuning database, measurements) consist.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "base/hash.h"

namespace harp::tune {

/// If the first line of the text is "KEY VALUE" with the given key, removes this line, sets `value`, and returns true. Otherwise returns
/// false.
bool take_line(std::string_view& text, std::string_view key, std::string_view& value);
/// Makes a text fit one line: replaces control characters by "?", and an empty text by "?".
std::string one_line(std::string text);
/// Parses the text that Digest::hex() returns. Returns whether the text is valid.
bool parse_digest(std::string_view text, Digest& digest);

/// Parses a number. Returns true if the whole text is the number, otherwise false. For an integer type the caller must pass the base.
template <class Number>
bool parse_whole(std::string_view text, Number& number, int base_or_none = 0) {
  std::from_chars_result result;
  if constexpr (std::is_floating_point_v<Number>)
    result = std::from_chars(text.data(), text.data() + text.size(), number);
  else
    result = std::from_chars(text.data(), text.data() + text.size(), number, base_or_none);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

}  // namespace harp::tune
