// The rules for kernels with group loops (statement.h, "Groups of threads"), parts of verify(). They ensure that the threads of a block may
// run in any order, or all at once, with the same result. Each throws Error{kInternal}, which says what was expected and what came. Both
// are conservative: they refuse what they cannot prove.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

/// Tests whether the kernel has group loops or something that only they may use.
bool has_groups(const Kernel& kernel);

/// Checks where group loops and barriers are, the size of the group and of shared memory, and that each value has one owner: what is
/// outside of group loops is the same for all threads, and a thread uses only its own elements of a spread accumulator. The kernel keeps
/// the other rules of verify() and has_groups(). (verify_groups.cpp)
void verify_groups(Arena& arena, const Kernel& kernel);

/// Checks that between two barriers no thread writes an element of a shared accumulator that another thread reads or writes. An index is
/// accepted if its value tells which thread uses it, or if both indices never meet (verify_shared.cpp). The kernel keeps verify_groups().
void verify_shared(Arena& arena, const Kernel& kernel);

/// Appends `condition`, which is >= 0; a conjunction (min) as its parts.
void add_condition(Sym condition, std::vector<Sym>& conditions);

/// Numbers of threads: [begin, end).
struct ThreadRange {
  Sym begin, end;
};
/// Returns which threads of the group loop can be where all conditions are >= 0. Uses conditions that are linear in the thread's number; of
/// what else is in them, `is_known` tells whether the caller can use it in an expression.
ThreadRange threads_where(const Loop& group, std::span<const Sym> conditions, const std::function<bool(const SymAtom*)>& is_known);

/// Returns a new variable, or an expression of one, for the values that the loop's variable takes. `rename` rewrites its bounds.
Sym values_in(SymTable& syms, const Loop& loop, const std::function<Sym(Sym)>& rename);

}  // namespace harp::ir
