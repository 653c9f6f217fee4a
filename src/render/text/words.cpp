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
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !is_word_character(text[at - 1])) && (end == text.size() || !is_word_character(text[end]))) return true;
  }
  return false;
}

}  // namespace harp::render
