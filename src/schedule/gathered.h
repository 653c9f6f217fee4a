// Finds the array that a gather reads. Indices select elements along one axis at run time, so the source must lie in memory. A view of an
// array in memory needs no copy: it only changes the start and the stride of each axis.
#pragma once

#include <functional>
#include <optional>

#include "graph/view.h"
#include "schedule/program.h"

namespace harp {

/// The array that a gather reads, and the gather's first source as a linear view of that array. The view has no bounds, because a Pad is
/// not part of it.
struct Gathered {
  const Node* array;
  View view;
};

/// Follows the movement ops of the gather's first source and returns the first array that lies in memory and of which the source is a
/// linear view. If none of them lies in memory, returns the deepest node of which the source is a view; that node must then be stored.
/// Returns nothing if the gather's position has no effect, because the axis has a single element, possibly expanded: the first source can
/// then be computed like any other operand.
std::optional<Gathered> gathered(const Node& gather, const std::function<bool(const Node*)>& lies_in_memory);

/// Tests whether indices are integer expressions of their own position: sums, minima, maxima and remainders of sizes and ranges in i64,
/// such as those of an array that is padded by reflection. A gather with such indices reads like a view: lower/positions.h gives the
/// position of each element, and the source need not lie in memory.
bool are_positions(const Node& indices);

/// Returns computed_nodes() (program.h) without the nodes that only compute indices for which are_positions() holds.
std::vector<const Node*> computed_values(const Program& program, const KernelPlan& kernel);

}  // namespace harp
