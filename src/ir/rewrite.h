// Declares loop rewrites, from which apply_schedule is built. Each takes a statement tree and returns a new one. The results of a kernel
// keep the same bits, because the rewrites change only the order of independent iterations.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

/// Calls make(u) for the root and its transitive sources, except for UOps that have an entry in `made`; sources come before users. Stores
/// the result of make(u) in made[u] and returns made[root]. The traversal is iterative, because the expressions of a kernel can be a
/// thousand levels deep.
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

/// Copies expressions and statements, and replaces variables by other positions and UOps by other UOps. The builders of the arena simplify
/// the copies, because a replaced variable may make a condition or an index constant.
class Substituter {
 public:
  Substituter(Arena& arena, SymSubstitution symbols) : arena_(arena), symbols_(std::move(symbols)) {}
  /// Registers a replacement: later calls of operator() replace `from` by `to`.
  void replace(const UOp* from, const UOp* to) { memo_[from] = to; }

  Sym operator()(Sym e);
  const UOp* operator()(const UOp* u);
  /// Returns a deep copy of the statements with all replacements. A loop whose bounds change gets a new variable of the same name.
  Body operator()(const Body& body);

 private:
  Stmt* copy(const Stmt* s);
  Loop* copy_loop(const Loop& loop);
  const UOp* rebuild(const UOp& u, std::vector<const UOp*> sources);

  Arena& arena_;
  SymSubstitution symbols_;
  std::unordered_map<const UOp*, const UOp*> memo_;
};

/// Sets poll_interval of the loops that must poll the cancel flag: without polls they would delay a cancellation noticeably, and their
/// iterations are long enough to hide the cost of a poll. Loops that already poll stay unchanged. (insert_cancel_polls.cpp)
void insert_cancel_polls(Kernel& kernel);
/// Joins the declaration of an accumulator with the statement (AccSet) that sets all its elements to one vector: that statement becomes a
/// declaration with a value, and the original declaration is removed. Applies only if no statement between the two uses the accumulator.
/// (initialise_accumulators.cpp)
void initialise_accumulators(Arena& arena, Kernel& kernel);
/// Returns a loop over [begin, end) with a new variable and an empty body.
Loop* new_loop(Arena& arena, std::string_view name, Sym begin, Sym end, LoopKind kind = LoopKind::kSequential);
/// Returns the statement `if (condition >= 0) body else otherwise`.
If* new_if(Arena& arena, Sym condition, Body body, Body otherwise = {});
/// Returns a statement that runs `body` and then, if a float operation in `body` raised the invalid flag, runs `otherwise`.
Retry* new_retry(Arena& arena, Body body, Body otherwise);

/// Splits a loop over contiguous stores into chunks of `chunk` iterations. If the stores are non-temporal, chunks begin at cache lines for
/// every alignment of the array, so the first chunk may be shorter. Returns the loop over chunks and the loop over the elements of a chunk.
/// (strip_mine.cpp)
std::pair<Loop*, Loop*> strip_mine(Arena& arena, Loop* loop, int64_t chunk);

/// Fuses adjacent loops of a perfect nest where the body uses their variables only in the form outer * (inner extent) + inner. The
/// contiguous axes of an elementwise kernel thus become a single loop. Returns the new outermost loop; a fused loop has the tags of the
/// inner one. (collapse.cpp)
Loop* collapse(Arena& arena, Loop* outermost);

/// Replaces a perfect nest of loops, each over [0, extent), by one loop over the product of the extents. The variables of the nest become
/// quotients and remainders of the new variable. The new loop has no tags. (collapse.cpp)
Loop* flatten(Arena& arena, Loop* outermost);

/// Rewrites the body for sizes for which every extent is at least 1. Returns the condition (>= 0) under which the rewritten body may run.
/// Returns nullopt, and leaves the body unchanged, if no shape variable gets tighter bounds. (nonempty.cpp)
std::optional<Sym> assume_nonempty(Arena& arena, Body& body, std::span<const Sym> extents);

