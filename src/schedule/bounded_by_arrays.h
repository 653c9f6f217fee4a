// Decides whether a value is large enough to be worth storing, and whether it may be stored without a sharp rise in memory. A value that is
// computed from broadcast arrays, such as all differences x[:, None] - y[None], may be thousands of times as large as everything else in
// the program.
#pragma once

#include <cstdint>
#include <functional>

#include "graph/graph.h"
#include "schedule/fusion_limits.h"
#include "schedule/node_marks.h"

namespace harp {

/// What a stored value may have: `bytes` of memory, or `times` times as many elements as the arrays in memory from which it is computed.
struct MemoryBound {
  int64_t bytes = 16 << 20;
  double times = 4;
};
/// The value may have as many elements as the arrays from which it is computed.
inline constexpr MemoryBound kAsArrays = {.bytes = 0, .times = 1};

/// Tests whether the node is within the bound, so that it may be stored. is_stored(node) returns whether a kernel stores the node; inputs
/// and constants are in memory anyway.
bool is_bounded_by_arrays(const Node& root, const std::function<bool(const Node*)>& is_stored, const MemoryBound& most = {});
inline bool is_bounded_by_arrays(const Node& root, const NodeMarks& stored, const MemoryBound& most = {}) {
  return is_bounded_by_arrays(
      root, [&](const Node* node) { return stored.contains(node); }, most);
}

/// Tests whether the node has enough elements to be worth a kernel of its own.
inline bool is_worth_kernel(const Node& node, const FusionLimits& limits) {
  return range(element_count(node.shape)).hi > limits.min_elements;
}

/// Returns the number of bytes of the node's elements; for symbolic sizes the largest one, which may be INT64_MAX.
int64_t most_bytes(const Node& node);

/// Returns the number of elements if each shape variable has the value 4096, or the nearest one within its bounds. The numbers of two
/// arrays tell which one is larger for most sizes, where a proof would depend on extreme sizes such as 0.
double typical_count(const Shape& shape);

}  // namespace harp
