// Groups the memory accesses of consecutive iterations, so that a thread of a GPU processes several elements and loads or stores them by
// one wide access.
#pragma once

#include "ir/ir.h"

namespace harp::ir {

/// Turns a loop over single elements, whose body consists of stores, into a loop over groups of `elements` elements. For each group, the
/// arrays that are read at consecutive positions are first copied to registers (accumulators with is_row) in one access each. Then the
/// values are computed element by element, and the results are copied to memory in one access for each array. This requires addresses that
/// are multiples of the group's size, which the loop tests at run time. Arrays that are not read at consecutive positions are accessed one
/// element at a time, and so are all arrays for the elements after the last whole group.
///
/// Returns the new loop. Returns `loop` itself if `elements` is below 2, if a store is masked, non-temporal or not at consecutive
/// positions, or if the loop accesses too many arrays.
Loop* group_accesses(Arena& arena, Kernel& kernel, Loop* loop, int elements);

/// How the first position of a group of elements is aligned, relative to multiples of the group's size.
struct GroupAlignment {
  // The alignment: an expression that is congruent, modulo the number of elements of the group, to the position of the group's first
  // element in its array. Valid only if that number divides each of `multiples`. The expression contains no variable of a loop.
  Sym base;
  // Sizes that must be multiples of the number of elements of the group, for example the length of the rows in memory.
  std::vector<Sym> multiples;
};
/// Returns the alignment of a group of `elements` elements that begins at `index`; nullopt if the alignment depends on the variables of
/// enclosing loops.
std::optional<GroupAlignment> alignment_of(Sym index, int64_t elements);

/// Statements that execute all iterations of a loop over n elements by grouped accesses, and what the caller must test before it runs them.
struct Together {
  Body body;
  // An i64: the bitwise or of the distances, in elements, from the start of a cache line to each grouped array; must be a multiple of n.
  const UOp* distances;
  std::vector<Sym> multiples = {};  // sizes that must be multiples of n (GroupAlignment)
};
/// Groups the accesses of a loop over [0, n), with a constant n, all of whose iterations form one group. The caller must run the returned
/// statements only where `distances` and each size in `multiples` are multiples of n. Without `of_any_size`, only alignments that do not
/// depend on sizes are accepted, so `multiples` is empty. Returns nullopt if n is below 2, if the body contains other statements than
/// stores and changes of accumulators, if no array is accessed at consecutive positions, if too many arrays are, or if the alignment
/// depends on the variables of enclosing loops.
std::optional<Together> access_together(Arena& arena, Kernel& kernel, Loop* loop, bool of_any_size = false);
/// Returns the bitwise or of the distances of two groups of accesses (Together::distances). `a` may be null. A distance that is already an
/// operand of `a` is not added again.
const UOp* joined_distances(Arena& arena, const UOp* a, const UOp* b);
/// Returns an expression of dtype bool that is true if `distances` is a multiple of `elements`, which must be a power of two.
const UOp* are_multiples(Arena& arena, const UOp* distances, int64_t elements);

}  // namespace harp::ir
