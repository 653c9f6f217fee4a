#include "schedule/window_channels.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "opt/rewrite.h"
#include "schedule/contraction.h"
#include "schedule/contraction_blocks.h"
#include "schedule/reshaped_axes.h"

namespace harp {
namespace {

// Copying an array with its channels last pays only if windows read each of its elements at least this many times on average. Copying an
// element takes about as long as packing two or three elements that are not contiguous.
constexpr double kMinReads = 4;

/// An array that windows read, and the axis of the array that is to be last in the copy.
struct Channels {
  std::vector<const Node*> views;  // the views of the array, from the factor of the product down
  const Node* array;
  size_t axis;
};

/// Returns the axis of the source of a view that corresponds to `axis` of the view. Returns nothing if several axes or none correspond to
/// it, or if it is one of the two axes of windows: the one for the start of a window, or the one for the elements of a window.
std::optional<size_t> axis_of_source(const Node& node, size_t axis) {
  switch (node.op) {
    case Op::kExpand:
      if (node.sources[0]->shape[axis] != node.shape[axis]) return std::nullopt;
      return axis;
    case Op::kPermute: return static_cast<size_t>(node.as<PermuteAttributes>().axes[axis]);
    case Op::kPad:
    case Op::kSlice: return axis;
    case Op::kUnfold:
      if (axis + 1 == node.shape.size() || static_cast<int>(axis) == node.as<UnfoldAttributes>().axis) return std::nullopt;
      return axis;
    case Op::kReshape: {
      const std::optional<std::vector<size_t>> joined = joined_axes(node, axis);
      if (!joined || joined->size() != 1) return std::nullopt;
      return joined->front();
    }
    default: return std::nullopt;
  }
}

/// Returns how many windows of an Unfold read each element of its source, on average.
double reads_of_element(const Node& unfold) {
  const auto& windows = unfold.as<UnfoldAttributes>();
  const Dim &count = unfold.shape[static_cast<size_t>(windows.axis)], &size = unfold.sources[0]->shape[static_cast<size_t>(windows.axis)];
  if (!windows.size.is_constant()) return 0;
  const auto of_window = static_cast<double>(windows.size.constant());
  if (!count.is_constant() || !size.is_constant() || size.constant() < 1) return of_window / static_cast<double>(windows.stride);
  return of_window * static_cast<double>(count.constant()) / static_cast<double>(size.constant());
}

/// If the factor reads windows of an array, returns that array and its axis that corresponds to `axis` of the factor. Returns nothing if a
/// copy of the array with that axis last would not pay.
std::optional<Channels> channels_of(const Node* factor, size_t axis) {
  std::vector<const Node*> views;
  std::vector<size_t> axes;  // for each view: its axis that corresponds to `axis` of the factor
  size_t above_array = 0;    // the number of views down to the lowest Unfold
  double reads = 1;
  const Node* node = factor;
  while (is_movement(node->op)) {
    const std::optional<size_t> below = axis_of_source(*node, axis);
    if (!below) break;
    views.push_back(node);
    axes.push_back(axis);
    if (node->op == Op::kUnfold) above_array = views.size(), reads *= reads_of_element(*node);
    axis = *below;
    node = node->sources[0];
  }
  for (const Node* rest = node; is_movement(rest->op); rest = rest->sources[0])
    if (rest->op == Op::kUnfold) return std::nullopt;
  if (above_array == 0 || reads < kMinReads) return std::nullopt;
  // The array to copy is below padding, so that the copy contains none, but not below a slice, so that the copy contains only what the
  // slice takes.
  while (above_array < views.size() && views[above_array]->op != Op::kSlice && views[above_array]->op != Op::kExpand) ++above_array;
  Channels found{{}, node, axis};
  if (above_array < views.size()) found.array = views[above_array], found.axis = axes[above_array];
  views.resize(above_array);
  found.views = std::move(views);
  // The order in memory is known only for a node that is no view, and for a view (but not an expand) of such a node: it is the order of its
  // axes.
  const Node& array = *found.array;
  const bool is_in_order = !is_movement(array.op) || (array.op != Op::kExpand && !is_movement(array.sources[0]->op));
  const auto is_one = [](const Dim& size) { return size.is_constant(1); };
  const bool is_last = std::all_of(array.shape.begin() + static_cast<std::ptrdiff_t>(found.axis) + 1, array.shape.end(), is_one);
  return is_in_order && !is_last ? std::optional(std::move(found)) : std::nullopt;
}

/// Builds, for a copy of an array with its axes in another order, the same views that the original array has.
class Rearranged {
 public:
  /// Begins with a copy of the array in which `axis` is the last axis.
  Rearranged(Graph& graph, const Node& array, size_t axis) : graph_(graph), at_(array.shape.size()) {
    for (size_t i = 0; i < at_.size(); ++i) at_[i] = static_cast<int>(i < axis ? i : i > axis ? i - 1 : at_.size() - 1);
    // For an input, the axes after `axis` are first joined into one, so that the transposing copy has long rows.
    Shape joined(array.shape.begin(), array.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    joined.push_back(1);
    for (size_t i = axis + 1; i < array.shape.size(); ++i) joined.back() *= array.shape[i];
    const bool joins = array.op == Op::kInput && joined.size() < array.shape.size();
    const Node* source = joins ? graph.intern(Op::kReshape, array.dtype, joined, {&array}) : &array;
    const size_t rank = source->shape.size();
    std::vector<int> order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin() + static_cast<std::ptrdiff_t>(axis), order.begin() + static_cast<std::ptrdiff_t>(axis) + 1, order.end());
    Shape shape;
    for (const int from : order) shape.push_back(source->shape[static_cast<size_t>(from)]);
    const Node* permuted = graph.intern(Op::kPermute, array.dtype, shape, {source}, PermuteAttributes{std::move(order)});
    node_ = graph.intern(Op::kContiguous, array.dtype, std::move(shape), {permuted});
    if (joins) node_ = graph.intern(Op::kReshape, array.dtype, arranged(array.shape), {node_});
  }

