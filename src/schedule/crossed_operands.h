// Decides which operands of reductions and scans are stored because they are computed from arrays that are adjacent in memory along
// different axes, such as x + permute(y, axes=[1, 0]).
#pragma once

#include <span>

#include "schedule/fusion_limits.h"
#include "schedule/node_marks.h"

namespace harp {

/// Stores such operands. Along whichever axis the vectors of a reduction or scan run, the elements of some array would be loaded one by
/// one. The kernel that stores the operand transposes blocks of that array instead. If each of two factors of a sum of products is adjacent
/// along an axis of its own, the factor along the other axis than that of the vectors is stored. Does nothing for a GPU or for products of
/// matrices, whose kernels copy factors to tiles anyway, and stores nothing that has more elements than the arrays in memory.
void store_crossed(std::span<const Node* const> live, const FusionLimits& limits, NodeMarks& stored);

}  // namespace harp
