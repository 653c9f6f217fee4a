// The stack of open blocks at a point of a kernel, outermost (the kernel itself) first. Each block holds the lines emitted into it so far
// and the values that have a name in it. A *level* is the index of a block in the stack.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "ir/linearize.h"

namespace harp::ir {

struct Block {
  const Loop* loop = nullptr;  // null if the block is the kernel itself, a branch of an If, or the scope of a Define
  const SymAtom* variable = nullptr;
  bool conditional = false;
  std::vector<Line> lines;
  struct Named {
    std::string name;
    std::vector<std::vector<Sym>> guards;  // the value is valid where all guards of at least one of these lists are >= 0
    bool stale = false;                    // an accumulator that the value is computed from has changed
  };
  std::unordered_map<const UOp*, Named> values;
  std::unordered_set<const SymAtom*> offsets;
  std::vector<std::pair<int, Terms>> pointers;
};

/// Returns a guard that is >= 0 if the body of the block runs at least once; the constant 0 if it certainly does.
Sym trip_guard(const Block& block);

class OpenBlocks {
 public:
  OpenBlocks() { blocks_.emplace_back(); }
  void open(Block block) { blocks_.push_back(std::move(block)); }
  /// Closes the innermost block and returns its lines.
  std::vector<Line> close();
  int innermost() const { return static_cast<int>(blocks_.size()) - 1; }
  const Block& operator[](int level) const { return blocks_[static_cast<size_t>(level)]; }
  /// Appends a line to the innermost block.
  void line(Line line) { blocks_.back().lines.push_back(std::move(line)); }

  /// Returns the level of the innermost block that defines one of the variables on which the expression depends.
  int level_of(const SymAtom& atom) const;
  int level_of(const Terms& e) const;
  int level_of(Sym e) const { return level_of(terms_of(e)); }
  /// Returns the variable of the innermost loop at or above that level; null if there is none.
  const SymAtom* innermost_loop(int level) const;

  /// Gives the integer operation a name, and before it its operands.
  void define_offset(const SymAtom& atom);
  void define_offsets(const Terms& e);
  void define_offsets(Sym e) { define_offsets(terms_of(e)); }
  void define_pointer(int buffer, const Terms& row, int level, std::string name);

  /// Records which guards hold at the current point: the trip guards of the enclosing loops, which say that these run at least once.
  void hold_guards();
  /// A name of a value that is valid at this point, and the level of the block that holds it.
  struct Found {
    const Block::Named* named = nullptr;
    int level = 0;
    const std::vector<Sym>* guards = nullptr;  // the list of guards that makes the name valid here
  };
  Found find_named(const UOp* u) const;
  bool is_named(const UOp* u) const { return find_named(u).named != nullptr; }
  /// Returns the named values to which the text of an expression over these roots refers, with their names.
  std::vector<std::pair<const UOp*, std::string>> mentioned(std::span<const UOp* const> roots) const;
  /// Adds the line that names a value; the name is valid where all these guards are >= 0. If the block already has that line under other
  /// guards, these are extended, so that the line serves both uses.
  void name_value(int level, Line let, const std::vector<Sym>& guards);
  /// Marks the names of all values for which `changes` is true as stale.
  void forget(const std::function<bool(const UOp*)>& changes);

 private:
  bool widen(Block& block, const Line& let, const std::vector<Sym>& guards);

  std::vector<Block> blocks_;
  std::vector<Sym> held_;  // the guards that hold at the current point
  std::unordered_map<int, int> pointer_count_;
  int value_count_ = 0, offset_count_ = 0;
};

}  // namespace harp::ir
