#include "schedule/crossed_operands.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/view.h"
#include "schedule/bounded_by_arrays.h"
#include "schedule/contraction_blocks.h"
#include "schedule/kernel_structure.h"
#include "schedule/program.h"

namespace harp {
namespace {

constexpr size_t kMaxArrays = 8;  // at most this many views of arrays are recorded for a node

/// An array in memory from which a node is computed, and the axis of the node along which the array's elements are adjacent.
struct Access {
  size_t axis;
  Shape strides;  // for each axis of the node

  bool operator==(const Access&) const = default;
};
using Accesses = std::vector<Access>;

/// Tests whether vectors along either array's axis would have to be assembled from single elements of the other array.
bool are_crossed(const Access& a, const Access& b) {
  return a.axis != b.axis && !a.strides[b.axis].is_constant(0) && !b.strides[a.axis].is_constant(0);
}
bool are_crossed(const Accesses& a, const Accesses& b) {
  return std::ranges::any_of(a,
                             [&](const Access& x) { return std::ranges::any_of(b, [&](const Access& y) { return are_crossed(x, y); }); });
}

/// Finds for each node the arrays from which it is computed. KernelViews (views.h) does the same for a kernel. Here there are no kernels
/// yet, and more nodes become arrays (set_stored()) while views are asked for, so views are found one node at a time. Values that are not
/// computed element by element, such as concats, have no views here.
class StoredViews {
 public:
  explicit StoredViews(const NodeMarks& stored) : stored_(stored) {}

  Accesses of(const Node& node) {
    Accesses found;
    for (const View& view : views_of(node))
      for (size_t axis = view.shape.size(); axis-- > 0;) {
        const Dim& step = view.strides[axis];
        if (view.shape[axis].is_constant(1) || !step.is_constant() || step.constant() == 0 || std::abs(step.constant()) > kMaxStepOfLanes)
          continue;
        if (Access access{axis, view.strides}; std::ranges::find(found, access) == found.end()) found.push_back(std::move(access));
        break;
      }
    return found;
  }

  /// Records that the node, which is now in `stored`, is an array in memory.
  void set_stored(const Node& node) { views_.insert_or_assign(&node, std::vector<View>{View::contiguous(node.shape)}); }

 private:
  const std::vector<View>& views_of(const Node& root) {
    std::vector<const Node*> stack = {&root};
    while (!stack.empty()) {
      const Node* node = stack.back();
      const size_t waiting = stack.size();
      if (!views_.contains(node))
        for (const Node* source : sources_of(*node))
          if (!views_.contains(source)) stack.push_back(source);
      if (stack.size() > waiting) continue;
      stack.pop_back();
      if (!views_.contains(node)) views_.emplace(node, combined(*node));
    }
    return views_.at(&root);
  }

  bool is_array(const Node& node) const { return stored_.contains(&node) || node.op == Op::kInput || node.op == Op::kConstantArray; }

  /// Returns the sources from whose views the views of the node follow.
  std::vector<const Node*> sources_of(const Node& node) const {
    std::vector<const Node*> sources;
    if (is_array(node) || (!is_movement(node.op) && !is_elementwise(node.op))) return sources;
    for (const Node* source : node.sources)
      if (is_movement(node.op) || source->shape == node.shape) sources.push_back(source);
    return sources;
  }

  std::vector<View> combined(const Node& node) const {
    if (is_array(node)) return {View::contiguous(node.shape)};
    std::vector<View> views;
    for (const Node* source : sources_of(node))
      for (const View& view : views_.at(source)) {
        std::optional<View> here = is_movement(node.op) ? apply(view, node) : view;
        if (here && views.size() < kMaxArrays && std::ranges::find(views, *here) == views.end()) views.push_back(*std::move(here));
      }
    return views;
  }

  const NodeMarks& stored_;
  std::unordered_map<const Node*, std::vector<View>> views_;
};

/// Returns the axis along which vectors of the kernel of a sum of products run: for a sum in lanes order the last axis that it reduces, for
/// one in chain order the last axis.
size_t axis_of_vectors(const Node& sum) {
  const auto& attributes = sum.as<ReduceAttributes>();
  if (attributes.order == ReduceOrder::kLanes) return static_cast<size_t>(*std::ranges::max_element(attributes.axes));
  return sum.sources[0]->shape.size() - 1;
}

}  // namespace

void store_crossed(std::span<const Node* const> live, const FusionLimits& limits, NodeMarks& stored) {
  if (limits.many_threads) return;
  StoredViews arrays(stored);
  const auto store = [&](const Node* operand) {
    if (!is_worth_kernel(*operand, limits) || !is_bounded_by_arrays(*operand, stored, kAsArrays)) return;
    stored.insert(operand);
    arrays.set_stored(*operand);
  };
  for (const Node* node : live) {
    if (!is_scan(node->op) && (!is_reduce(node->op) || may_want_tiles(*node, limits))) continue;
    const bool has_factors = is_reduce(node->op) && node->as<ReduceAttributes>().product;
    const std::span<const Node* const> operands = has_factors ? operands_of(*node) : std::span(node->sources).first(1);
    std::vector<Accesses> accesses;
    for (const Node* operand : operands) accesses.push_back(arrays.of(*operand));
    for (size_t i = 0; i < operands.size(); ++i)
      if (are_crossed(accesses[i], accesses[i])) store(operands[i]);
    if (!has_factors || !are_crossed(accesses[0], accesses[1])) continue;
    const size_t vectors = axis_of_vectors(*node);
    for (size_t i = 0; i < operands.size(); ++i)
      if (std::ranges::all_of(accesses[i], [&](const Access& access) { return access.axis != vectors; })) store(operands[i]);
  }
}

}  // namespace harp
