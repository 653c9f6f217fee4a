// The array that a gather reads. Indices select elements along one axis, so the source must lie in memory. Views of an array need no copy:
// they only change the start and the stride of each axis.
#pragma once

#include <functional>
#include <optional>

#include "graph/view.h"

namespace harp {

/// The array below a gather's first source, and that source as a linear view of it, without bounds.
struct Gathered {
  const Node* array;
  View view;
};

/// Returns the first node below the gather's first source that lies in memory and of which the source is such a view. If none does, returns
/// the deepest node of which the source is a view; it must then be stored. Returns nothing if the gather's position has no effect, because
/// the axis has a single element, possibly expanded: the first source can then be computed like any other operand.
std::optional<Gathered> gathered(const Node& gather, const std::function<bool(const Node*)>& lies_in_memory);

}  // namespace harp
