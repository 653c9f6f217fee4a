// Which nodes get a buffer of their own. Everything else is computed again inside each kernel that needs it.
#pragma once

#include <span>

#include "schedule/node_marks.h"

namespace harp {

/// Nodes of `live` (sources first) that must be stored: outputs, reductions, contiguous copies, what many kernels would compute
/// again, and cuts that keep kernels under kMaxKernelOps operations. Inputs and constants have buffers anyway and are not in it.
NodeMarks choose_materialised(const Graph& graph, std::span<const Node* const> live);

inline constexpr int kMaxKernelOps = 1000;
inline constexpr int kMaxInlineDepth = 400;

}  // namespace harp
