// Converts text to tokens: words and literals. A vector, with everything nested in it, is one literal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "value.h"

namespace ajisai {

struct Token {
  size_t at;         // its position in the source
  std::string name;  // the name of a word, in capitals; "" for a literal
  Value literal;
};

/// The tokens of a text. Throws a Mistake if the text is wrong, an Unfinished if it ends inside a vector.
std::vector<Token> read(std::string_view text);

struct Unfinished : Mistake {
  using Mistake::Mistake;
};

/// A word as an error message shows it: control characters and bytes that are not ASCII as \xNN, and shortened if it is long.
std::string shown(std::string_view word);

}  // namespace ajisai
