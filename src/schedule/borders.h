// Decides which pads and concats are stored by kernels of their own, because the kernel of a reduction or scan that computed them would be
// slow: the index of an element along the padded or joined axis decides whether, or from which source, the element is loaded. An
// elementwise kernel may compute them, since its loops are divided at the borders.
#pragma once

#include <functional>
#include <span>

#include "schedule/fusion_limits.h"
#include "schedule/node_marks.h"

namespace harp {

/// Stores pads and concats that the kernel of a reduction or scan would otherwise compute: those along axes that it reduces or scans, and
/// along its last axis. (On a GPU only those along several axes that a reduction flattens into one.) If a value between the pad or concat
/// and the reduction is stored anyway, the reduction loads that value. Pads and concats that have many times as many elements as the arrays
/// from which they are computed are not stored (bounded_by_arrays.h).
void store_bordered(std::span<const Node* const> live, const FusionLimits& limits, NodeMarks& stored);

/// Stores concats from which the factors of products of matrices are computed, because the kernel of a product would select the source of
/// each element. As above, concats that would need much more memory are not stored.
void store_joined_factors(const Graph& graph, std::span<const Node* const> live, const FusionLimits& limits, NodeMarks& stored);

/// Tests whether a kernel that computes the reduction and `root`, a value with the shape of its source, would compute pads or concats that
/// store_bordered() would store for the sake of the reduction alone. loads(node) returns whether the kernel loads the node instead of
/// computing it.
bool computes_borders(const Node& root, const Node& reduce, const FusionLimits& limits, const std::function<bool(const Node*)>& loads);

}  // namespace harp
