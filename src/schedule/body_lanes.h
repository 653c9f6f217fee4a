// What lowering needs to know about the body of a custom function (lower/custom_body.cpp): which indices need no check, and whether vectors
// can compute several adjacent elements of the result at a time, one in each lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace harp {

/// Most expressions of a body that is computed in vectors: a longer one would take long to compile, because each of its statements becomes
/// vectors by itself.
inline constexpr size_t kMostExpressionsInLanes = 1000;

/// Most elements of all local arrays of a body that is computed in vectors. Such an array has a vector for each element, so these are at
/// most 4 KiB of the stack with the widest vectors, twice if the last vector has a version of its own.
inline constexpr int64_t kMostArrayElementsInLanes = 64;

/// Where an index is proven to be inside its array.
enum class Inside : uint8_t {
  kUnknown,   // it is checked at run time
  kInBranch,  // where the statement that uses it is executed: the proof needs the conditions of the branches around it
  kAlways,    // wherever the loops around that statement run, also if the branch with the statement is not taken
};

struct BodyIndices {
  std::vector<Inside> inside;     // by ElementBody::sites
  std::vector<bool> is_position;  // by variable: it is set once, where it is declared, to a position (body_positions.h)
};
/// What is known about the indices of a body whose elements are computed one by one.
BodyIndices indices_of_body(const Node& custom);

struct BodyLanes {
  // Bytes of the widest number that differs between the lanes, at least 4. Numbers outside of loops do not count if there are loops, and
  // positions (body_positions.h) never do.
  size_t bytes = 4;
  BodyIndices indices;  // none of them is checked
};

/// Returns how vectors compute the elements of a custom function along its last axis whose size is not 1. Returns nothing if the elements
/// are to be computed one by one, because vectors would not be faster. That is so if
/// - the body has an index that may be outside its array, or an index of a local array that differs between the elements: lanes would be
///   loaded and stored one at a time;
/// - a loop divides integers that differ between the elements, or raises them to a power: CPUs do this one lane at a time, and vectors
/// would
///   do it also for lanes whose loop has ended;
/// - a loop loads elements that are not adjacent in memory for adjacent lanes: each lane would load from another cache line, whereas
///   consecutive iterations for one element may load from the same line;
/// - a loop loads, inside a branch, an element that is the same for all lanes and whose index is inside the array only where the branch is
///   taken: the condition would be tested for each lane.
std::optional<BodyLanes> lanes_of_body(const Node& custom);

}  // namespace harp
