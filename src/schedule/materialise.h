// Decides which nodes are stored in a buffer. Each kernel that uses one of the other nodes computes it again.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "schedule/fusion_limits.h"
#include "schedule/node_marks.h"
#include "schedule/transform.h"

namespace harp {

/// Tests whether computing an element `times` times costs more than computing and storing it once and loading it `times` times. `cost` (of
/// computing it) and `memory_cost` (of a load or store) are in units of an addition, as the cost column of ops.def.
bool is_worth_storing(double cost, double times, double memory_cost);

/// How many times slower it is to load a value from main memory than from a cache. The factor applies to a value that is needed again so
/// much later that it has left the caches.
inline constexpr double kMainMemory = 4;

/// Tests whether the node computes nothing: it is a leaf or a view of its source. Such a node is never stored to avoid recomputation.
/// Instead, the node that it views is stored, which may be much smaller (for example by a factor of a thousand).
bool is_free(const Node& node);

/// Returns, indexed by node id, the cost of one element of the node and of everything that is computed inline with it, down to stored
/// nodes. An operand that several nodes use is counted several times.
std::vector<double> inlined_costs(const Graph& graph, std::span<const Node* const> live, const NodeMarks& stored);

/// Returns the cost of one element of the node and of everything that is computed inline with it. Unlike inlined_costs(), it counts an
/// operand that several nodes use only once.
double exact_cost(const Node& root, const NodeMarks& stored);

/// Returns the number of elements of `part` divided by that of `whole`, but at most 1; 1 if the ratio is unknown.
double share_of(const Shape& part, const Shape& whole);

/// Returns the nodes of `live` (sorted with sources first) that must be stored: outputs, reductions, scans, contiguous copies, values that
/// several kernels would recompute at a higher cost, operands and results of transforms, and nodes at which kernels would become too large.
/// The latter are the nodes that need more than limits.ops operations while each of their operands needs fewer. Inputs and constants have
/// buffers anyway and are not included.
NodeMarks choose_materialised(const Graph& graph, std::span<const Node* const> live, const Transforms& transforms,
                              const FusionLimits& limits);

}  // namespace harp
