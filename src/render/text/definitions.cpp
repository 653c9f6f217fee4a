#include "render/text/definitions.h"

#include <unordered_map>

#include "base/text.h"

namespace harp::render {

Definitions::Ordered Definitions::ordered(std::string_view users) const {
  Ordered result;
  for (const auto& [name, type] : types_) append(result.text, type);
  std::unordered_map<std::string_view, const Function*> unwritten;
  for (const auto& [name, function] : functions_) unwritten.emplace(name, &function);
  // A definition is removed from the map when it is first mentioned, so it is written only once. Definitions never mention each other in a
  // cycle, because C would need additional declarations for that.
  const auto write_mentioned_in = [&](const auto& self, std::string_view text) -> void {
    for_each_word(text, [&](std::string_view word) {
      const auto found = unwritten.find(word);
      if (found == unwritten.end()) return;
      const Function& function = *found->second;
      unwritten.erase(found);
      self(self, function.text);
      append(result.text, result.text.empty() ? "" : "\n");
      const size_t begin = result.text.size();
      append(result.text, function.text);
      if (function.shared) result.shared.push_back({begin, result.text.size()});
    });
  };
  write_mentioned_in(write_mentioned_in, users);
  for (const auto& [name, function] : functions_) write_mentioned_in(write_mentioned_in, name);
  return result;
}

}  // namespace harp::render
