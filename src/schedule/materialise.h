// Which nodes get a buffer of their own. Everything else is computed again inside each kernel that needs it.
#pragma once

#include <span>
#include <vector>

#include "schedule/node_marks.h"
#include "schedule/transform.h"

namespace harp {

/// In units of ops.def's cost column: is computing an element `times` times dearer than storing it once and loading it as often?
bool is_worth_storing(double cost, double times);

/// Is it only another way to read what it is made of? Such a node is never stored to save computing it: what is below it is, which may be
/// a thousandth as large.
bool is_free(const Node& node);

/// By node id: what an element costs that is computed again with all that is not stored below it.
std::vector<double> inlined_costs(const Graph& graph, std::span<const Node* const> live, const NodeMarks& stored);

/// What part of an array so many elements are; 1 where that is not known.
double share_of(const Shape& part, const Shape& whole);

/// Nodes of `live` (sources first) that must be stored: outputs, reductions, scans, contiguous copies, what many kernels would compute
/// again, what transforms read and write, and where kernels become too large: the first node with more than kMaxKernelOps operations, of
/// which each of its operands has fewer. Inputs and constants have buffers anyway and are not in it.
NodeMarks choose_materialised(const Graph& graph, std::span<const Node* const> live, const Transforms& transforms);

inline constexpr int kMaxKernelOps = 1000;
inline constexpr int kMaxInlineDepth = 400;
inline constexpr size_t kMaxKernelArrays = 64;  // that a kernel reads: of a thousand, a C compiler takes a minute
inline constexpr int kMaxNestedJoins = 16;      // of concats in concats, each of which cuts the loop at its borders

}  // namespace harp
