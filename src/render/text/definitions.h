// Definitions that a unit needs besides its kernels, created on demand: types, inline functions, constant tables. Each is written once,
// after the definitions that it uses.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace harp::render {

class Definitions {
 public:
  /// A definition that is not inlined: a comment and a function. If the source is split into parts, one part has it.
  struct Shared {
    size_t begin, end;  // offsets into text()
  };

  /// Adds text once under a key. `make_text` is called only the first time and may add other definitions, which then precede this one.
  template <class MakeText>
  void once(const std::string& key, MakeText make_text, bool shared = false) {
    if (!keys_.insert(key).second) return;
    std::string text = make_text();
    functions_.push_back({std::move(text), shared});
  }
  /// Adds a type, or another line that has to precede all functions, once under a key. Types and functions share their keys.
  void type_once(const std::string& key, const std::string& text) {
    if (keys_.insert(key).second) types_.push_back(text);
  }

  /// Returns the types, then the other definitions in order, with a blank line after each.
  std::string text() const;
  std::vector<Shared> shared() const;

 private:
  struct Function {
    std::string text;
    bool shared;
  };
  std::set<std::string> keys_;
  std::vector<std::string> types_;
  std::vector<Function> functions_;
};

}  // namespace harp::render
