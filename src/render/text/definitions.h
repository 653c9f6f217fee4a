// Collects the definitions that a generated source needs in addition to its kernels: types, inline functions, constant tables. They are
// created on demand, and each is written once.
//
// The order of the definitions in the source depends only on the text: a definition follows those that it mentions; otherwise they are in
// the order in which the following text first mentions them. The order in which they are added does not matter. It may differ between two
// builds of harp, because a C++ compiler may evaluate the arguments of a call in any order. Nevertheless both builds must write the same
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
  /// Adds the definition of the name `key`, unless it has been added before. `make_text` returns the text of the definition, which mentions
  /// this name. It is called only the first time, and may itself add other definitions. `shared`: the text is a comment followed by a
  /// function that is not inlined. If the source is compiled in parts, one part can then define this function for all parts.
  template <class MakeText>
  void once(const std::string& key, MakeText make_text, bool shared = false) {
    const auto [at, is_new] = functions_.try_emplace(key);
    if (!is_new) return;
    at->second = {make_text(), shared};
    HARP_ASSERT(mentions(at->second.text, key), "the text of the definition ", key, " does not mention that name");
  }
  /// Adds a type, or another line that must precede all functions, unless it has been added before under this key. A type and a function
  /// may have the same key.
  void type_once(const std::string& key, const std::string& text) { types_.try_emplace(key, text); }

  /// The position of a shared definition: the offsets of its beginning and its end in the text.
  struct Shared {
    size_t begin, end;
  };
  struct Ordered {
    std::string text;
    std::vector<Shared> shared;
  };
  /// Returns the types, followed by the other definitions, which are separated by blank lines. `users` is the text that follows them in the
  /// source.
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
