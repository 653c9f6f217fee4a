// Finds the elementwise kernels for which vectors of the usual length are slow: kernels that gather single elements, and kernels that store
// several arrays interleaved.
#include "schedule/cpu/element_lanes.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "schedule/cpu/tuning.h"
#include "schedule/gathered.h"
#include "schedule/views.h"

namespace harp {
namespace {

/// Tests whether the index may differ between neighbouring elements of the gather's result along its last axis, so that each element is
/// loaded separately.
bool takes_single_elements(const Node& gather, const KernelViews& views) {
  const Shape& shape = gather.shape;
  const auto last = std::ranges::find_if(shape.rbegin(), shape.rend(), [](const Dim& size) { return !size.is_constant(1); });
  if (last == shape.rend() || are_positions(*gather.sources[1])) return false;
  const auto axis = static_cast<size_t>(shape.rend() - last) - 1;
  return std::ranges::any_of(views.of(gather.sources[1]), [&](const ArrayView& view) { return !view.strides[axis].is_constant(0); });
}

/// Tests whether an elementwise kernel gathers single elements and does little else.
bool only_takes_elements(const Program& program, const KernelPlan& kernel) {
  std::vector<const Node*> gathers;
  int cost = 0;
  for (const Node* node : computed_values(program, kernel)) {
    if (is_elementwise(node->op) && node->rank() > 0) cost += info(node->op).cost;
    if (node->op == Op::kGather) gathers.push_back(node);
  }
  if (gathers.empty() || cost > kMaxCostOfTaking) return false;
  const KernelViews views(program, kernel);
  return std::ranges::any_of(gathers, [&](const Node* gather) { return takes_single_elements(*gather, views); });
}

/// Tests whether the kernel stores at least three arrays interleaved, element by element, as a stack along a new last axis does. The
/// elements of one vector are then stored with gaps, which the elements of the other arrays fill (ir/interleaved_accesses.h). Two arrays
/// are interleaved fast by vectors of any length.
bool stacks_arrays(const KernelPlan& kernel) {
  constexpr std::ptrdiff_t kLeast = 3;
  return std::ranges::any_of(kernel.stores, [&](const StorePlan& store) {
    const Shape& part = store.node->shape;
    if (store.offset.empty() || part.empty() || !part.back().is_constant(1) || store.shape.back().is_constant(1)) return false;
    return std::ranges::count(kernel.stores, store.buffer, &StorePlan::buffer) >= kLeast;
  });
}

}  // namespace

std::unordered_set<const Node*> indices_of_rows(const Program& program, const KernelPlan& kernel) {
  const std::vector<const Node*> all = computed_values(program, kernel);
  const auto moves_axes = [](const Node* node) { return node->op == Op::kPermute; };  // the last axis of a gather is then not the lanes'
  if (std::ranges::none_of(all, [](const Node* node) { return node->op == Op::kGather; }) || std::ranges::any_of(all, moves_axes))
    return {};
  const KernelViews views(program, kernel);
  std::unordered_set<const Node*> indices;
  for (const Node* gather : all)
    if (gather->op == Op::kGather && !are_positions(*gather->sources[1]) && !takes_single_elements(*gather, views))
      indices.insert(gather->sources[1]);
  // visits users before their sources
  for (auto at = all.rbegin(); at != all.rend(); ++at) {
    if ((*at)->op == Op::kArange && indices.contains(*at)) return {};  // may differ from lane to lane
    if (indices.contains(*at)) indices.insert((*at)->sources.begin(), (*at)->sources.end());
  }
  // keeps those that nothing else uses
  for (const StorePlan& store : kernel.stores) indices.erase(store.node);
  for (auto at = all.rbegin(); at != all.rend(); ++at) {
    const Node& node = **at;
    for (size_t i = 0; i < node.sources.size(); ++i) {
      const bool is_index_of_rows = node.op == Op::kGather && i == 1 && !takes_single_elements(node, views);
      if (!indices.contains(&node) && !is_index_of_rows) indices.erase(node.sources[i]);
    }
  }
  return indices;
}

int lanes_of_elements(const Program& program, const KernelPlan& kernel, int usual) {
  if (only_takes_elements(program, kernel)) return 1;
  return stacks_arrays(kernel) ? std::min(usual, kMostColumnLanes) : usual;
}

}  // namespace harp
