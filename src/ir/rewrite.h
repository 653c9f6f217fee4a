// Loop rewrites, the building blocks of apply_schedule. Each takes a statement tree and returns a new one. Results keep the same bits,
// because only independent iterations are regrouped.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

/// Calls make(u) for the root and each UOp that it is computed from, except those that have an entry in `made`; sources come before users.
/// Stores the results in `made` and returns that of the root. Iterative, because the expressions of a kernel can be a thousand levels deep.
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

/// Rebuilds expressions with variables replaced by other positions and UOps replaced by other UOps. The results are simplified again,
/// because a replaced variable may make a condition or an index constant.
class Substituter {
 public:
  Substituter(Arena& arena, SymSubstitution symbols) : arena_(arena), symbols_(std::move(symbols)) {}
  /// Registers a replacement: later calls replace `from` by `to`.
  void replace(const UOp* from, const UOp* to) { memo_[from] = to; }

  Sym operator()(Sym e);
  const UOp* operator()(const UOp* u);
  /// Makes a deep copy. A loop whose bounds change gets a new variable of the same name.
  Body operator()(const Body& body);

 private:
  Stmt* copy(const Stmt* s);
  Loop* copy_loop(const Loop& loop);
  const UOp* rebuild(const UOp& u, std::vector<const UOp*> sources);

  Arena& arena_;
  SymSubstitution symbols_;
  std::unordered_map<const UOp*, const UOp*> memo_;
};

/// Chooses the loops that poll the cancel flag: those that would delay cancellation noticeably, but whose iterations are long enough to
/// hide the cost. Loops that already poll stay unchanged. (insert_cancel_polls.cpp)
void insert_cancel_polls(Kernel& kernel);
/// Makes a loop over [begin, end) with a new variable.
Loop* new_loop(Arena& arena, std::string_view name, Sym begin, Sym end, LoopKind kind = LoopKind::kSequential);
/// Makes `if (condition >= 0) body else otherwise`.
If* new_if(Arena& arena, Sym condition, Body body, Body otherwise = {});
/// Makes a statement that runs `body` and then, if one of the float operations in `body` raised the invalid flag, `otherwise`.
Retry* new_retry(Arena& arena, Body body, Body otherwise);

/// Splits a loop over contiguous stores into chunks of `chunk` iterations. With non-temporal stores chunks begin at cache lines, wherever
/// the array begins. Returns the loop over chunks and the loop inside it. (strip_mine.cpp)
std::pair<Loop*, Loop*> strip_mine(Arena& arena, Loop* loop, int64_t chunk);

/// Fuses adjacent loops of a perfect nest if the body uses their variables only in the form outer * (inner extent) + inner; repeats this
/// with the fused loop. The contiguous axes of an elementwise kernel thus become a single loop. Returns the new outermost loop; a fused
/// loop has the tags of the inner one. (collapse.cpp)
Loop* collapse(Arena& arena, Loop* outermost);

/// Replaces a nest of loops, each the only statement of the one around it and over [0, extent), by one loop over the product of the
/// extents. Indices become quotients and remainders. The loop has no tags. (collapse.cpp)
Loop* flatten(Arena& arena, Loop* outermost);

/// Rewrites the body for sizes for which every extent is at least 1. Returns the condition (>= 0) under which the body may run. Returns
/// nothing, and leaves the body unchanged, if no shape variable gets tighter bounds. (nonempty.cpp)
std::optional<Sym> assume_nonempty(Arena& arena, Body& body, std::span<const Sym> extents);

/// Splits the loop at every position where a condition on its variable (in_range, or a select in an index) changes, so that the condition
/// is constant in each part. Makes at most `budget` parts; conditions that remain stay masks. (partition.cpp)
std::vector<Loop*> partition(Arena& arena, Loop* loop, int budget);
/// Tests whether partition could split any loop of the body. (partition.cpp)
bool has_borders(Arena& arena, const Body& body);

/// Loop unswitching: hoists an invariant condition out of the loop, which becomes `if (c) loop else loop`. At most two conditions.
/// (unswitch.cpp)
Body unswitch(Arena& arena, Loop* loop);

/// Converts the loop to steps of `width` lanes plus a remainder loop. Returns the loop unchanged if it cannot be vectorised: an index is
/// not linear in its variable, or there are fewer iterations than lanes. With `overlap` the remainder may be one more vector that overlaps
/// the previous one; `params` must then be the kernel's parameters. With `together` > 1 and a body of stores only, unroll-and-jam: each
/// step processes that many vectors. (vectorise.cpp)
Body vectorise(Arena& arena, Loop* loop, int width, bool overlap, std::span<const Param> params = {}, int together = 1);

/// Tests whether vectorise would make vectors of this width. (vectorise.cpp)
bool can_vectorise(Arena& arena, const Loop* loop, int width);

/// Tests whether these UOps are so few and cheap that duplicating their code is acceptable. (vectorise.cpp)
bool is_short(const std::vector<const UOp*>& uops);

/// Fully unrolls a loop of constant trip count.
Body unroll(Arena& arena, const Loop* loop);
/// Unrolls the loops over vectors among these statements by `together` steps, followed by a remainder loop.
Body unroll_and_jam(Arena& arena, const Body& loops, int together);

/// Returns all UOps that the statements use, directly or as sources of others; sources come before users.
std::vector<const UOp*> uops_of(Arena& arena, const Body& body);

}  // namespace harp::ir
