// Indices of a gather that are integer expressions of their own position, such as those of an array that is padded by reflection. They are
// computed like the positions of a view instead of being loaded; partition (ir/rewrite.h) splits loops so that these expressions are linear
// in each part.
#pragma once

#include "lower/value.h"

namespace harp::lower {

/// Returns the value of an element of indices for which are_positions() holds (schedule/gathered.h).
Sym index_at(const Node& indices, const Index& at);

/// Returns the position that an index selects on an axis of `size` elements, as in take: a negative index counts from the end, and one
/// outside of the axis is clamped. If the axis is empty, the position is not valid.
Sym selected_position(Sym index, Sym size);

}  // namespace harp::lower
