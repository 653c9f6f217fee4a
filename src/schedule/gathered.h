// Where a gather finds its elements. Indices say which element it takes along one axis, so what it takes from has to lie in memory; but
// views of that need not: they only change where each axis begins and how far apart its elements are.
#pragma once

#include <functional>
#include <optional>

#include "graph/view.h"

namespace harp {

/// The array below a gather's first source, and that source as a view of it: linear, without bounds.
struct Gathered {
  const Node* array;
  View view;
};

/// The array is the first below the gather's first source that lies in memory and of which that is such a view; if none does, the one as
/// deep below as it is a view of, which then has to be stored. Nothing where the gather's position makes no difference, because the axis is one element, seen once or often: then the first source
/// can be computed like that of any other operation.
std::optional<Gathered> gathered(const Node& gather, const std::function<bool(const Node*)>& lies_in_memory);

}  // namespace harp
