// Checks, for verify(), the rules for kernels with group loops (statement.h, "Groups of threads"). The rules ensure that the threads of a
// block may run in any order, or all at once, with the same result. If a kernel violates a rule, verify_groups() or verify_shared() throws
// Error{kInternal}, which says what was expected and what was found. Both functions are conservative: they reject what they cannot prove.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ir/ir.h"

namespace harp::ir {

/// Tests whether the kernel has group loops, or statements and accumulators that are valid only in a kernel with group loops.
bool has_groups(const Kernel& kernel);

/// Checks where group loops and barriers are, the number of threads, the size of shared memory, and that each value has one owner: a value
/// computed outside of group loops is the same for all threads, and a thread uses only its own elements of a spread accumulator. Requires
/// that the kernel satisfies the other rules of verify(), and that has_groups() is true. (verify_groups.cpp)
void verify_groups(Arena& arena, const Kernel& kernel);

/// Checks that between two barriers no thread writes an element of a shared accumulator that another thread reads or writes. Two accesses
/// are accepted if equal indices imply the same thread, or if the indices are never equal (distinct_elements.cpp). Checks also that no
/// thread uses an element that an asynchronous copy writes before a wait for that copy and a barrier. Requires that the kernel has passed
/// verify_groups().
void verify_shared(Arena& arena, const Kernel& kernel);

/// Appends `condition`, which is known to be >= 0, to the list. If it is a minimum, its operands are appended instead, because each operand
/// is >= 0, too.
void add_condition(Sym condition, std::vector<Sym>& conditions);

/// A range of thread numbers: [begin, end).
struct ThreadRange {
  Sym begin, end;
};
/// Returns a range that contains every thread number for which all conditions are >= 0. Uses only conditions that are linear in the
/// thread's number and whose other variables satisfy `is_known`. The bounds of the range are expressions of these other variables.
ThreadRange threads_where(const Loop& group, std::span<const Sym> conditions, const std::function<bool(const SymAtom*)>& is_known);

/// Returns an expression of a new variable that takes every value of the loop's variable. For a loop with overlapping steps it also takes
/// the values in between; for any other loop it takes no other values. `rename` rewrites the loop's bounds.
Sym values_in(SymTable& syms, const Loop& loop, const std::function<Sym(Sym)>& rename);

}  // namespace harp::ir
