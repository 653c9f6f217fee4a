// How the elements of each node of a kernel access memory: the strides of the loads that the node is computed from. They are computed for
// the loads first, and then for each node from its sources.
#pragma once

#include <unordered_map>
#include <vector>

#include "graph/view.h"
#include "schedule/program.h"

namespace harp {

/// A linear map from a node's indices to positions in an array in memory.
struct ArrayView : View {
  int64_t element_bytes;  // bytes of an element of the array; its dtype may differ from the node's (a cast or comparison in between)
  bool operator==(const ArrayView&) const = default;
};

class KernelViews {
 public:
  KernelViews(const Program& program, const KernelPlan& kernel);

  /// Returns the views of the loads that the node is computed from. Loads whose positions are not linear in the node's index are left out.
  std::vector<ArrayView> of(const Node* node) const;

 private:
  void visit(const Node& node);

  const Program& program_;
  const KernelPlan& kernel_;
  std::unordered_map<const Node*, std::vector<ArrayView>> views_;
};

}  // namespace harp
