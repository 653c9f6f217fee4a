// Which nodes get a buffer of their own. Everything else is computed again inside each kernel that needs it.
#pragma once

#include <span>

#include "schedule/node_marks.h"
#include "schedule/transform.h"

namespace harp {

struct Materialised {
  NodeMarks stored;
  std::vector<double> cost;  // by node id: of one element, computed again with all that is not stored below it
};

/// In units of ops.def's cost column: is computing an element `times` times dearer than storing it once and loading it as often?
bool is_worth_storing(double cost, double times);

/// What part of an array so many elements are; 1 where that is not known.
double share_of(const Shape& part, const Shape& whole);

/// Nodes of `live` (sources first) that must be stored: outputs, reductions, scans, contiguous copies, what many kernels would compute
/// again, what transforms read and write, and where kernels become too large: the first node with more than kMaxKernelOps operations, of
/// which each of its operands has fewer. Inputs and constants have buffers anyway and are not in it.
Materialised choose_materialised(const Graph& graph, std::span<const Node* const> live, const Transforms& transforms);

inline constexpr int kMaxKernelOps = 1000;
inline constexpr int kMaxInlineDepth = 400;

}  // namespace harp
