// Finds reshapes that join axes of a rearranged value, such as
//
//   reshape(x + expand(bias, shape=[b, channels, pixels]), shape=[b, channels * pixels])
//
// The bias of an element depends on its channel, so a loop along the joined axis would divide each index by the number of pixels. A kernel
// over the axes of the value needs no division. It can also store the reshape, because a reshape keeps the order of the elements in memory.
#pragma once

#include <functional>

#include "schedule/fusion_limits.h"
#include "schedule/program.h"

namespace harp {

/// Tests whether the node is a permute that moves only axes of size 1, so that the order of elements in memory does not change.
bool moves_only_ones(const Node& node);

/// If the node is a reshape that joins axes of a rearranged value and a kernel over the axes of that value should store it, returns the
/// value; otherwise null. A value is rearranged if it, or an operand from which it is computed element by element, is a view whose elements
/// lie in memory in another order than those of the value, or not next to each other. is_array(node) returns whether the node is loaded
/// from memory. Returns null on a GPU, where each element is computed by a thread of its own, which needs divisions whatever the axes of
/// the kernel are.
const Node* rearranged_below(const Node& reshape, const FusionLimits& limits, const std::function<bool(const Node*)>& is_array);

/// Tests whether a reshape between these shapes only joins axes, and the index along each joined axis is divided by a constant of at most
/// limits.unrolled_divisor. An elementwise kernel over the joined axes then needs no divisions: its loop of vectors is unrolled.
bool joins_by_unrolling(const Shape& from, const Shape& to, const FusionLimits& limits);

}  // namespace harp
