// Many generated programs in one translation unit, because starting a compiler costs more than compiling a small program. Units are
// cut into top-level declarations; what is the same in several of them (types, math functions, whole kernels) stands once, what has
// the same name and another text is renamed. It works on the text alone and knows nothing of what the renderer writes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace harp::fuzz {

/// A top-level declaration and the name it introduces ("" for none: a conditional group of the preprocessor, a bare struct type).
struct Declaration {
  std::string_view text;
  std::string_view name;
};
/// Comments between declarations are left out.
std::vector<Declaration> split_declarations(std::string_view source);

class MergedUnit {
 public:
  /// Adds a unit and gives what `entry` is called in the merged text.
  std::string add(std::string_view source, std::string_view entry);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int units_ = 0;
  std::unordered_map<std::string, std::unordered_set<std::string>> declared_;  // name -> its texts
  std::unordered_set<std::string> nameless_;
};

/// `text` with whole identifiers replaced; strings and comments are searched too, which does no harm.
std::string rename_identifiers(std::string_view text, const std::unordered_map<std::string, std::string>& names);

}  // namespace harp::fuzz
