// Defines a set of nodes of one graph. Clearing it takes constant time, because walks over the nodes of single kernels are frequent and
// short.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace harp {

class NodeMarks {
 public:
  explicit NodeMarks(const Graph& graph) : stamps_(graph.nodes().size(), 0) {}
  void clear() { ++now_; }
  bool contains(const Node* node) const { return stamps_[node->id] == now_; }
  /// Adds the node. Returns true if the node was not in the set.
  bool insert(const Node* node) {
    if (contains(node)) return false;
    stamps_[node->id] = now_;
    return true;
  }

 private:
  std::vector<uint32_t> stamps_;
  uint32_t now_ = 1;
};

}  // namespace harp
