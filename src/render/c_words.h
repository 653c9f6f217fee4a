// Looking at C text and putting the user's words into it.
#pragma once

#include <string>
#include <string_view>

namespace harp::render {

/// Names and notes of users inside a comment: no end of comment, no line breaks.
std::string comment_text(std::string_view text);

/// Does the text have this name in it, as a word of its own?
bool mentions(std::string_view text, std::string_view name);

}  // namespace harp::render
