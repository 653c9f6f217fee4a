// The rules for kernels with group loops (statement.h, "Groups of threads"), which verify() checks. They ensure that the threads of a block
// may run in any order, or all at once, with the same result. verify_groups() and verify_shared() throw Error{kInternal}, which says what
// was expected and what was found. Both are conservative: they reject what they cannot prove.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

/// Tests whether the kernel has group loops or something that only they may use.
bool has_groups(const Kernel& kernel);

/// Checks where group loops and barriers are, the size of the group and of shared memory, and that each value has one owner: what is
/// computed outside of group loops is the same for all threads, and a thread uses only its own elements of a spread accumulator. Requires
/// that the kernel keeps the other rules of verify(), and that has_groups() is true. (verify_groups.cpp)
void verify_groups(Arena& arena, const Kernel& kernel);

/// Checks that between two barriers no thread writes an element of a shared accumulator that another thread reads or writes. Two accesses
/// are accepted if equal indices imply the same thread, or if the indices are never equal (verify_shared.cpp). Requires that the kernel has
/// passed verify_groups().
void verify_shared(Arena& arena, const Kernel& kernel);

/// Appends `condition`, which is known to be >= 0, to the list. If it is a minimum, its operands are appended instead, because each of them
/// is >= 0.
void add_condition(Sym condition, std::vector<Sym>& conditions);

/// A range of thread numbers: [begin, end).
struct ThreadRange {
  Sym begin, end;
};
/// Returns the range of thread numbers for which all conditions can be >= 0. Uses only conditions that are linear in the thread's number
/// and whose other variables satisfy `is_known`; the bounds of the range are expressions of these variables.
ThreadRange threads_where(const Loop& group, std::span<const Sym> conditions, const std::function<bool(const SymAtom*)>& is_known);

/// Returns a new variable, or an expression of one, that takes the values of the loop's variable. `rename` rewrites the loop's bounds.
Sym values_in(SymTable& syms, const Loop& loop, const std::function<Sym(Sym)>& rename);

}  // namespace harp::ir
