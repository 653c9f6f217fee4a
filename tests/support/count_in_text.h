// Counts the occurrences of a string in generated text.
#pragma once

#include <cstddef>
#include <string_view>

inline size_t count(std::string_view text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}
