// Groups the memory accesses of neighbouring iterations: a thread of a GPU then takes several elements, which it loads and stores together.
#pragma once

#include "ir/ir.h"

namespace harp::ir {

/// Makes of a loop over single elements, whose body consists of stores, a loop over groups of `elements`. In each group, arrays that are
/// read at consecutive positions are first copied to registers (rows of the kernel) as wholes, the values are computed element by element,
/// and the results are copied to memory as wholes. That needs addresses that are multiples of a group, which a test in the loop finds out;
/// the elements of other arrays, and those after the last whole group, are processed one by one.
///
/// Returns the new loop, or the loop itself if `elements` is below 2 or its stores are not at consecutive positions.
Loop* group_accesses(Arena& arena, Kernel& kernel, Loop* loop, int elements);

/// The iterations of a loop that access arrays together.
struct Together {
  Body body;
  const UOp* distances;  // an i64: the bits of the distances, in elements, of these arrays from the start of a cache line
};
/// Makes of a loop over [0, n), with n constant, one group of its iterations: arrays that it loads or stores at consecutive positions are
/// copied as wholes, as above. Requires that `distances` is a multiple of n. Returns nothing if there are no such arrays, or too many, or
/// if the distances depend on where in the kernel the loop is.
std::optional<Together> access_together(Arena& arena, Kernel& kernel, Loop* loop);
/// A bool: `distances` is a multiple of `elements`, a power of two.
const UOp* are_multiples(Arena& arena, const UOp* distances, int64_t elements);

}  // namespace harp::ir
