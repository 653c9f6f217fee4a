// Rewrites of loops: what a Schedule is made of. Each takes a statement tree and gives a new one; the meaning stays the same
// bits, because only independent iterations are regrouped.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

/// make(u) of each UOp below the root that has no entry in `made`, which gets it; sources before users. Iterative: a kernel's expressions
/// can be a thousand deep.
template <class Make>
const UOp* make_in_order(const UOp* root, std::unordered_map<const UOp*, const UOp*>& made, Make make) {
  std::vector<const UOp*> stack = {root};
  while (!stack.empty()) {
    const UOp* u = stack.back();
    const size_t size = stack.size();
    if (!made.count(u))
      for (const UOp* source : u->sources)
        if (!made.count(source)) stack.push_back(source);
    if (stack.size() > size) continue;
    stack.pop_back();
    if (!made.count(u)) made[u] = make(u);
  }
  return made[root];
}

/// Rebuilds expressions with variables replaced (index algebra and folding happen again) and with some UOps replaced by others.
class Substituter {
 public:
  Substituter(Arena& arena, SymSubstitution symbols) : arena_(arena), symbols_(std::move(symbols)) {}
  /// From now on `from` becomes `to`.
  void replace(const UOp* from, const UOp* to) { memo_[from] = to; }

  Sym operator()(Sym e);
  const UOp* operator()(const UOp* u);
  /// A deep copy; loops whose bounds change get a new variable of the same name.
  Body operator()(const Body& body);

 private:
  Stmt* copy(const Stmt* s);
  Loop* copy_loop(const Loop& loop);
  const UOp* rebuild(const UOp& u, std::vector<const UOp*> sources);

  Arena& arena_;
  SymSubstitution symbols_;
  std::unordered_map<const UOp*, const UOp*> memo_;
};

/// Chooses the loops after whose iterations a run that was cancelled leaves the kernel: those between which it would take long, but not so
/// short ones that looking would be felt. Loops that look already stay as they are. (long_loops.cpp)
void look_in_long_loops(Kernel& kernel);
/// A loop over [begin, end) with a new variable.
Loop* new_loop(Arena& arena, std::string_view name, Sym begin, Sym end, LoopKind kind = LoopKind::kSequential);
/// if (condition >= 0) body else otherwise.
If* new_if(Arena& arena, Sym condition, Body body, Body otherwise = {});
/// body and, where one of its operations was invalid, otherwise.
Retry* new_retry(Arena& arena, Body body, Body otherwise);

/// Perfectly nested loops whose variables meet everywhere only as outer * (inner extent) + inner become one, as often as that goes;
/// the contiguous axes of an elementwise kernel become a single loop. Gives the new outermost loop. (collapse.cpp)
Loop* collapse(Arena& arena, Loop* outermost);

/// Rewrites the body for sizes at which every extent is at least 1, and gives the condition (>= 0) under which it may run; nothing, and
/// the body as it was, where no shape variable gets tighter bounds by that. (nonempty.cpp)
std::optional<Sym> assume_nonempty(Arena& arena, Body& body, std::span<const Sym> extents);

/// Splits the loop at every position where an in_range or an index select that depends on its variable changes, so that each part
/// has it folded away. At most `budget` parts; what is left stays a mask. (partition.cpp)
std::vector<Loop*> partition(Arena& arena, Loop* loop, int budget);
/// Is there anything partition could split at, on any loop? (partition.cpp)
bool has_borders(Arena& arena, const Body& body);

/// Moves a condition that does not depend on the loop in front of it: if (c) loop else loop. At most two conditions. (unswitch.cpp)
Body unswitch(Arena& arena, Loop* loop);

/// The loop in steps of `width` lanes, with its tail; the loop itself when it cannot be vectorised (an index that is not linear in
/// its variable, fewer iterations than lanes). `overlap`: the tail may be one more vector, which overlaps the one before; `params` are
/// those of the kernel then. `together`: so many vectors in a step where the body only stores. (vectorise.cpp)
Body vectorise(Arena& arena, Loop* loop, int width, bool overlap, std::span<const Param> params = {}, int together = 1);

/// Few operations, each of which takes an instruction or a few: they may be written out several times. (vectorise.cpp)
bool is_short(const std::vector<const UOp*>& uops);

/// The iterations of a loop of constant trip count, one after the other.
Body unroll(Arena& arena, const Loop* loop);

/// All UOps below the statements, sources before users.
std::vector<const UOp*> uops_of(Arena& arena, const Body& body);

}  // namespace harp::ir
