// Merges many generated programs into one translation unit, because starting a compiler costs more than compiling a small program. Units
// are cut into top-level declarations. A declaration that occurs in several units (types, math functions, whole kernels) is kept once;
// declarations with the same name and different text are renamed. This works on any C text and assumes nothing about the renderer.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace harp::fuzz {

/// A top-level declaration and the name that it declares. The name is "" for a conditional section of the preprocessor and for a struct
/// type without variables.
struct Declaration {
  std::string_view text;
  std::string_view name;
};
/// Splits a source into its top-level declarations, without the comments between them.
std::vector<Declaration> split_declarations(std::string_view source);

class MergedUnit {
 public:
  /// Adds a unit and returns the name of its `entry` in the merged text.
  std::string add(std::string_view source, std::string_view entry);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int units_ = 0;
  // Maps each original name and declaration text to the name that the declaration has in the merged text. In the declaration text, the
  // names of other declarations are already those of the merged text, but the declared name is the original one.
  std::unordered_map<std::string, std::unordered_map<std::string, std::string>> declared_;
  std::unordered_set<std::string> nameless_;
};

/// `text` with whole identifiers replaced. It also replaces inside strings and comments, which is harmless.
std::string rename_identifiers(std::string_view text, const std::unordered_map<std::string, std::string>& names);

}  // namespace harp::fuzz
