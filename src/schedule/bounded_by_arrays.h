// Decides whether a value may be stored without a sharp rise in memory. A value that is computed from broadcast arrays, such as all
// differences x[:, None] - y[None], may be thousands of times as large as everything else in the program.
#pragma once

#include <cstdint>
#include <functional>

#include "graph/graph.h"

namespace harp {

/// How much memory a stored value may need: `bytes`, or as much as `times` times the arrays in memory from which it is computed.
struct MemoryBound {
  int64_t bytes = 16 << 20;
  double times = 4;
};
/// A value may need as much memory as the arrays from which it is computed.
inline constexpr MemoryBound kAsArrays = {.bytes = 0, .times = 1};

/// Tests whether the node may be stored. The arrays from which it is computed are compared by their numbers of elements. is_stored(node)
/// returns whether a kernel stores the node; inputs and constants are in memory anyway.
bool is_bounded_by_arrays(const Node& root, const std::function<bool(const Node*)>& is_stored, const MemoryBound& most = {});

}  // namespace harp
