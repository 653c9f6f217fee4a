// Decides which nodes get a buffer. All other nodes are recomputed inside each kernel that uses them.
#pragma once

#include <span>
#include <vector>

#include "schedule/fusion_limits.h"
#include "schedule/node_marks.h"
#include "schedule/transform.h"

namespace harp {

/// Tests whether computing an element `times` times costs more than storing it once and loading it as often. `cost`, and `memory_cost` of a
/// load or store, are in units of ops.def's cost column.
bool is_worth_storing(double cost, double times, double memory_cost);

/// Factor by which loading a value from main memory is slower than from a cache. It applies to a value that is needed again much later,
/// when it is no longer in the caches.
inline constexpr double kMainMemory = 4;

/// Tests whether the node is only a view of its sources, without computation. Such a node is never stored to avoid recomputation; the node
/// that it views is stored instead, which may have a thousandth of the size.
bool is_free(const Node& node);

/// Returns, by node id, the cost of one element, including the nodes that it is computed from, down to stored ones, because these are
/// recomputed with it. An operand that is used twice counts twice.
std::vector<double> inlined_costs(const Graph& graph, std::span<const Node* const> live, const NodeMarks& stored);

/// Returns the same cost for one node, but operands that several nodes share count once.
double exact_cost(const Node& root, const NodeMarks& stored);

/// Returns the ratio of the number of elements of `part` to that of `whole`; 1 if it is unknown.
double share_of(const Shape& part, const Shape& whole);

/// Returns the nodes of `live` (sources first) that must be stored: outputs, reductions, scans, contiguous copies, values that many kernels
/// would recompute, operands and results of transforms, and nodes at which kernels would become too large: the first node with more than
/// limits.ops operations whose operands each have fewer. Inputs and constants have buffers anyway and are not included.
NodeMarks choose_materialised(const Graph& graph, std::span<const Node* const> live, const Transforms& transforms,
                              const FusionLimits& limits);

}  // namespace harp
