// Builds text from parts: cat("axis ", 3, " of ", name). Numbers are printed so that parsing the text recovers the exact value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace harp {

void append(std::string& out, std::string_view part);
void append(std::string& out, int64_t part);
void append(std::string& out, uint64_t part);
/// Appends the shortest decimal number from which parsing recovers the same value, or "nan", "inf" or "-inf".
void append(std::string& out, double part);
void append(std::string& out, float part);

template <class T>
requires std::is_integral_v<T>
void append(std::string& out, T part) {
  if constexpr (std::is_same_v<T, bool>)
    append(out, part ? std::string_view("true") : std::string_view("false"));
  else if constexpr (std::is_same_v<T, char>)
    out.push_back(part);
  else if constexpr (std::is_signed_v<T>)
    append(out, static_cast<int64_t>(part));
  else
    append(out, static_cast<uint64_t>(part));
}
inline void append(std::string& out, const char* part) { append(out, std::string_view(part)); }
inline void append(std::string& out, const std::string& part) { append(out, std::string_view(part)); }

/// Shortens text of a user for a message: if it has more than 60 bytes, only its beginning, of at most 60 bytes, and its length are shown.
std::string shortened(std::string_view text);

/// Concatenates all parts.
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string out;
  (append(out, parts), ...);
  return out;
}

/// Joins the items with `separator` between them; `print(item)` returns a value that cat() accepts.
template <class Range, class Print>
std::string join(const Range& items, std::string_view separator, Print print) {
  std::string out;
  bool first = true;
  for (const auto& item : items) {
    if (!first) append(out, separator);
    first = false;
    append(out, print(item));
  }
  return out;
}
template <class Range>
std::string join(const Range& items, std::string_view separator) {
  return join(
      items, separator, [](const auto& item) -> const auto& { return item; });
}

}  // namespace harp
