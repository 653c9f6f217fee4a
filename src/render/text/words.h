// Searches C text and inserts users' names into it.
#pragma once

#include <string>
#include <string_view>

namespace harp::render {

/// Makes users' names and notes safe inside a comment: removes comment ends and line breaks.
std::string comment_text(std::string_view text);

/// Tests whether the text contains this name as a whole word.
bool mentions(std::string_view text, std::string_view name);

}  // namespace harp::render
