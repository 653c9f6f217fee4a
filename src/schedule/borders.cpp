#include "schedule/borders.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "schedule/bounded_by_arrays.h"
#include "schedule/program.h"
#include "schedule/reshaped_axes.h"

namespace harp {
namespace {

/// Returns the axes that a lanes-order reduction (docs/semantics.md, "Sums") flattens into one sequence, as a mask with one bit for each
/// axis; 0 for a chain-order reduction.
uint32_t axes_by_lanes(const Node& reduce) {
  const auto& attributes = reduce.as<ReduceAttributes>();
  uint32_t axes = 0;
  if (attributes.order == ReduceOrder::kLanes)
    for (const int axis : attributes.axes) axes |= 1u << axis;
  return axes;
}

/// Axes of a value along which a pad or concat of it is stored, as masks with one bit for each axis.
struct BorderAxes {
  uint32_t pads = 0, concats = 0;
  // Whether a single axis counts. If not, a pad or concat is stored only if there are several axes.
  bool single_for_pads = false, single_for_concats = false;
  // Whether the result of the kernel has as many elements as its operand, as that of a scan.
  bool has_large_result = false;
  // Whether a reduction flattens several axes, so that each element needs a division.
  bool are_flattened = false;

  bool empty() const { return (pads | concats) == 0; }
  void add(const BorderAxes& other) {
    pads |= other.pads, concats |= other.concats;
    single_for_pads |= other.single_for_pads, single_for_concats |= other.single_for_concats;
    has_large_result |= other.has_large_result;
    are_flattened |= other.are_flattened;
  }
};

/// Returns the axes of the reshape's source that the reshape joins into these axes, both as masks with one bit for each axis. If the
/// reshape divides axes of its source, returns all of them.
uint32_t axes_below(const Node& reshape, uint32_t axes) {
  const Shape &to = reshape.shape, &from = reshape.sources[0]->shape;
  // The last axes are the same in both shapes, as far as their sizes are equal. (joined_axes() needs proofs that symbolic sizes rarely
  // give.)
  const auto same = static_cast<size_t>(std::mismatch(to.rbegin(), to.rend(), from.rbegin(), from.rend()).first - to.rbegin());
  uint32_t below = 0;
  for (size_t axis = 0; axis < to.size(); ++axis) {
    if ((axes >> axis) % 2 == 0) continue;
    if (axis + same >= to.size()) {
      below |= 1u << (axis + from.size() - to.size());
      continue;
    }
    const std::optional<std::vector<size_t>> joined = joined_axes(reshape, axis);
    if (!joined) return (1u << from.size()) - 1;
    for (const size_t source_axis : *joined) below |= 1u << source_axis;
  }
  return below;
}

/// Tests whether the node is a slice that has, for typical sizes, at least half of the elements of its source.
bool keeps_most(const Node& node) {
  return node.op == Op::kSlice && 2 * typical_count(node.shape) >= typical_count(node.sources[0]->shape);
}

/// Returns the axes along which pads and concats are stored if the kernel of this reduction or scan computes them as operands. On every
/// machine these are several axes that a reduction flattens: each element would need a division to find its index, and would be loaded on
/// its own. On a CPU they are also the reduced or scanned axes and the last one, where vectors would be assembled from single elements.
/// (The kernel of a product of matrices treats the inside and the borders of a pad separately.)
BorderAxes border_axes(const Node& node, const FusionLimits& limits) {
  const uint32_t flattened = is_reduce(node.op) ? axes_by_lanes(node) : 0;
  const bool are_flattened = flattened != 0 && !std::has_single_bit(flattened);
  const Shape& shape = node.sources[0]->shape;
  if (limits.many_threads || shape.empty()) return {.pads = flattened, .concats = flattened, .are_flattened = are_flattened};
  size_t last = shape.size() - 1;
  while (last > 0 && shape[last].is_constant(1)) --last;
  uint32_t axes = 1u << last;
  if (is_scan(node.op))
    axes |= 1u << node.as<ScanAttributes>().axis;
  else
    for (const int axis : node.as<ReduceAttributes>().axes) axes |= 1u << axis;
  if (is_reduce(node.op) && node.as<ReduceAttributes>().product)
    return {.pads = flattened, .concats = axes, .single_for_concats = true, .are_flattened = are_flattened};
  return {.pads = axes,
          .concats = axes,
          .single_for_pads = true,
          .single_for_concats = true,
          .has_large_result = is_scan(node.op),
          .are_flattened = are_flattened};
}

/// Tests whether the node is a pad or concat along one of these axes, so that an element's index along that axis decides whether, or from
/// which source, the node loads the element.
bool is_along(const Node& node, const BorderAxes& axes) {
  if (node.op == Op::kConcat) {
    if (!axes.single_for_concats && std::has_single_bit(axes.concats)) return false;
    return (axes.concats >> node.as<ConcatAttributes>().axis) % 2 != 0;
  }
  if (node.op != Op::kPad || (!axes.single_for_pads && std::has_single_bit(axes.pads))) return false;
  const auto& pad = node.as<PadAttributes>();
  for (int axis = 0; axis < node.rank(); ++axis)
    if ((axes.pads >> axis) % 2 != 0 && !(pad.before[axis].is_constant(0) && pad.after[axis].is_constant(0))) return true;
  return false;
}

/// Tests whether the sources of a concat are slices of one value, as in a roll. The kernel then selects the position at which it loads an
/// element. (From several arrays it loads and selects vectors.)
bool joins_slices_of_one(const Node& node) {
  const auto is_slice = [&](const Node* source) { return source->op == Op::kSlice && source->sources[0] == node.sources[0]->sources[0]; };
  return node.op == Op::kConcat && std::ranges::all_of(node.sources, is_slice);
}

/// Tests whether a pad or concat has enough elements to be worth a kernel of its own. Few are enough if the kernel that reads them would
/// otherwise load them one by one.
bool has_enough_elements(const Node& node, const BorderAxes& axes, const FusionLimits& limits) {
  constexpr int64_t kFewestSingles = 256;  // Zen 2: max of a rolled f32 [20, 30] 1.6 us, stored 0.17 us
  const bool loads_singles = !limits.many_threads && (axes.are_flattened || joins_slices_of_one(node));
  return loads_singles ? range(element_count(node.shape)).hi >= kFewestSingles : is_worth_kernel(node, limits);
}

/// Tests whether the node is a pad or concat along one of these axes that a kernel of its own should store. False if its elements would
/// need much more memory than the arrays from which they are computed and the result of the kernel that reads them.
bool is_bordered(const Node& node, const BorderAxes& axes, const FusionLimits& limits, const std::function<bool(const Node*)>& is_stored,
                 const MemoryBound& most = {}) {
  if (!is_along(node, axes) || !has_enough_elements(node, axes, limits)) return false;
  return axes.has_large_result || is_bounded_by_arrays(node, is_stored, most);
}

}  // namespace

void store_bordered(std::span<const Node* const> live, const FusionLimits& limits, NodeMarks& stored) {
  const auto is_stored = [&](const Node* node) { return stored.contains(node); };
  MemoryBound most;  // most.bytes is shared by all values that are stored here
  std::unordered_map<const Node*, BorderAxes> axes_of;
  for (auto it = live.rbegin(); it != live.rend(); ++it) {
    const Node* node = *it;
    const bool is_root = is_reduce(node->op) || is_scan(node->op);
    BorderAxes axes;
    if (is_root)
      axes = border_axes(*node, limits);
    else if (const auto found = axes_of.find(node); found != axes_of.end() && !stored.contains(node))
      axes = found->second;
    if (axes.empty()) continue;
    if (!is_root && is_bordered(*node, axes, limits, is_stored, most)) {
      stored.insert(node);
      most.bytes -= std::min(most.bytes, most_bytes(*node));
    } else if (is_root || is_elementwise(node->op) || node->op == Op::kReshape || keeps_most(*node)) {
      for (const Node* source : node->sources) {
        BorderAxes below = axes;
        if (node->op == Op::kReshape) below.pads = axes_below(*node, axes.pads), below.concats = axes_below(*node, axes.concats);
        below.has_large_result = below.has_large_result && node->op != Op::kSlice;
        axes_of[source].add(below);
      }
    }
  }
}

void store_joined_factors(const Graph& graph, std::span<const Node* const> live, const FusionLimits& limits, NodeMarks& stored) {
  if (limits.many_threads) return;
  NodeMarks seen(graph);
  std::vector<const Node*> stack;
  for (const Node* node : live)
    if (is_reduce(node->op) && node->as<ReduceAttributes>().product)
      for (const Node* factor : operands_of(*node)) stack.push_back(factor);
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (!seen.insert(node) || stored.contains(node)) continue;
    if (node->op == Op::kConcat && is_worth_kernel(*node, limits) && is_bounded_by_arrays(*node, stored))
      stored.insert(node);
    else if (is_elementwise(node->op) || node->op == Op::kReshape || node->op == Op::kExpand || node->op == Op::kPermute)
      stack.insert(stack.end(), node->sources.begin(), node->sources.end());
  }
}

bool computes_borders(const Node& root, const Node& reduce, const FusionLimits& limits, const std::function<bool(const Node*)>& loads) {
  const BorderAxes axes = border_axes(reduce, limits);
  if (axes.empty() || root.shape != reduce.sources[0]->shape) return false;
  std::vector<const Node*> stack = {&root};
  std::unordered_set<const Node*> seen;
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (!seen.insert(node).second || loads(node)) continue;
    if (is_bordered(*node, axes, limits, loads)) return true;
    if (is_elementwise(node->op)) stack.insert(stack.end(), node->sources.begin(), node->sources.end());
  }
  return false;
}

}  // namespace harp
