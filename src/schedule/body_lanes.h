// Vectors of custom functions: several adjacent elements of the result are computed at a time, one in each lane (lower/custom_body.cpp).
#pragma once

#include <cstddef>
#include <optional>

#include "graph/graph.h"

namespace harp {

/// Most expressions of a body that is computed in vectors: a longer one would take long to compile, because each of its statements becomes
/// vectors by itself.
inline constexpr size_t kMostExpressionsInLanes = 1000;

/// Returns how many bytes a lane has if vectors can compute the elements of a custom function along its last axis (of those that are not of
/// size 1): the size of the widest number that differs between the lanes, at least 4. Numbers outside of loops do not count if there are
/// loops. Returns nothing if the elements are computed one by one, which is so if
/// - the body has a local array, or an index that is checked at run time: they would be gathered and scattered lane by lane;
/// - the bounds of a counted loop differ between the elements;
/// - a loop divides integers that differ between the elements, or raises them to a power: CPUs do this lane by lane, also for lanes whose
///   loop has ended;
/// - a loop loads from an array whose elements for adjacent lanes are not adjacent: for each lane it would load from another cache line,
///   whereas one element after the other may load from the line that it has.
std::optional<size_t> bytes_of_lane(const Node& custom);

}  // namespace harp
