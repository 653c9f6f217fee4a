// Decides whether a value may be stored without a sharp rise in memory. A value that is computed from broadcast arrays, such as all
// differences x[:, None] - y[None], may be many times as large as everything else in the program.
#pragma once

#include <functional>
#include <unordered_map>
#include <utility>

#include "graph/graph.h"

namespace harp {

/// Finds the nodes that have at most a few times as many elements as the arrays in memory from which they are computed.
class BoundedByArrays {
 public:
  /// is_stored(node) returns whether a kernel stores the node in memory; inputs and constants are in memory anyway. The result for a node
  /// is computed once, so is_stored must not change, except that a node for which this class returns true may become stored.
  explicit BoundedByArrays(std::function<bool(const Node*)> is_stored) : is_stored_(std::move(is_stored)) {}

  bool operator()(const Node& root);

 private:
  bool is_array(const Node& node) const;
  bool follows(const Node& node) const;

  const std::function<bool(const Node*)> is_stored_;
  std::unordered_map<const Node*, bool> known_;
};

}  // namespace harp
