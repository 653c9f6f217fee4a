// Finds how a kernel accesses memory: for each node, the strides of the loads from which its elements are computed. The strides are
// determined for the loads first, and then for each node from its sources.
#pragma once

#include <unordered_map>
#include <vector>

#include "graph/view.h"
#include "schedule/program.h"

namespace harp {

/// A linear map from a node's indices to positions in an array in memory.
struct ArrayView : View {
  // The bytes of an element of the array. The array's dtype may differ from the node's, because a cast or comparison may be in between.
  int64_t element_bytes;
  bool operator==(const ArrayView&) const = default;
};

class KernelViews {
 public:
  KernelViews(const Program& program, const KernelPlan& kernel);

  /// Returns the views of the arrays that are loaded to compute the node, one for each load. Loads at positions that are not linear in the
  /// node's index are left out.
  std::vector<ArrayView> of(const Node* node) const;

 private:
  void visit(const Node& node);

  const Program& program_;
  const KernelPlan& kernel_;
  std::unordered_map<const Node*, std::vector<ArrayView>> views_;
};

}  // namespace harp
