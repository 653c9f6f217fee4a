#include "tune/lines.h"

#include <algorithm>

namespace harp::tune {

bool take_line(std::string_view& text, std::string_view key, std::string_view& value) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  if (end == text.npos || !line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') return false;
  value = line.substr(key.size() + 1);
  text.remove_prefix(end + 1);
  return true;
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return text.empty() ? "?" : text;
}

bool parse_digest(std::string_view text, Digest& digest) {
  return text.size() == 32 && parse_whole(text.substr(0, 16), digest.high, 16) && parse_whole(text.substr(16), digest.low, 16);
}

}  // namespace harp::tune
