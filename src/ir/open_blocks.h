// Defines the stack of open blocks at a point of a kernel. The outermost block is the kernel itself and comes first. Each block holds the
// lines emitted into it so far and the values that have a name in it. The *level* of a block is its index in the stack.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "ir/linearize.h"

namespace harp::ir {

struct Block {
  const Loop* loop = nullptr;  // null if the block is the kernel itself, a branch of an If or Retry, or the scope of a Define
  const SymAtom* variable = nullptr;
  bool conditional = false;
  int branch = 0;  // if the block is a branch of an If: its number (branches.h); else 0
  std::vector<Line> lines;
  struct Named {
    std::string name;
    std::vector<std::vector<Sym>> guards;  // The name is valid where all guards of at least one of these lists are >= 0.
    bool stale = false;                    // whether an accumulator has changed since the value was computed from it
  };
  std::unordered_map<const UOp*, Named> values;
  std::unordered_set<const SymAtom*> offsets;
  std::vector<std::pair<int, Terms>> pointers;
};

/// Returns an expression that is >= 0 if and only if the body of the block runs at least once; 0 if the body certainly runs.
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
  /// Returns the variable of the innermost loop that is open at one of the levels 0 … `level`; null if no loop is open there.
  const SymAtom* innermost_loop(int level) const;

  /// Gives the integer operation `atom` a name, after naming the integer operations among its operands.
  void define_offset(const SymAtom& atom);
  void define_offsets(const Terms& e);
  void define_offsets(Sym e) { define_offsets(terms_of(e)); }
  void define_pointer(int buffer, const Terms& row, int level, std::string name);

  /// Records the guards that are known to be >= 0 at the current point: the trip guards of the enclosing loops. The bodies of these loops
  /// run at least once if this point is reached.
  void hold_guards();
  /// A named value that may be used at this point.
  struct Found {
    const Block::Named* named = nullptr;
    int level = 0;
    const std::vector<Sym>* guards = nullptr;  // the list of guards (all >= 0 here) that makes the name valid
  };
  Found find_named(const UOp* u) const;
  bool is_named(const UOp* u) const { return find_named(u).named != nullptr; }
  /// Returns the named values that the text of the expressions `roots` refers to, each with its name.
  std::vector<std::pair<const UOp*, std::string>> mentioned(std::span<const UOp* const> roots) const;
  /// Adds the line `let` to the block at `level`. The line names a value; the name is valid where all guards in `guards` are >= 0. If the
  /// block already has a line for this value under other guards, the guards of that line are extended, so that it serves both uses.
  void name_value(int level, Line let, const std::vector<Sym>& guards);
  /// Makes name_value() give this name to the value, until the next call.
  void give_name(const UOp* value, std::string name) { given_ = {value, std::move(name)}; }
  /// Marks as stale the name of each value for which `changes` returns true.
  void forget(const std::function<bool(const UOp*)>& changes);

 private:
  bool widen(Block& block, const Line& let, const std::vector<Sym>& guards);

  std::vector<Block> blocks_;
  std::pair<const UOp*, std::string> given_;  // see give_name()
  std::vector<Sym> held_;                     // the guards that the last call of hold_guards() recorded
  std::unordered_map<int, int> pointer_count_;
  int value_count_ = 0, offset_count_ = 0;
};

}  // namespace harp::ir
