#include "grad/window_contraction.h"

#include <algorithm>
#include <optional>

#include "grad/placing.h"
#include "graph/composites.h"
#include "graph/contract.h"
#include "graph/repeated.h"
#include "graph/reshaped_axis.h"

namespace harp::grad {
namespace {

using build::is_repeated_along;

/// The axes of windows and taps of an array.
struct WindowAxes {
  int window, tap;
};

/// A view, and where the axes of windows and taps are in its result.
struct View {
  NodeRef node;
  WindowAxes axes;
};

/// The gradient of windows: views of a sum of products, or of products.
struct WindowGradient {
  NodeRef sum;
  WindowAxes axes;            // in the result of `sum`
  std::vector<View> views;    // of `sum`, the last one first
  bool is_reversed = false;   // the views reverse the order of the taps
  Dim before = 0, after = 0;  // the views add so many windows of zeros
};

bool takes_all(const Node& slice, int axis) {
  const auto& [start, step] = slice.as<SliceAttributes>();
  return step[axis] == 1 && slice.shape[axis] == slice.sources[0]->shape[axis];
}

bool reverses(const Node& slice, int axis) {
  return slice.as<SliceAttributes>().step[axis] == -1 && slice.shape[axis] == slice.sources[0]->shape[axis];
}

/// Finds the axes in `source`, of which `view` is a view, and notes what the view does along them. Returns false if the view changes them
/// in other ways.
bool step_below(const Node& view, const Node& source, WindowAxes& axes, WindowGradient& found) {
  switch (view.op) {
    case Op::kPermute: axes = {view.as<PermuteAttributes>().axes[axes.window], view.as<PermuteAttributes>().axes[axes.tap]}; return true;
    case Op::kReshape: {
      const auto window = reshaped_axis(source.shape, view.shape, axes.window), tap = reshaped_axis(source.shape, view.shape, axes.tap);
      if (!window || !tap) return false;
      axes = {*window, *tap};
      return true;
    }
    case Op::kSlice:
      if (!takes_all(view, axes.window) || !(takes_all(view, axes.tap) || reverses(view, axes.tap))) return false;
      found.is_reversed = found.is_reversed != reverses(view, axes.tap);
      return true;
    case Op::kPad: {
      const auto& [before, after, value] = view.as<PadAttributes>();
      if (value != scalar_from_int(view.dtype, 0) || view.shape[axes.tap] != view.sources[0]->shape[axes.tap]) return false;
      found.before = found.before + before[axes.window];
      found.after = found.after + after[axes.window];
      return true;
    }
    default: return false;
  }
}

std::optional<WindowGradient> as_sum_of_products(NodeRef g, WindowAxes axes) {
  WindowGradient found;
  while (g->op != Op::kSum && g->op != Op::kMul) {
    if (g->sources.empty()) return std::nullopt;
    NodeRef source = g->sources[0];
    while (g->op == Op::kReshape && source->op == Op::kReshape) source = source->sources[0];
    // After a sum that keeps its axes with size 1, a reshape often drops these again.
    const bool is_identity = g->op == Op::kReshape && g->shape == source->shape;
    if (!is_identity) found.views.push_back({g, axes});
    if (!is_identity && !step_below(*g, *source, axes, found)) return std::nullopt;
    g = source;
  }
  found.sum = g;
  found.axes = axes;
  return found;
}

/// A sum of products, or products, whose axes are those of the products.
struct Products {
  NodeRef node;             // the Mul
  std::vector<int> summed;  // axes, ascending
  WindowAxes axes;
};

std::optional<Products> products_of(const WindowGradient& g) {
  Products products{g.sum, {}, g.axes};
  if (g.sum->op == Op::kSum) {
    const auto& [axes, order, is_product] = g.sum->as<ReduceAttributes>();
    if (order != ReduceOrder::kChain || !is_product) return std::nullopt;
    products.node = g.sum->sources[0];
    products.summed = axes;
    std::ranges::sort(products.summed);
    for (const int axis : products.summed) {
      products.axes.window += axis <= products.axes.window;
      products.axes.tap += axis <= products.axes.tap;
    }
  }
  return is_float(products.node->dtype) ? std::optional(products) : std::nullopt;
}

/// Returns a factor of the products without the axes for which is_dropped(axis) is true, along which it does not vary. The label of each
/// remaining axis is its number.
build::Labelled without_axes(NodeRef factor, auto is_dropped) {
  std::vector<NodeRef> permutes;
  NodeRef below = factor;
  for (; below->op == Op::kPermute; below = below->sources[0]) permutes.push_back(below);
  if (below->op == Op::kExpand) below = below->sources[0];
  for (size_t i = permutes.size(); i-- > 0;) below = build::permute(below, permutes[i]->as<PermuteAttributes>().axes);
  Shape shape, kept;
  build::Labels labels;
  for (int axis = 0; axis < factor->rank(); ++axis) {
    shape.push_back(is_dropped(axis) ? Dim(1) : factor->shape[axis]);
    if (is_dropped(axis)) continue;
    kept.push_back(factor->shape[axis]);
    labels.push_back(axis);
  }
  return {build::reshape(build::expand(below, std::move(shape)), std::move(kept)), std::move(labels)};
}

int axis_of(const build::Labelled& x, int label) { return static_cast<int>(std::ranges::find(x.labels, label) - x.labels.begin()); }

NodeRef reversed(NodeRef x, int axis) { return build::flip(x, std::vector<int>{axis}); }

/// Moves these labels to the end, in this order.
build::Labelled with_last(const build::Labelled& x, const build::Labels& last) {
  std::vector<int> axes;
  build::Labels labels;
  for (const int label : x.labels)
    if (std::ranges::find(last, label) == last.end()) labels.push_back(label);
  labels.insert(labels.end(), last.begin(), last.end());
  for (const int label : labels) axes.push_back(axis_of(x, label));
  return {build::permute(x.node, axes), std::move(labels)};
}

/// Returns a list that has one entry for each axis, without the entry of `axis`.
template <class T>
std::vector<T> without(std::vector<T> list, int axis) {
  list.erase(list.begin() + axis);
  return list;
}

/// Returns the axes of a permute whose source and result do not have the axis of taps.
std::vector<int> axes_without_taps(const View& permute) {
  const std::vector<int>& axes = permute.node->as<PermuteAttributes>().axes;
  std::vector<int> rest = without(axes, permute.axes.tap);
  for (int& axis : rest) axis -= axis > axes[permute.axes.tap];
  return rest;
}

/// Applies the views to an array that has no axis of taps, and `positions` in place of windows.
NodeRef viewed(NodeRef x, std::span<const View> views, Dim positions) {
  for (size_t i = views.size(); i-- > 0;) {
    const Node& view = *views[i].node;
    const auto [window, tap] = views[i].axes;
    Shape shape = view.shape;
    shape[window] = positions;
    shape.erase(shape.begin() + tap);
    if (view.op == Op::kPermute) {
      x = build::permute(x, axes_without_taps(views[i]));
    } else if (view.op == Op::kReshape) {
      x = build::reshape(x, std::move(shape));
    } else if (view.op == Op::kSlice) {
      const auto& [start, step] = view.as<SliceAttributes>();
      x = build::slice_exactly(x, without(start, tap), shape, without(step, tap));
    } else {
      auto [before, after, zero] = view.as<PadAttributes>();
      before[window] = after[window] = 0;
      x = build::pad(x, without(before, tap), without(after, tap), zero);
    }
  }
  return x;
}

/// With a stride there are size / stride taps of each phase, rounded up, so that some of the taps are zeros. Returns false if these, or the
/// gaps of a dilation, would be more than a third of the taps.
bool has_few_zeros(const UnfoldAttributes& unfold) {
  const auto& [axis, size, stride, dilation] = unfold;
  return stride == 1 || (dilation == 1 && proven_at_most(2 * ceil_div(size, stride) * Dim(stride), 3 * size));
}

}  // namespace

NodeRef contraction_of_windows(const Step& step) {
  const auto& unfold = step.y->as<UnfoldAttributes>();
  const auto& [axis, size, stride, dilation] = unfold;
  if (!proven_less(stride, size) || !has_few_zeros(unfold)) return nullptr;
  const auto gradient = as_sum_of_products(step.g, {axis, step.y->rank() - 1});
  const auto products = gradient ? products_of(*gradient) : std::nullopt;
  if (!products || products->node->rank() == kMaxRank) return nullptr;
  const int window = products->axes.window, tap = products->axes.tap;
  const Shape& shape = products->node->shape;
  NodeRef of_windows = products->node->sources[0], of_taps = products->node->sources[1];
  if (of_windows->rank() == 0 || of_taps->rank() == 0) return nullptr;
  if (!is_repeated_along(of_windows, tap)) std::swap(of_windows, of_taps);
  if (!is_repeated_along(of_windows, tap) || is_repeated_along(of_taps, tap)) return nullptr;
  if (!is_repeated_along(of_taps, window) && !shape[window].is_constant(1)) return nullptr;

  const auto is_summed = [&](int a) { return std::ranges::find(products->summed, a) != products->summed.end(); };
  build::Labelled p =
      without_axes(of_windows, [&](int a) { return !is_summed(a) && is_repeated_along(of_windows, a) && !is_repeated_along(of_taps, a); });
  build::Labelled q = without_axes(of_taps, [&](int a) { return a == window || (!is_summed(a) && is_repeated_along(of_taps, a)); });

  // The taps of each phase, in reverse order.
  const int phase = products->node->rank();  // a new label
  int q_tap = axis_of(q, tap);
  Dim taps = size;
  if (gradient->is_reversed) q.node = reversed(q.node, q_tap);
  if (stride > 1) {
    taps = ceil_div(size, stride);
    q.node = padded_after(q.node, q_tap, taps * Dim(stride) - size);
    Shape split = q.node->shape;
    split[q_tap] = taps;
    split.insert(split.begin() + q_tap + 1, Dim(stride));
    q.node = build::reshape(q.node, std::move(split));
    q.labels.insert(q.labels.begin() + q_tap + 1, phase);
  }
  q.node = reversed(q.node, q_tap);

  // Windows of p that end at each position.
  const Dim reach = (taps - 1) * Dim(dilation);
  const int p_window = axis_of(p, window);
  std::vector<Dim> before(p.labels.size(), Dim(0)), after = before;
  before[p_window] = gradient->before + reach;
  after[p_window] = gradient->after + reach;
  p.node = build::unfold(build::pad(p.node, before, after, scalar_from_int(p.node->dtype, 0)), p_window, taps, 1, dilation);
  p.labels.push_back(tap);

  build::Labels last = {tap}, kept;
  last.insert(last.end(), products->summed.begin(), products->summed.end());
  for (int a = 0; a < products->node->rank(); ++a)
    if (a != tap && !is_summed(a)) kept.push_back(a);
  // The permutes directly above the sum are not applied as views. They order the axes of the contraction.
  std::span<const View> views = gradient->views;
  for (; !views.empty() && views.back().node->op == Op::kPermute; views = views.first(views.size() - 1)) {
    const build::Labels below = kept;
    std::ranges::transform(axes_without_taps(views.back()), kept.begin(), [&](int a) { return below[static_cast<size_t>(a)]; });
  }
  const Dim positions = p.node->shape[p_window] * Dim(stride);
  Shape joined;
  for (const int a : kept) joined.push_back(a == window ? positions : shape[a]);
  if (stride > 1) kept.insert(std::ranges::find(kept, window) + 1, phase);
  // The windows along several axes are one Unfold of the other. Their gradients are built from the last Unfold to the first, whose source
  // is no Unfold. Its contraction has the phases of all axes, which then become channels.
  q = with_last(q, last);
  const NodeRef sum =
      step.a()->op == Op::kUnfold ? build::chain_of_products("grad", q, p, kept) : build::chain_of_products_by_channels("grad", q, p, kept);
  return resized(viewed(build::reshape(sum, std::move(joined)), views, positions), axis, step.a()->shape[axis]);
}

}  // namespace harp::grad
