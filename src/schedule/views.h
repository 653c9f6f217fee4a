// How memory is seen by the elements of each node of a kernel: the strides at which it is read for them, found from the loads up.
#pragma once

#include <unordered_map>
#include <vector>

#include "graph/view.h"
#include "schedule/program.h"

namespace harp {

/// Memory as a node's elements see it.
struct ArrayView : View {
  int64_t element_bytes;  // of the array, which a cast or a comparison stands between
  bool operator==(const ArrayView&) const = default;
};

class KernelViews {
 public:
  KernelViews(const Program& program, const KernelPlan& kernel);

  /// Of the loads below the node; none of those whose positions are not linear in its index.
  std::vector<ArrayView> of(const Node* node) const;

 private:
  void look_at(const Node& node);

  const Program& program_;
  const KernelPlan& kernel_;
  std::unordered_map<const Node*, std::vector<ArrayView>> views_;
};

}  // namespace harp
