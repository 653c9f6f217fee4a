// The blocks that are open at a point of a kernel, the kernel itself first: the lines that each has so far, and what has a name in it. A
// *level* is the place of a block in that list.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "ir/linearize.h"

namespace harp::ir {

struct Block {
  const Loop* loop = nullptr;  // null: the kernel itself, a branch of an If, or where a variable is defined
  const SymAtom* variable = nullptr;
  bool conditional = false;
  std::vector<Line> lines;
  struct Named {
    std::string name;
    std::vector<std::vector<Sym>> guards;  // the value is right only where all of one of these lists are >= 0
    bool stale = false;                    // an accumulator it is made from has changed
  };
  std::unordered_map<const UOp*, Named> values;
  std::unordered_set<const SymAtom*> offsets;
  std::vector<std::pair<int, Terms>> pointers;
};

/// Condition for the body of a block to run at least once; a constant where that is known.
Sym trip_guard(const Block& block);

class OpenBlocks {
 public:
  OpenBlocks() { blocks_.emplace_back(); }
  void open(Block block) { blocks_.push_back(std::move(block)); }
  /// Its lines.
  std::vector<Line> close();
  int innermost() const { return static_cast<int>(blocks_.size()) - 1; }
  const Block& operator[](int level) const { return blocks_[static_cast<size_t>(level)]; }
  /// Adds to the innermost block.
  void line(Line line) { blocks_.back().lines.push_back(std::move(line)); }

  /// The innermost block that defines one of its variables.
  int level_of(const SymAtom& atom) const;
  int level_of(const Terms& e) const;
  int level_of(Sym e) const { return level_of(terms_of(e)); }
  /// The variable of the innermost loop up to that level; null: none.
  const SymAtom* innermost_loop(int level) const;

  /// Integer operations get a name each; their operands first.
  void define_offset(const SymAtom& atom);
  void define_offsets(const Terms& e);
  void define_offsets(Sym e) { define_offsets(terms_of(e)); }
  void define_pointer(int buffer, const Terms& row, int level, std::string name);

  /// From now on, guards hold as they do here: those that say that the loops around run.
  void hold_guards();
  /// The name of a value that is right here, with the level of the block that has it.
  struct Found {
    const Block::Named* named = nullptr;
    int level = 0;
    const std::vector<Sym>* guards = nullptr;  // the list that holds here
  };
  Found find_named(const UOp* u) const;
  bool is_named(const UOp* u) const { return find_named(u).named != nullptr; }
  /// The names an expression over these values mentions.
  std::vector<std::pair<const UOp*, std::string>> mentioned(std::span<const UOp* const> roots) const;
  /// Adds the line that gives a value its name, which is right under these guards. If the block has that line already, but for other loops
  /// than the one it is needed in now, that serves both.
  void name_value(int level, Line let, const std::vector<Sym>& guards);
  /// Of the values for which `changes`, the names are no longer theirs.
  void forget(const std::function<bool(const UOp*)>& changes);

 private:
  bool widen(Block& block, const Line& let, const std::vector<Sym>& guards);

  std::vector<Block> blocks_;
  std::vector<Sym> held_;  // guards that hold where values are needed now
  std::unordered_map<int, int> pointer_count_;
  int value_count_ = 0, offset_count_ = 0;
};

}  // namespace harp::ir
