// Groups the memory accesses of neighbouring iterations, so that a thread of a GPU processes several elements and loads and stores them
// together.
#pragma once

#include "ir/ir.h"

namespace harp::ir {

/// Turns a loop over single elements, whose body consists of stores, into a loop over groups of `elements` elements. For each group, the
/// arrays that are read at consecutive positions are first copied to registers (accumulators with is_row) in one access each; then the
/// values are computed element by element, and the results are copied to memory in one access for each array. This requires addresses that
/// are multiples of the group's size, which the loop tests at run time. Arrays that are not read at consecutive positions, and the elements
/// after the last whole group, are accessed one by one.
///
/// Returns the new loop, or the loop itself if `elements` is below 2 or its stores are not at consecutive positions.
Loop* group_accesses(Arena& arena, Kernel& kernel, Loop* loop, int elements);

/// Where a group of elements begins relative to whole groups.
struct GroupAlignment {
  Sym base;                    // the position of its first element, without multiples of a group; the same for every iteration of the kernel
  std::vector<Sym> multiples;  // sizes that have to be multiples of a group, for example the length of the rows in memory
};
/// Returns the alignment of a group that begins at `index`; nothing if it depends on the variables of enclosing loops.
std::optional<GroupAlignment> alignment_of(Sym index, int64_t elements);

/// The statements that execute all iterations of a loop with grouped accesses, and values by which the caller tests their alignment.
struct Together {
  Body body;
  const UOp* distances;  // an i64: the bitwise or of the distances, in elements, of the grouped arrays from the start of a cache line
  std::vector<Sym> multiples = {};  // sizes that have to be multiples of n (GroupAlignment)
};
/// Does the same as group_accesses() for a loop over [0, n), with n constant, whose iterations form one group. The caller must execute the
/// result only where `distances` is a multiple of n, and each of `multiples`, of which there are some only if `of_any_size`. Returns nothing
/// if no array is accessed at consecutive positions, or too many are, or if `distances` depends on the variables of enclosing loops.
std::optional<Together> access_together(Arena& arena, Kernel& kernel, Loop* loop, bool of_any_size = false);
/// Returns a bool: whether `distances` is a multiple of `elements`, a power of two.
const UOp* are_multiples(Arena& arena, const UOp* distances, int64_t elements);

}  // namespace harp::ir
