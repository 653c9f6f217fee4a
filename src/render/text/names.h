// Records the names that are visible at the current point of the generated text. A name can stand for a value, a loop variable, an integer
// operation, a row pointer, or the result of a fold. (Each line of a kernel's linear form, ir/linearize.h, lists the values for which
// variables exist.) Scopes of names open and close like blocks of C.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/linearize.h"

namespace harp::render {

struct NamedValue {
  std::string name;
  int mask_bits = 0;  // for a vector of bools, the number of bits per lane of its mask; otherwise 0
};

class Names {
 public:
  Names() { open(nullptr); }
  void open(const SymAtom* loop_variable) { blocks_.push_back({loop_variable, {}, {}, {}}); }
  void close() { blocks_.pop_back(); }

  /// Sets which values have variables at the next line of the linear form (ir/linearize.h).
  void values(const std::vector<std::pair<const ir::UOp*, std::string>>& names) {
    values_.clear();
    for (const auto& [u, name] : names) values_[u] = {name, mask_bits_[name]};
  }
  void mask_bits(const std::string& name, int bits) { mask_bits_[name] = bits; }
  void atom(const SymAtom* atom, std::string name) { blocks_.back().atoms[atom] = std::move(name); }
  /// The variable `atom`, which is 0 or 1, has a name of type bool.
  void flag(const SymAtom* atom, std::string name) {
    flags_.insert(atom);
    this->atom(atom, std::move(name));
  }
  void pointer(int buffer, ir::Terms row, std::string name) {
    blocks_.back().pointers.push_back({buffer, std::move(row), std::move(name)});
  }
  /// Records that a load reads through this pointer variable. In the last executed step of an overlapping loop (Blocks::keep_first_step)
  /// the variable points to a copy instead of the buffer.
  void source(const ir::UOp* load, std::string pointer) { sources_[load] = std::move(pointer); }
  void folded(int accumulator, std::string name) { blocks_.back().folded[accumulator] = std::move(name); }
  void unfold(int accumulator) {
    for (Block& b : blocks_) b.folded.erase(accumulator);
  }

  const NamedValue* find(const ir::UOp* u) const {
    const auto found = values_.find(u);
    return found == values_.end() ? nullptr : &found->second;
  }
  const std::string* find(const SymAtom* atom) const {
    for (const Block& b : blocks_)
      if (const auto found = b.atoms.find(atom); found != b.atoms.end()) return &found->second;
    return nullptr;
  }
  bool is_flag(const SymAtom* atom) const { return flags_.contains(atom); }
  const std::string* find_pointer(int buffer, const ir::Terms& row) const {
    for (const Block& b : blocks_)
      for (const Pointer& p : b.pointers)
        if (p.buffer == buffer && same_row(p.row, row)) return &p.name;
    return nullptr;
  }
  const std::string* find_source(const ir::UOp* load) const {
    const auto found = sources_.find(load);
    return found == sources_.end() ? nullptr : &found->second;
  }
  const std::string* find_folded(int accumulator) const {
    for (const Block& b : blocks_)
      if (const auto found = b.folded.find(accumulator); found != b.folded.end()) return &found->second;
    return nullptr;
  }
  const SymAtom* innermost_loop() const {
    for (auto b = blocks_.rbegin(); b != blocks_.rend(); ++b)
      if (b->loop_variable != nullptr) return b->loop_variable;
    return nullptr;
  }

 private:
  struct Pointer {
    int buffer;
    ir::Terms row;
    std::string name;
  };
  struct Block {
    const SymAtom* loop_variable;
    std::unordered_map<const SymAtom*, std::string> atoms;
    std::vector<Pointer> pointers;
    std::unordered_map<int, std::string> folded;
  };
  std::vector<Block> blocks_;
  std::unordered_map<const ir::UOp*, NamedValue> values_;
  std::unordered_map<const ir::UOp*, std::string> sources_;
  std::unordered_map<std::string, int> mask_bits_;
  std::unordered_set<const SymAtom*> flags_;
};

}  // namespace harp::render
