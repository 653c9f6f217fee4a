// Decides how many lanes the vectors of an elementwise kernel have, where vectors of the usual size are slow.
#pragma once

#include <unordered_set>

#include "schedule/program.h"

namespace harp {

/// Returns the nodes of an elementwise kernel that compute only indices of gathers that read whole rows: such an index is the same in all
/// lanes, so it needs no vector.
std::unordered_set<const Node*> indices_of_rows(const Program& program, const KernelPlan& kernel);

/// Returns the number of lanes of the kernel's vectors:
/// - 1 if the kernel is a gather of single elements with little other work;
/// - at most kMostColumnLanes (tuning.h) if the kernel stores three or more arrays interleaved, as a stack along a new last axis does. The
///   compiler interleaves longer vectors of narrow elements one element at a time;
/// - otherwise `usual`, the largest number for which every vector of the kernel fits in one register.
int lanes_of_elements(const Program& program, const KernelPlan& kernel, int usual);

}  // namespace harp
