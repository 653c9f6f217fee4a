#include "render/text/words.h"

namespace harp::render {

std::string comment_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '/' && out.ends_with('*')) out += ' ';
    if (c == '*' && out.ends_with('/')) out += ' ';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

bool mentions(std::string_view text, std::string_view name) {
  const auto is_word = [](char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

}  // namespace harp::render
