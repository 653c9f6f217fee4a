// Finds bounds of an integer value from the operations that compute it, so that an index that is inside its axis for all inputs is not
// clamped: the steps of a binary search, `where` of two constants, a byte that indexes a table of 256 elements, `minimum(maximum(i, 0),
// 9)`.
#pragma once

#include "ir/ir.h"

namespace harp::ir {

struct NumberRange {
  WideInt lo, hi;  // both inclusive
};

/// Returns bounds of the value, an integer or a bool of one lane, that hold whatever its loads and indices give. They also hold in lanes of
/// a vector beyond the end of a loop, because nothing is assumed about loop variables. A value that needs more than a few hundred
/// operations has only the bounds of its dtype.
NumberRange range_of_number(const UOp* number);

}  // namespace harp::ir