/// Splits the loop at every position where a condition on its variable (in_range, or a select in an index) changes, so that the condition
/// is constant in each part. Makes at most `budget` parts; conditions that are not constant in a part remain masks or selects.
/// (partition.cpp)
std::vector<Loop*> partition(Arena& arena, Loop* loop, int budget);
/// Tests whether the body contains a condition on a position, at which partition might split a loop. (partition.cpp)
bool has_borders(Arena& arena, const Body& body);

/// Loop unswitching: hoists an invariant condition out of the loop and returns the new statements, `if (c) loop else loop`. Hoists at most
/// two conditions. (unswitch.cpp)
Body unswitch(Arena& arena, Loop* loop);

/// Replaces each store of where(n < 8, a, b), where n is a size of the run and b continues the computation of a, by a store of a and, in a
/// branch for larger sizes, a store of b. `params` must be the parameters of the kernel. (branch_stores.cpp)
void branch_stores(Arena& arena, Loop* loop, std::span<const Param> params);

/// Converts the loop to steps of several lanes plus a remainder loop, and returns these. Returns the scalar loop if it cannot be
/// vectorised, for example because some position is not linear in the loop variable, or because the loop has fewer iterations than lanes.
/// Of the tag, uses `lanes` (called the width), `overlap`, `in_rows` and, if the body consists of stores only, `together`. With `overlap`,
/// `params` must be the parameters of the kernel. With a `kernel`, the remainder may become a masked
/// vector (masked_remainder). (vectorise.cpp)
Body vectorise(Arena& arena, Loop* loop, const VectorTag& tag, std::span<const Param> params = {}, Kernel* kernel = nullptr);

/// Returns the statements of a loop with at most `width` iterations, as one masked vector if it calls costly functions, such as exp.
/// Returns the loop itself if it does not, or if masked vectors cannot make its accesses. (masked_remainder.cpp)
Body masked_remainder(Arena& arena, Kernel& kernel, Loop* loop, int width);

/// If the loop stores values whose indices contain quotients or remainders of its variable by small constants, unrolls it by the least
/// common multiple of these divisors: the quotients are linear in the variable of the unrolled loop, so that vectorise() can make vectors
/// of `width` lanes of it. (unroll_divisor.cpp)
struct UnrolledDivisor {
  int64_t copies;  // the number of copies of the body; 1: `loop` is the given loop
  Loop* loop;
  Body rest;  // the statements that execute the remaining iterations, which are fewer than `copies`
};
UnrolledDivisor unroll_divisor(Arena& arena, Loop* loop, int width);

/// Tests whether vectorise() makes vectors of `width` lanes of this loop. (vectorise.cpp)
bool can_vectorise(Arena& arena, const Loop* loop, int width);

/// Tests whether these UOps are so few and cheap that their code may be emitted twice. (vectorise.cpp)
bool is_short(const std::vector<const UOp*>& uops);

/// Fully unrolls a loop with a constant trip count, and returns the statements of all iterations.
Body unroll(Arena& arena, const Loop* loop);
/// Replaces the loops of a scheduled kernel that have exactly one iteration by their bodies. Thread loops and group loops stay. So do loops
/// that need a block of their own because they contain a Break, declare an accumulator that another statement declares, too, or fold an
/// accumulator that is declared outside of them. (single_iterations.cpp)
void unroll_single_iterations(Arena& arena, Kernel& kernel);
/// Unrolls each vectorised loop (step > 1) among the statements `loops` by a factor of `together`, and adds a remainder loop. Returns the
/// new list of statements.
Body unroll_and_jam(Arena& arena, const Body& loops, int together);

/// Returns all UOps that the statements use, and their transitive sources; sources come before users.
std::vector<const UOp*> uops_of(Arena& arena, const Body& body);

}  // namespace harp::ir
