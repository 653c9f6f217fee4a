// Finds the array that a gather reads. Indices select elements along one axis at run time, so the gather's source must be in memory. If it
// is a view of an array in memory, no copy is needed: the view only changes the start and the stride of each axis.
#pragma once

#include <functional>
#include <optional>

#include "graph/view.h"
#include "schedule/program.h"

namespace harp {

/// The array that a gather reads, and the gather's first source as a linear view of that array. Every position of the view is inside the
/// array, because a Pad is never part of it.
struct Gathered {
  const Node* array;
  View view;
};

/// Returns the array that the gather reads. The search walks from the gather's first source down through views (reshape, permute, ...) to
/// the first array in memory of which that source is a linear view. If none is in memory, returns the deepest node of which the source is a
/// linear view; that node must then be stored. Returns nothing if the index has no effect, because the indexed axis has one element or
/// repeats one element: the source can then be computed inline like any other operand.
std::optional<Gathered> gathered(const Node& gather, const std::function<bool(const Node*)>& lies_in_memory);

/// Tests whether the indices are i64 expressions of sizes and of their own position in the index array, built from sums, minima, maxima and
/// remainders. Examples are the indices of an array that is padded by reflection. A gather with such indices reads its source like a view:
/// lower/positions.h computes the position of each element, and the source need not be in memory.
bool are_positions(const Node& indices);

/// Returns computed_nodes() (program.h) without the nodes that only compute indices for which are_positions() is true.
std::vector<const Node*> computed_values(const Program& program, const KernelPlan& kernel);

}  // namespace harp
