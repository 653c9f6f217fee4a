// Finds out what lowering needs to know about the body of a custom function (lower/custom_body.cpp): which indices need no check, and
// whether vectors can compute several adjacent elements of the result at a time, one in each lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace harp {

/// The largest number of expressions of a body that vectors compute. The elements of a longer body are computed one by one, because every
/// statement would become vector code, which would take long to compile.
inline constexpr size_t kMostExpressionsInLanes = 1000;

/// The largest number of elements that all local arrays together may have if vectors compute the body. Each element becomes a vector, so
/// the arrays take at most 4 KiB of the stack with the widest vectors, or twice that if the last vector of a row has its own version of the
/// body.
inline constexpr int64_t kMostArrayElementsInLanes = 64;

/// States under which conditions an index in the body of a custom function is proven to be inside its array.
enum class Inside : uint8_t {
  kUnknown,  // there is no proof, so the index is checked at run time
  // The index is inside whenever the statement that uses it is executed. The proof needs the conditions of the branches around the
  // statement.
  kInBranch,
  kAlways,  // The index is inside in every iteration of the loops around the statement, even if the branch around it is not taken.
};

struct BodyIndices {
  std::vector<Inside> inside;  // one entry for each place of the body where an array is indexed, in the order of ElementBody::sites
  // For each variable of the body, in order of their numbers: whether it is set only in its declaration, to a position (a value made of
  // constants, sizes, indices and loop counters, see body_positions.h).
  std::vector<bool> is_position;
};
/// Returns which indices of the body are proven to be inside their arrays if the elements of the result are computed one by one.
BodyIndices indices_of_body(const Node& custom);

struct BodyLanes {
  // The size in bytes of the widest number in the body that differs between the lanes, but at least 4. Positions (i64 values for indices,
  // body_positions.h) are left out, and, if the body has loops, so are numbers outside of the loops.
  size_t bytes = 4;
  BodyIndices indices;  // all indices are proven to be inside their arrays
};

/// Returns how vectors compute the elements of a custom function along its last axis whose size is not 1. Returns nothing if the elements
/// are to be computed one by one, because vectors would not be faster. That is so if
/// - the body is longer, or its local arrays are larger, than kMostExpressionsInLanes and kMostArrayElementsInLanes permit;
/// - the body has an index that is not proven to be inside its array, or an index of a local array that differs between the elements: lanes
///   would be loaded and stored one at a time;
/// - a loop divides integers that differ between the elements, or raises them to a power: CPUs do this one lane at a time, and vectors
///   would do it also for lanes whose loop has ended;
/// - a loop loads elements that are not adjacent in memory for adjacent lanes: each lane would load from another cache line, whereas
///   consecutive iterations for one element may load from the same line;
/// - a loop loads, inside a branch that only some lanes may take, an element that is the same for all lanes and whose index is inside the
///   array only where the branch is taken: the condition would be tested for each lane.
std::optional<BodyLanes> lanes_of_body(const Node& custom);

/// If the elements are computed one by one, returns the size in bytes of the widest integers that a loop of the body combines to their sum,
/// product, maximum or minimum: `for k in a .. b { most = maximum(most, x[k]) }`. A vector can combine several iterations of such a loop at
/// a time, because integers give the same bits in every order. Returns 0 if there is no such loop, or if one of its indices is checked.
size_t bytes_of_chains(const Node& custom);

}  // namespace harp
