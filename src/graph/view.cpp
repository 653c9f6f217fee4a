// Composes views, with one function per movement op. If all sizes are constant, every view that strides can describe is found. With
// symbolic sizes, a reshape can be described only if the divisions of sizes are exact as expressions.
#include "graph/view.h"

#include <algorithm>

#include "base/error.h"
#include "graph/build.h"

namespace harp {
namespace {

View permuted(const View& v, const PermuteAttributes& attributes) {
  View result = v;
  for (size_t i = 0; i < attributes.axes.size(); ++i) {
    const int from = attributes.axes[i];
    result.shape[i] = v.shape[from];
    result.strides[i] = v.strides[from];
    result.begin[i] = v.begin[from];
    result.end[i] = v.end[from];
  }
  return result;
}

std::optional<View> expanded(const View& v, const Shape& shape) {
  View result = v;
  for (int axis = 0; axis < v.rank(); ++axis) {
    if (shape[axis] == v.shape[axis]) continue;
    // The box of the view (the bounds outside of which elements have the fill value) may exclude the only element of this axis. Then all
    // its copies would be outside too, which the bounds 0 and size of the expanded axis cannot express.
    if (v.is_bounded(axis)) return std::nullopt;
    result.shape[axis] = result.end[axis] = shape[axis];
    result.strides[axis] = 0;
  }
  return result;
}

/// Returns the first j in [0, size] with start + j·step >= bound (step > 0).
Dim first_reaching(Dim bound, Dim start, int64_t step, Dim size) { return max(Dim(0), min(size, ceil_div(bound - start, step))); }

View sliced(const View& v, const Shape& shape, const SliceAttributes& attributes) {
  View result = v;
  for (int axis = 0; axis < v.rank(); ++axis) {
    const Dim start = attributes.start[axis], size = shape[axis];
    const int64_t step = attributes.step[axis];
    result.shape[axis] = size;
    result.offset += start * v.strides[axis];
    result.strides[axis] = v.strides[axis] * Dim(step);
    result.begin[axis] = 0;
    result.end[axis] = size;
    if (!v.is_bounded(axis)) continue;
    if (step > 0) {
      result.begin[axis] = first_reaching(v.begin[axis], start, step, size);
      result.end[axis] = first_reaching(v.end[axis], start, step, size);
    } else {
      // With a negative step, the position start - j·|step| decreases with j. The box begins at the first j whose position is <= end - 1,
      // and ends at the first j whose position is < begin.
      result.begin[axis] = first_reaching(1 - v.end[axis], -start, -step, size);
      result.end[axis] = first_reaching(1 - v.begin[axis], -start, -step, size);
    }
    result.end[axis] = max(result.begin[axis], result.end[axis]);
  }
  return result;
}

std::optional<View> padded(const View& v, const Shape& shape, const PadAttributes& attributes) {
  if (v.fill && !(*v.fill == attributes.value)) return std::nullopt;
  View result = v;
  result.fill = attributes.value;
  for (int axis = 0; axis < v.rank(); ++axis) {
    const Dim before = attributes.before[axis];
    result.shape[axis] = shape[axis];
    result.offset = result.offset - before * v.strides[axis];
    result.begin[axis] = v.begin[axis] + before;
    result.end[axis] = v.end[axis] + before;
  }
  return result;
}

std::optional<View> unfolded(const View& v, const Shape& shape, const UnfoldAttributes& attributes) {
  const int axis = attributes.axis;
  // This axis becomes two axes, the window and the element of the window. The pairs of indices whose position is inside the bounds do not
  // form a box, so no view describes the result.
  if (v.is_bounded(axis)) return std::nullopt;
  View result = v;
  const Dim stride = v.strides[axis];
  result.shape[axis] = result.end[axis] = shape[axis];
  result.strides[axis] = stride * Dim(attributes.stride);
  result.shape.push_back(attributes.size);
  result.strides.push_back(stride * Dim(attributes.dilation));
  result.begin.push_back(0);
  result.end.push_back(attributes.size);
  return result;
}

/// One axis, or several adjacent axes whose strides allow them to be traversed as one.
struct Run {
  Dim size, stride, begin, end;
  bool bounded;
};

/// Returns the axes of the view as runs: axes of size 1 are omitted, and contiguous axes are merged. Returns nothing if an axis of size 1
/// is bounded, because its only index may be outside the box.
std::optional<std::vector<Run>> merged(const View& v) {
  std::vector<Run> runs;
  for (int axis = 0; axis < v.rank(); ++axis) {
    const bool bounded = v.is_bounded(axis);
    if (v.shape[axis].is_constant(1)) {
      if (bounded) return std::nullopt;
      continue;
    }
    if (!runs.empty() && !bounded && !runs.back().bounded && runs.back().stride == v.strides[axis] * v.shape[axis]) {
      runs.back().size = runs.back().size * v.shape[axis];
      runs.back().end = runs.back().size;
      runs.back().stride = v.strides[axis];
    } else {
      runs.push_back({v.shape[axis], v.strides[axis], v.begin[axis], v.end[axis], bounded});
    }
  }
  return runs;
}

std::optional<View> reshaped(const View& v, const Shape& shape) {
  if (element_count(shape).is_constant(0)) return View::contiguous(shape);
  const auto runs = merged(v);
  if (!runs) return std::nullopt;
  View result = View::contiguous(shape);
  result.offset = v.offset;
  result.fill = v.fill;
  // The size of each run must be the product of the sizes of some adjacent new axes.
  size_t axis = 0;
  for (const Run& run : *runs) {
    while (axis < shape.size() && shape[axis].is_constant(1)) ++axis;
    const size_t first = axis;
    Dim size = 1;
    while (!(size == run.size)) {
      if (axis == shape.size()) return std::nullopt;
      size = size * shape[axis++];
    }
    if (run.bounded) {
      if (axis != first + 1) return std::nullopt;  // an axis with bounds cannot be split
      result.begin[first] = run.begin;
      result.end[first] = run.end;
    }
    Dim stride = run.stride;
    for (size_t i = axis; i-- > first;) {
      result.strides[i] = stride;
      stride = stride * shape[i];
    }
  }
  for (; axis < shape.size(); ++axis)
    if (!shape[axis].is_constant(1)) return std::nullopt;
  return result;
}

}  // namespace

View View::contiguous(const Shape& shape) {
  View view{shape, Shape(shape.size()), 0, Shape(shape.size(), Dim(0)), shape, std::nullopt};
  Dim stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    view.strides[axis] = stride;
    stride = stride * shape[axis];
  }
  return view;
}

