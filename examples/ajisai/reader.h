// Text to tokens: words, and literals, in which a vector with all that is nested in it is one token.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "value.h"

namespace ajisai {

struct Token {
  size_t at;         // where it begins in the source
  std::string name;  // of a word, in capitals; "" for a literal
  Value literal;
};

/// The tokens of a text. A text that is wrong is a Mistake; one that ends inside of a vector is an Unfinished.
std::vector<Token> read(std::string_view text);

struct Unfinished : Mistake {
  using Mistake::Mistake;
};

/// A word as an error message shows it: control characters and bytes that are not ASCII as \xNN, and not too long.
std::string shown(std::string_view word);

}  // namespace ajisai
