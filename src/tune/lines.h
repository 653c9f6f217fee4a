// Reading and writing the text files that harp keeps beside the compiled programs: lines, and digests of lines.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "base/hash.h"

namespace harp::tune {

/// Removes a line "key value" from the front of the text and returns true; false if the first line has another key.
bool take_line(std::string_view& text, std::string_view key, std::string_view& value);
/// Replaces control characters, which would end the line; "?" for an empty text.
std::string one_line(std::string text);
/// Reads what Digest::hex() wrote.
bool parse_digest(std::string_view text, Digest& digest);

/// Reads a number that is the whole text. For an integer the base must be given.
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
