#include "render/text/filled.h"

namespace harp::render {

std::string filled(std::string_view text, const Filling& values) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '$') {
      out += text[i++];
      continue;
    }
    size_t end = i + 1;
    while (end < text.size() && text[end] >= 'A' && text[end] <= 'Z') ++end;
    out += values.at(text.substr(i + 1, end - i - 1));
    i = end;
  }
  return out;
}

}  // namespace harp::render
