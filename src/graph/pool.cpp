// Pooling layers, as PyTorch defines them: reductions over windows, which are views (windows.h) and are not stored. max_pool_with_indices,
// and max_unpool, which uses these indices, are here too.
#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/indices.h"
#include "graph/pad.h"
#include "graph/steps.h"
#include "graph/windows.h"

namespace harp::build {
namespace {

using namespace steps;

/// The operands of a pooling layer, after defaults are filled in and negative padding is applied.
struct Pool {
  NodeRef given, x;             // given: the caller's array; x: `given` without the elements that negative padding removes
  std::vector<Window> windows;  // without negative padding
  int first;                    // the first pooled axis of x
  std::vector<Dim> skipped;     // per axis: number of elements that negative padding removes at its start
  std::vector<Dim> count;       // number of windows along each axis

  Dim length(size_t i) const { return x->shape[static_cast<size_t>(first) + i]; }
  Dim padded_length(size_t i) const { return length(i) + windows[i].padding.before + windows[i].padding.after; }
};

/// Returns the strides, one per axis. By default a stride is the size of the window, so that windows touch but do not overlap.
std::vector<int64_t> strides_of(std::string_view op, const PoolWindows& given) {
  if (given.stride) return *given.stride;
  std::vector<int64_t> stride;
  for (const Dim d : given.size) {
    HARP_CHECK(d.is_constant(), Code::kInvalidArgument, op, ": the size ", to_string(d), " is symbolic; give a stride");
    HARP_CHECK(d.constant() >= 1, Code::kRange, op, ": a window has size ", d.constant(), "; it must be at least 1");
    stride.push_back(d.constant());
  }
  return stride;
}

/// Returns the windows of the pooled (last) axes, one per axis. Sets `first` to the first of these axes.
std::vector<Window> windows_of(std::string_view op, NodeRef x, const PoolWindows& given, int& first) {
  check_node(op, x);
  const int spatial = static_cast<int>(given.size.size());
  HARP_CHECK(spatial >= 1 && spatial <= x->rank(), Code::kShape, op, ": a window of ", spatial, " axes over ", label(x), " of shape ",
             to_string(x->shape), "; it must have from 1 axis to all ", x->rank(), " of them");
  first = x->rank() - spatial;
  return window_list(op, given.size.size(), given.size, strides_of(op, given), given.dilation, given.padding);
}

/// Returns the number of windows along an axis. The axis has `length` elements, or `padded` elements if its padding is included. As in
/// PyTorch, ceil_mode also counts a window that ends after the padding, unless it starts in the padding at the end.
Dim count_windows(const Window& w, Dim length, Dim padded, bool ceil_mode) {
  const Dim complete = floor_div(padded - w.reach(), w.stride) + 1;
  if (!ceil_mode) return complete;
  const Dim all = ceil_div(padded - w.reach(), w.stride) + 1, starting_inside = ceil_div(length + w.padding.before, w.stride);
  const Dim count = proven_at_most(all, starting_inside) ? all : harp::min(all, starting_inside);
  // complete windows always count, even those that lie in the padding at the end
  return proven_at_most(w.padding.after, w.reach() - 1) ? count : harp::max(count, complete);
}

Pool pool_of(std::string_view op, NodeRef x, const PoolWindows& given) {
  Pool pool{x, x, {}, 0, {}, {}};
  pool.windows = windows_of(op, x, given, pool.first);
  const std::vector<Window> as_given = pool.windows;
  const Graph& graph = check_node(op, x);
  std::vector<Dim> before(x->shape.size(), Dim(0)), after = before;
  for (size_t i = 0; i < pool.windows.size(); ++i) {
    Padding& padding = pool.windows[i].padding;
    const size_t axis = static_cast<size_t>(pool.first) + i;
    check_dim(op, graph, pool.windows[i].size, cat("the size of the window of axis ", axis));
    check_expression(op, graph, padding.before, cat("the padding before axis ", axis));
    check_expression(op, graph, padding.after, cat("the padding after axis ", axis));
    if (range(padding.before).hi < 0) std::swap(padding.before, before[axis]);
    if (range(padding.after).hi < 0) std::swap(padding.after, after[axis]);
    pool.skipped.push_back(-before[axis]);
  }
  pool.x = pad_or_crop(op, x, before, after, scalar_from_int(x->dtype, 0));
  for (size_t i = 0; i < pool.windows.size(); ++i) {
    pool.count.push_back(count_windows(pool.windows[i], pool.length(i), pool.padded_length(i), given.ceil_mode));
    // pad_for() checks this, too, but would name the slice that negative padding makes of x
    if (range(pool.count[i]).hi < 1) fail_reach(op, x, static_cast<size_t>(pool.first) + i, as_given[i]);
  }
  return pool;
}

/// Returns the windows, with their elements along new last axes. Elements in the padding are `fill`.
NodeRef windows_in(std::string_view op, const Pool& pool, bool ceil_mode, Scalar fill) {
  std::vector<Window> windows = pool.windows;
  std::vector<bool> is_cut(windows.size(), false);
  for (size_t i = 0; ceil_mode && i < windows.size(); ++i) {
    const Dim missing = (pool.count[i] - 1) * Dim(windows[i].stride) + windows[i].reach() - pool.padded_length(i);
    // `missing` is how many elements the padded axis lacks for the last window. If it is not constant, symbolic sizes decide whether the
    // last window is complete. Then add padding for one more window; the slice below removes that window if it is not counted.
    is_cut[i] = !missing.is_constant();
    windows[i].padding.after += is_cut[i] ? Dim(windows[i].stride - 1) : harp::max(missing, 0);
  }
  const NodeRef padded = pad_for(op, pool.x, pool.first, windows, fill);
  NodeRef taps = unfold_windows(op, padded, axes_from(pool.first, static_cast<int>(windows.size())), windows);
  std::vector<Dim> start(taps->shape.size(), Dim(0));
  Shape shape = taps->shape;
  for (size_t i = 0; i < windows.size(); ++i)
    if (is_cut[i]) shape[static_cast<size_t>(pool.first) + i] = harp::max(pool.count[i], 0);
  return slice_exactly(taps, start, shape, std::vector<int64_t>(shape.size(), 1));
}

NodeRef reduced(Op reduction, NodeRef windows, const Pool& pool) {
  return reduce_exactly(reduction, windows, {axes_from(pool.x->rank(), static_cast<int>(pool.windows.size())), ReduceOrder::kChain, false});
}

Graph& graph_of(NodeRef x) { return check_node("pool", x); }
NodeRef number(NodeRef like, Dim value) { return size(graph_of(like), value); }
NodeRef greater(std::initializer_list<NodeRef> operands) { return elementwise(Op::kMax, operands); }
NodeRef lesser(std::initializer_list<NodeRef> operands) { return elementwise(Op::kMin, operands); }

/// Returns the start of each of `count` windows, as i64: its position in the padded axis minus `before`.
NodeRef starts_of(NodeRef x, const Window& w, Dim before, Dim count) {
  const NodeRef index = cast(arange(graph_of(x), count), DType::kI64);
  const NodeRef start = mul({index, number(x, w.stride)});
  return sub(start, number(x, before));
}

/// Given windows that start at the positions `begin`, returns for each window how many of its elements lie in the array, that is, at
/// positions 0 … length - 1.
NodeRef elements_in(const Window& w, NodeRef begin, Dim length) {
  if (w.dilation == 1) {
    const NodeRef end = lesser({add({begin, number(begin, w.size)}), number(begin, length)});
    return greater({sub(end, greater({begin, number(begin, 0)})), number(begin, 0)});
  }
  // Returns the number t of the first element of each window that is at or after `position`: begin + t·dilation >= position.
  const auto first_at = [&](Dim position) {
    const NodeRef distance = sub(number(begin, position + w.dilation - 1), begin);
    return elementwise(Op::kIdiv, {distance, number(begin, w.dilation)});
  };
  const NodeRef end = lesser({first_at(length), number(begin, w.size)});
  return greater({sub(end, greater({first_at(0), number(begin, 0)})), number(begin, 0)});
}

/// `numbers` has one element for each window along an axis. Broadcasts it to the shape of all windows.
NodeRef along(NodeRef numbers, size_t axis, const Shape& shape) {
  Shape own(shape.size(), Dim(1));
  own[axis] = shape[axis];
  return broadcast_to(reshape(numbers, std::move(own)), shape);
}

/// Returns the mean of each window, in the dtype of the pool's array.
NodeRef means_of(std::string_view op, const Pool& pool, bool ceil_mode, bool count_include_pad) {
  const NodeRef x = pool.x;
  const NodeRef total = reduced(Op::kSum, windows_in(op, pool, ceil_mode, scalar_from_int(x->dtype, 0)), pool);
  NodeRef count = nullptr;
  if (count_include_pad && !ceil_mode) {
    Dim window = 1;
    for (const Window& w : pool.windows) window = window * w.size;
    count = size(graph_of(x), window);
  } else {
    for (size_t i = 0; i < pool.windows.size(); ++i) {
      const Window& w = pool.windows[i];
      const size_t axis = static_cast<size_t>(pool.first) + i;
      const NodeRef starts = starts_of(x, w, count_include_pad ? Dim(0) : w.padding.before, total->shape[axis]);
      const NodeRef elements =
          along(elements_in(w, starts, count_include_pad ? pool.padded_length(i) : pool.length(i)), axis, total->shape);
      count = count == nullptr ? elements : mul({count, elements});
    }
  }
  return elementwise(Op::kDiv, {total, cast(count, x->dtype)});
}

/// Merges the pooled axes, from axis `first` to the last one, into one axis.
NodeRef flat_planes(NodeRef x, int first) { return flatten(x, first, -1); }

/// `tap` is the number of one element in each window. Returns the position of that element in the flattened plane of the array. If the
/// element lies in the padding, which happens only if no element of the window is greater than the padding's value, returns the position of
/// the window's first element that lies in the array.
NodeRef positions_of(const Pool& pool, NodeRef tap) {
  NodeRef position = nullptr;
  Dim step = 1;  // distance in the flattened plane between adjacent elements along the axis
  for (size_t i = pool.windows.size(); i-- > 0;) {
    const Window& w = pool.windows[i];
    const size_t axis = static_cast<size_t>(pool.first) + i;
    const NodeRef here = i == 0 ? tap : elementwise(Op::kRem, {tap, number(tap, w.size)});
    const NodeRef starts = starts_of(tap, w, w.padding.before, tap->shape[axis]);
    const NodeRef least = greater({starts, elementwise(Op::kRem, {starts, number(tap, w.dilation)})});
    const NodeRef at = add({along(starts, axis, tap->shape), mul({here, number(tap, w.dilation)})});
    const NodeRef inside = lesser({greater({at, along(least, axis, tap->shape)}), number(tap, pool.length(i) - 1)});
    const NodeRef moved = mul({add({inside, number(tap, pool.skipped[i])}), number(tap, step)});
    position = position == nullptr ? moved : add({position, moved});
    step = step * pool.given->shape[axis];
    if (i > 0) tap = elementwise(Op::kIdiv, {tap, number(tap, w.size)});
  }
  return position;
}

/// Returns the sizes of the smallest plane for which these windows give x's shape.
Shape unpooled_size(std::string_view op, NodeRef x, const PoolWindows& given) {
  int first = 0;
  const std::vector<Window> windows = windows_of(op, x, given, first);
  Shape size;
  for (size_t i = 0; i < windows.size(); ++i) {
    const Window& w = windows[i];
    check_dim(op, *x->graph, w.size, cat("the size of the window of axis ", first + static_cast<int>(i)));
    check_expression(op, *x->graph, w.padding.before, "the padding");
    check_expression(op, *x->graph, w.padding.after, "the padding");
    size.push_back((x->shape[static_cast<size_t>(first) + i] - 1) * Dim(w.stride) + w.size - w.padding.before - w.padding.after);
  }
  return size;
}

}  // namespace

NodeRef max_pool(NodeRef x, const PoolWindows& given) {
  constexpr std::string_view op = "max_pool";
  common_dtype(op, Operands::kOrdered, std::span(&x, 1));
  const Pool pool = pool_of(op, x, given);
  return reduced(Op::kReduceMax, windows_in(op, pool, given.ceil_mode, identity_of(Op::kReduceMax, x->dtype)), pool);
}

std::vector<NodeRef> max_pool_with_indices(NodeRef x, const PoolWindows& given) {
  constexpr std::string_view op = "max_pool_with_indices";
  common_dtype(op, Operands::kOrdered, std::span(&x, 1));
  const Pool pool = pool_of(op, x, given);
  const NodeRef windows = windows_in(op, pool, given.ceil_mode, identity_of(Op::kReduceMax, x->dtype));
  const NodeRef values = reduced(Op::kReduceMax, windows, pool);
  return {values, positions_of(pool, argmax(flat_planes(windows, x->rank()), -1, false))};
}

NodeRef max_unpool(NodeRef x, NodeRef indices, const PoolWindows& given, const std::optional<Shape>& output_size) {
  constexpr std::string_view op = "max_unpool";
  const NodeRef operands[] = {x, indices};
  check_nodes(op, operands);
  check_node(op, x);
  HARP_CHECK(is_int(indices->dtype), Code::kDType, op, ": indices must be integers, got ", name(indices->dtype), " (", label(indices), ")");
  HARP_CHECK(x->shape == indices->shape, Code::kShape, op, ": operands have shapes ", shapes_of(operands), " (", labels(operands),
             "); expected one index per element");
  const Shape plane = output_size ? *output_size : unpooled_size(op, x, given);
  HARP_CHECK(plane.size() == given.size.size() && !plane.empty() && plane.size() <= x->shape.size(), Code::kShape, op, ": output_size ",
             to_string(plane), " for a window of ", given.size.size(), " axes over ", label(x), " of shape ", to_string(x->shape),
             "; expected one size per axis of the window");
  const int first = x->rank() - static_cast<int>(plane.size());
  Shape shape(x->shape.begin(), x->shape.begin() + first);
  shape.insert(shape.end(), plane.begin(), plane.end());
  check_shape(op, *x->graph, x->dtype, shape);
  Shape flat(x->shape.begin(), x->shape.begin() + first);
  flat.push_back(element_count(plane));
  indices = with_optional_check(indices, flat.back(), cat(op, ": a plane of the result"));
  const NodeRef zeros = full(graph_of(x), std::move(flat), scalar_from_int(x->dtype, 0));
  const NodeRef flat_indices = flat_planes(indices, first);
  return reshape(scatter(zeros, flat_indices, flat_planes(x, first), first), std::move(shape));
}

NodeRef avg_pool(NodeRef x, const PoolWindows& given, bool count_include_pad) {
  constexpr std::string_view op = "avg_pool";
  Pool pool = pool_of(op, as_float(op, x), given);
  return rounded_once(pool.x, [&](NodeRef wide) {
    pool.x = wide;
    return means_of(op, pool, given.ceil_mode, count_include_pad);
  });
}

}  // namespace harp::build
