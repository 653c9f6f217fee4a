// Indices of a gather that are integer expressions of their own position, such as the indices that pad an array by reflection. They are
// computed like the positions of a view instead of being loaded; partition (ir/rewrite.h) splits loops so that these expressions are linear
// in each part.
#pragma once

#include "lower/value.h"

namespace harp::lower {

/// Returns the value of element `at` of the node `indices`, for which are_positions() must be true (schedule/gathered.h).
Sym index_at(const Node& indices, const Index& at);

/// Returns the position that an index selects on an axis of `size` elements, as in `take`: a negative index counts from the end, and an
/// index that is out of range is clamped. If the axis is empty, the result is not a valid position.
Sym selected_position(Sym index, Sym size);

}  // namespace harp::lower
