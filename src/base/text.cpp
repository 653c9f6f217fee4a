#include "base/text.h"

#include <charconv>
#include <cmath>

#include "base/utf8.h"

namespace harp {
namespace {

template <class T>
void append_number(std::string& out, T value) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

template <class T>
void append_float(std::string& out, T value) {
  if (std::isnan(value))
    out += "nan";
  else
    append_number(out, value);  // std::to_chars gives the shortest text from which parsing recovers the value; infinity is "inf"
}

}  // namespace

void append(std::string& out, std::string_view part) { out.append(part); }
void append(std::string& out, int64_t part) { append_number(out, part); }
void append(std::string& out, uint64_t part) { append_number(out, part); }
void append(std::string& out, double part) { append_float(out, part); }
void append(std::string& out, float part) { append_float(out, part); }

std::string shortened(std::string_view text) {
  constexpr size_t kMaxShown = 60;
  return text.size() <= kMaxShown ? std::string(text) : cat(utf8_prefix(text, kMaxShown), "... (", text.size(), " characters)");
}

}  // namespace harp
