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

}  // namespace harp::ir