  /// Applies a view to the copy. `view` is the corresponding view of the original array.
  void add(const Node& view) {
    switch (view.op) {
      case Op::kPermute: {
        std::vector<int> at;
        for (const int axis : view.as<PermuteAttributes>().axes) at.push_back(at_[static_cast<size_t>(axis)]);
        at_ = std::move(at);
        return;
      }
      case Op::kPad: {
        const auto& pad = view.as<PadAttributes>();
        return set(view, arranged(view.shape), PadAttributes{arranged(pad.before), arranged(pad.after), pad.value});
      }
      case Op::kSlice: {
        const auto& slice = view.as<SliceAttributes>();
        return set(view, arranged(view.shape), SliceAttributes{arranged(slice.start), arranged(slice.step)});
      }
      case Op::kUnfold: {
        UnfoldAttributes unfold = view.as<UnfoldAttributes>();
        unfold.axis = at_[static_cast<size_t>(unfold.axis)];
        at_.push_back(static_cast<int>(at_.size()));  // the elements of the windows are the last axis in either order
        return set(view, arranged(view.shape), unfold);
      }
      default:
        node_ = in_order();
        set(view, view.shape, view.attributes);
        at_.resize(view.shape.size());
        std::iota(at_.begin(), at_.end(), 0);
    }
  }

  /// Returns the last view, with its axes in the original order.
  const Node* in_order() {
    if (std::ranges::is_sorted(at_)) return node_;
    Shape shape;
    for (const int axis : at_) shape.push_back(node_->shape[static_cast<size_t>(axis)]);
    return graph_.intern(Op::kPermute, node_->dtype, std::move(shape), {node_}, PermuteAttributes{at_});
  }

 private:
  void set(const Node& view, Shape shape, Attributes attributes) {
    node_ = graph_.intern(view.op, view.dtype, std::move(shape), {node_}, std::move(attributes));
  }
  /// Returns values that belong to the axes in the original order, in the order of the axes of node_.
  template <class Value>
  std::vector<Value> arranged(const std::vector<Value>& values) const {
    std::vector<Value> result = values;
    for (size_t axis = 0; axis < values.size(); ++axis) result[static_cast<size_t>(at_[axis])] = values[axis];
    return result;
  }

  Graph& graph_;
  const Node* node_ = nullptr;
  std::vector<int> at_;  // for each axis in the original order: the axis of node_
};

/// Returns the sum of products with copies in place of the arrays that windows read; null if no copy pays. `sum` is a node of `graph`.
const Node* with_copies(Graph& graph, const Node& sum, const FusionLimits& limits) {
  const std::optional<Contraction> contraction = as_contraction(sum);
  if (!contraction || !fills_tiles(sum, *contraction, limits)) return nullptr;
  const Node& product = *sum.sources[0];
  std::vector<const Node*> factors = product.sources;
  for (const Node*& factor : factors) {
    const std::optional<size_t> axis = factor == contraction->column_factor ? std::optional(contraction->columns) : contraction->rows;
    if (!axis || !proven_at_most(limits.tile_columns, product.shape[*axis])) continue;
    const std::optional<Channels> channels = channels_of(factor, *axis);
    if (!channels) continue;
    Rearranged copy(graph, *channels->array, channels->axis);
    for (size_t i = channels->views.size(); i-- > 0;) copy.add(*channels->views[i]);
    factor = copy.in_order();
  }
  if (factors == product.sources) return nullptr;
  const Node* products = graph.intern(product.op, product.dtype, product.shape, std::move(factors), product.attributes);
  return graph.intern(sum.op, sum.dtype, sum.shape, {products}, sum.attributes);
}

}  // namespace

std::shared_ptr<Graph> store_window_channels(std::shared_ptr<Graph> whole, const FusionLimits& limits) {
  const Graph& graph = *whole;
  const std::vector<const Node*> live = graph.live_nodes();
  if (limits.many_threads || std::ranges::none_of(live, [](const Node* node) { return node->op == Op::kUnfold; })) return whole;
  auto result = opt::without_nodes(graph);
  bool changes = false;
  opt::rewrite_nodes(graph, live, *result, [&](const Node*, const Node* copy) {
    const Node* faster = sums_products(*copy) ? with_copies(*result, *copy, limits) : nullptr;
    changes |= faster != nullptr;
    return faster != nullptr ? faster : copy;
  });
  if (!changes) return whole;
  return result;
}

}  // namespace harp
