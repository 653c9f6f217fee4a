// Groups the memory accesses of neighbouring iterations, so that a thread of a GPU processes several elements and loads and stores them
// together.
#pragma once

#include "ir/ir.h"

namespace harp::ir {

/// Turns a loop over single elements, whose body consists of stores, into a loop over groups of `elements`. For each group the elements of
/// arrays that are read at consecutive positions are first copied to registers (rows of the kernel) in one access, the values are computed
/// element by element, and the results are copied to memory in one access. That needs addresses that are multiples of a group, which a test
/// in the loop checks. All other elements (of other arrays, and after the last whole group) are processed one by one.
///
/// Returns the new loop, or the loop itself if `elements` is below 2 or its stores are not at consecutive positions.
Loop* group_accesses(Arena& arena, Kernel& kernel, Loop* loop, int elements);

/// Where a group of elements begins relative to whole groups.
struct GroupAlignment {
  Sym base;                    // the same position, less multiples of a group, wherever in the kernel it is
  std::vector<Sym> multiples;  // sizes that have to be multiples of a group, for example the length of the rows in memory
};
/// Returns the alignment of a group that begins at `index`; nothing if it depends on where in the kernel the access is.
std::optional<GroupAlignment> alignment_of(Sym index, int64_t elements);

/// The statements that execute all iterations of a loop with grouped accesses, and their alignment.
struct Together {
  Body body;
  const UOp* distances;  // an i64: the bitwise or of the distances, in elements, of the grouped arrays from the start of a cache line
  std::vector<Sym> multiples = {};  // sizes that have to be multiples of n (GroupAlignment)
};
/// Does the same for a loop over [0, n), with n constant, whose iterations form one group. Requires that `distances` is a multiple of n.
/// Returns nothing if no array is accessed at consecutive positions, or too many are, or if the distances depend on where in the kernel the
/// loop is. There are `multiples` only if `of_any_size`; the caller then tests them.
std::optional<Together> access_together(Arena& arena, Kernel& kernel, Loop* loop, bool of_any_size = false);
/// Returns a bool: whether `distances` is a multiple of `elements`, a power of two.
const UOp* are_multiples(Arena& arena, const UOp* distances, int64_t elements);

}  // namespace harp::ir
