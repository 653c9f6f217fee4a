#include "base/utf8.h"

#include <algorithm>
#include <cstdint>

namespace harp {

size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (text.empty()) return 0;
  if (byte(0) < 0x80) return 1;
  const size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const uint8_t second = byte(1);
  const bool is_overlong = (byte(0) == 0xE0 && second < 0xA0) || (byte(0) == 0xF0 && second < 0x90);
  const bool is_no_character = (byte(0) == 0xED && second >= 0xA0) || (byte(0) == 0xF4 && second >= 0x90);
  return is_overlong || is_no_character ? 0 : length;
}

std::string_view utf8_prefix(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  for (size_t back = 1; back <= 3 && back <= bytes; ++back)
    if (utf8_length(text.substr(bytes - back)) > back) return text.substr(0, bytes - back);
  return text.substr(0, bytes);
}

std::string escape_invalid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0)
      append_hex_escape(out, text.front());
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

void append_hex_escape(std::string& out, char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto value = static_cast<uint8_t>(byte);
  out += "\\x";
  out += kDigits[value >> 4];
  out += kDigits[value & 15];
}

}  // namespace harp
