// Declares the part of the linearizer that decides for each value in which block it is computed, and whether it gets a name (linearize.h).
// linearize.cpp visits the statements and says which values each of them needs.
//
// The line that computes a value is appended to the innermost open block that defines a variable on which the value depends. A value that
// is invariant in an inner loop is therefore computed before that loop. A value that only one branch of an If uses is computed in that
// branch, unless it is invariant in a loop around the If.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/branches.h"
#include "ir/ir.h"
#include "ir/linearize.h"
#include "ir/open_blocks.h"

namespace harp::ir {

/// Returns the values that the statement uses directly.
std::vector<const UOp*> values_of(const Stmt& s);
/// Returns the values that the statements, and the statements inside them, use directly, once for each use.
std::vector<const UOp*> roots_of(const Body& body);

/// Places the values of one kernel or math function into its open blocks. The derived class visits the statements in order. It opens and
/// closes the blocks, and reports changes of accumulators by forget() and `acc_level_`.
class ValuePlacement {
 protected:
  /// Keeps references to the parameters and the accumulators of the kernel.
  explicit ValuePlacement(const Kernel& kernel);
  explicit ValuePlacement(const Function& function);

  int here() const { return blocks_.innermost(); }

  /// Decides which of the roots and of their transitive sources get a name (see linearize.h), and emits the lines that define the names.
  /// With `name_roots` every root gets a name.
  void need(std::span<const UOp* const> roots, bool name_roots = false);
  /// Does what need() does for the roots of the unrolled steps of a group, `roots_of_steps`; `roots` are the same values in the order of
  /// the group's statements. The values of the steps are interleaved, and lines that call the same function for several steps are marked
  /// (Line::is_alike).
  void need_in_steps(std::span<const UOp* const> roots, std::span<const std::vector<const UOp*>> roots_of_steps);
  /// Computes the value in the innermost block and gives it a name there, so that later statements do not change it. (Other functions give
  /// no name to an element of an accumulator in registers.)
  void name_here(const UOp* u);
  /// Gives names to all loads that the store needs, so that they are executed here, before the store.
  void name_loads(const Stmt& store);
  /// Defines the names that the text of an access to `buffer` at `index` needs: a pointer to the row, and the integer operations in the
  /// index. The access is in a line of the block at `level`.
  void define_address(int buffer, Sym index, int level);
  /// Defines the names that the text of an access to element `index` of an accumulator needs: the integer operations in the index and, if
  /// several accesses share the common part of the index, a pointer.
  void define_element(int accumulator, Sym index);
  /// Marks as stale the names of all values that are computed from this accumulator, which is about to change.
  void forget(int accumulator);
  /// Returns the accumulators that the text of the value reads. Operands that have names are not searched, because the text has only their
  /// names.
  std::vector<int> accumulators_in_text(const UOp* root) const;

  OpenBlocks blocks_;
  std::span<const Param> params_;
  // For each accumulator, levels of blocks. acc_level_: the innermost open block whose repeated execution changes the accumulator, or that
  // declares it; values that read the accumulator are computed there or further inside. declared_level_: the block that declares it.
  std::vector<int> acc_level_, declared_level_;
  Branches branches_;

 private:
  /// The place where a value will be computed: the level of a block, and guards. A guard is an expression; the value is needed in that
  /// block only if all guards are >= 0.
  struct Placement {
    int level = 0;
    std::vector<Sym> guards;
    int size = 0;
    bool hoisted = false;
  };

  /// Counts the uses of every value. A splat is written again at each of its uses, so each use of it counts as a use of its source.
  void count_uses(std::span<const UOp* const> roots);
  /// Returns `index`, the index of an element of an accumulator, without its constant term; accesses with equal common parts share a
  /// pointer. Returns null if the common part is too simple for a pointer to pay off, or if the accumulator is not an array in memory.
  const SymNode* common_part(int accumulator, Sym index) const;
  void count_access(int accumulator, Sym index);
  /// Limits how far a load or a check may be hoisted. It must stay inside its If. It may be hoisted out of a loop that can run zero times
  /// only under a guard. Both rules apply to masked loads, too, because parts of the mask may have become conditions of enclosing loops and
  /// Ifs.
  void restrict_load(Placement& placement);
  Placement placement_of(const UOp* u, const std::unordered_map<const UOp*, Placement>& planned);
  /// Returns those of the roots and of their transitive sources that have no name, that is, no variable in the generated text. Sources come
  /// before users.
  std::vector<const UOp*> pending(std::span<const UOp* const> roots) const;
  /// Returns the unnamed values of the steps of a group, interleaved: the first value of every step, then the second value of every step,
  /// and so on. A value that several steps share is listed once, at its earliest position, so sources still come before users.
  std::vector<const UOp*> pending_in_steps(std::span<const std::vector<const UOp*>> roots_of_steps) const;
  /// Does what need() does, but for unnamed values that the caller has collected: `values` contains the roots and their transitive sources,
  /// which are emitted in that order. The caller must have called blocks_.hold_guards() at this point of the kernel.
  void name_below(std::span<const UOp* const> roots, const std::vector<const UOp*>& values, bool name_roots);
  void emit(const UOp* u, std::unordered_map<const UOp*, Placement>& planned, bool is_root);
  /// Tests whether both lines call the same function and the call in `second` does not use the result of the call in `first`.
  static bool are_alike(const Line& first, const Line& second);

  std::span<const Accumulator> accumulators_;
  std::vector<std::string> parameters_;
  std::unordered_map<const UOp*, int> uses_;
  // For each value: the accumulators from which it is computed.
  std::unordered_map<const UOp*, std::vector<int>> accumulators_of_;
  bool in_block_ = false;  // whether need_in_steps() is running
  // Number of accesses, keyed by accumulator and by the id of the common part of the index.
  std::map<std::pair<int, uint32_t>, int> accesses_;
};

}  // namespace harp::ir