bool View::is_contiguous() const {
  Dim stride = 1;
  for (int axis = rank(); axis-- > 0;) {
    if (is_bounded(axis)) return false;
    if (!(strides[axis] == stride) && !shape[axis].is_constant(1)) return false;  // the stride of an axis of size 1 has no effect
    stride = stride * shape[axis];
  }
  return offset.is_constant(0);
}

std::optional<View> apply(const View& view, const Node& node) {
  HARP_ASSERT(is_movement(node.op) && node.sources[0]->shape == view.shape, "expected a movement op whose source has the view's shape ",
              to_string(view.shape), ", got ", name(node.op), " of ", to_string(node.sources[0]->shape));
  switch (node.op) {
    case Op::kPermute: return permuted(view, node.as<PermuteAttributes>());
    case Op::kExpand: return expanded(view, node.shape);
    case Op::kReshape: return reshaped(view, node.shape);
    case Op::kSlice: return sliced(view, node.shape, node.as<SliceAttributes>());
    case Op::kPad: return padded(view, node.shape, node.as<PadAttributes>());
    case Op::kUnfold: return unfolded(view, node.shape, node.as<UnfoldAttributes>());
    default: return std::nullopt;
  }
}

std::optional<View> view_through(std::span<const Node* const> nodes) {
  std::optional<View> view = View::contiguous(nodes.back()->shape);
  for (size_t i = nodes.size() - 1; view && i-- > 0;) view = apply(*view, *nodes[i]);
  return view;
}

}  // namespace harp
