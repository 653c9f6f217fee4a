// Finds axes that a reshape leaves as they are.
#pragma once

#include <optional>

#include "graph/graph.h"

namespace harp {

/// `to` is the shape of a reshape of an array of shape `from`. Returns the axis of `from` that is this axis of `to`: it has the same size,
/// and as many elements before and after it. Returns nothing if the reshape divides or merges the axis, and where this could be several
/// axes: for an axis of the constant size 1, and if another axis has the constant size 0.
std::optional<int> reshaped_axis(const Shape& from, const Shape& to, int axis);

}  // namespace harp
