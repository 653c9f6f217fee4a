// Definitions that a unit needs besides its kernels, created on demand: types, inline functions, constant tables. Each is written once.
//
// Where a definition stands follows from the text alone: behind those that it mentions, and in the order in which the text behind them
// mentions them. When it was added does not count, because it is no property of the program: a C++ compiler may evaluate the arguments of a
// call in any order, so two builds of harp add the definitions of one unit in different orders. Both must write the same text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "render/text/words.h"

namespace harp::render {

class Definitions {
 public:
  /// Adds a definition once. `key` is a name that it defines; whatever uses the definition mentions this name. `make_text` is called only
  /// the first time and may add other definitions. `shared`: a comment and a function that is not inlined; if the source is split into
  /// parts, one part has it.
  template <class MakeText>
  void once(const std::string& key, MakeText make_text, bool shared = false) {
    const auto [at, is_new] = functions_.try_emplace(key);
    if (!is_new) return;
    at->second = {make_text(), shared};
    HARP_ASSERT(mentions(at->second.text, key), "a definition that does not define ", key);
  }
  /// Adds a type, or another line that has to precede all functions, once under a key. Types and functions have different keys.
  void type_once(const std::string& key, const std::string& text) { types_.try_emplace(key, text); }

  /// A shared definition; offsets into the text.
  struct Shared {
    size_t begin, end;
  };
  struct Ordered {
    std::string text;
    std::vector<Shared> shared;
  };
  /// Returns the types, then the other definitions with a blank line between two of them. `users` is the text that follows them.
  Ordered ordered(std::string_view users) const;

 private:
  struct Function {
    std::string text;
    bool shared = false;
  };
  std::map<std::string, std::string> types_;
  std::map<std::string, Function> functions_;
};

}  // namespace harp::render
