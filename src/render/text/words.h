// Searches C text, and makes users' names safe to insert into it.
#pragma once

#include <string>
#include <string_view>

namespace harp::render {

/// Makes a user's name or note safe inside a comment of C: splits the character pairs that begin or end a comment by a space, and replaces
/// line breaks and other control characters by spaces.
std::string comment_text(std::string_view text);

/// Tests whether the text contains this name as a whole word.
bool mentions(std::string_view text, std::string_view name);

inline bool is_word_character(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Calls use(word) for each name and each number in the text, in order, except in comments.
template <class Use>
void for_each_word(std::string_view text, Use use) {
  for (size_t at = 0; at < text.size();) {
    if (text.compare(at, 2, "/*") == 0) {
      at = text.find("*/", at + 2);
      if (at == std::string_view::npos) return;
      at += 2;
    } else if (!is_word_character(text[at])) {
      ++at;
    } else {
      const size_t begin = at;
      while (at < text.size() && is_word_character(text[at])) ++at;
      use(text.substr(begin, at - begin));
    }
  }
}

}  // namespace harp::render
