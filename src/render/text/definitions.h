// Definitions that a generated source needs besides its kernels, created on demand: types, inline functions, constant tables. Each is
// written once.
//
// The order of definitions follows from the text alone: a definition stands after those that it mentions, in the order in which the text
// after them mentions them. The order of adding must not matter, because it is not a property of the program: a C++ compiler may evaluate
// the arguments of a call in any order, so two builds of harp add the definitions of one unit in different orders. Both must write the same
// text.
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
  /// Adds a definition once. `key` is the name that it defines and by which users mention it. `make_text` is called only the first time and
  /// may add other definitions. `shared`: the text is a comment followed by a function that is not inlined, so that if the source is
  /// compiled in parts, one part can define the function for all.
  template <class MakeText>
  void once(const std::string& key, MakeText make_text, bool shared = false) {
    const auto [at, is_new] = functions_.try_emplace(key);
    if (!is_new) return;
    at->second = {make_text(), shared};
    HARP_ASSERT(mentions(at->second.text, key), "the text of the definition ", key, " does not mention that name");
  }
  /// Adds a type, or another line that must precede all functions, once under a key. Types and functions use separate keys.
  void type_once(const std::string& key, const std::string& text) { types_.try_emplace(key, text); }

  /// Where a shared definition is: offsets into the text.
  struct Shared {
    size_t begin, end;
  };
  struct Ordered {
    std::string text;
    std::vector<Shared> shared;
  };
  /// Returns the types, then the other definitions, separated by blank lines. `users` is the text that follows them.
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
