// Composites that only move elements. They are built from permute, expand, reshape, slice, pad and unfold nodes.
#include <algorithm>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/windows.h"

namespace harp::build {

NodeRef transpose(NodeRef x, const Axes& axes) {
  check_node("transpose", x);
  if (axes) {
    HARP_CHECK(static_cast<int>(axes->size()) == x->rank(), Code::kShape, "transpose: ", axes->size(), " axes for ", label(x), " of shape ",
               to_string(x->shape), "; each of its ", x->rank(), " axes must be named once");
    return permute(x, normalize_axes("transpose", *axes, x->rank()));
  }
  std::vector<int> reversed(x->rank());
  for (int i = 0; i < x->rank(); ++i) reversed[i] = x->rank() - 1 - i;
  return permute(x, reversed);
}

NodeRef moveaxis(NodeRef x, std::span<const int> source, std::span<const int> destination) {
  check_node("moveaxis", x);
  const int rank = x->rank();
  HARP_CHECK(source.size() == destination.size(), Code::kShape, "moveaxis: ", source.size(), " source axes, but ", destination.size(),
             " destination axes");
  const std::vector<int> from = normalize_axes("moveaxis", source, rank), to = normalize_axes("moveaxis", destination, rank);
  std::vector<int> order(rank, -1);
  for (size_t i = 0; i < from.size(); ++i) order[to[i]] = from[i];
  int next = 0;  // the next axis that is not moved; axes that are not moved keep their order
  for (int& axis : order) {
    if (axis >= 0) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    axis = next++;
  }
  return permute(x, order);
}

NodeRef unsqueeze(NodeRef x, std::span<const int> axes) {
  check_node("unsqueeze", x);
  const int rank = x->rank() + static_cast<int>(axes.size());
  HARP_CHECK(rank <= kMaxRank, Code::kShape, "unsqueeze: the result would have ", rank, " axes; at most ", kMaxRank, " are allowed");
  const std::vector<int> added = normalize_axes("unsqueeze", axes, rank);
  Shape shape;
  auto next = x->shape.begin();
  for (int i = 0; i < rank; ++i) shape.push_back(std::find(added.begin(), added.end(), i) != added.end() ? Dim(1) : *next++);
  return reshape(x, std::move(shape));
}

NodeRef squeeze(NodeRef x, const Axes& axes) {
  check_node("squeeze", x);
  std::vector<bool> drop(x->rank(), false);
  if (axes) {
    for (int axis : normalize_axes("squeeze", *axes, x->rank())) {
      HARP_CHECK(x->shape[axis].is_constant(1), Code::kShape, "squeeze: axis ", axis, " of ", label(x), " has size ",
                 to_string(x->shape[axis]), x->shape[axis].is_constant() ? ", expected 1" : ", expected the constant 1");
      drop[axis] = true;
    }
  } else {
    for (int i = 0; i < x->rank(); ++i) drop[i] = x->shape[i].is_constant(1);
  }
  Shape shape;
  for (int i = 0; i < x->rank(); ++i)
    if (!drop[i]) shape.push_back(x->shape[i]);
  return reshape(x, std::move(shape));
}

NodeRef flip(NodeRef x, const Axes& axes) {
  check_node("flip", x);
  std::vector<SliceSpec> specs(x->rank());
  if (axes)
    for (int axis : normalize_axes("flip", *axes, x->rank())) specs[axis].step = -1;
  else
    for (SliceSpec& spec : specs) spec.step = -1;
  return slice(x, specs);
}

NodeRef part_along(NodeRef x, int axis, Dim start, Dim size, int64_t step) {
  check_node("slice", x);
  const auto along = static_cast<size_t>(normalize_axis("slice", axis, x->rank()));
  Shape starts(x->shape.size(), Dim(0)), sizes = x->shape;
  std::vector<int64_t> steps(x->shape.size(), 1);
  starts[along] = start;
  sizes[along] = size;
  steps[along] = step;
  return slice_exactly(x, starts, sizes, steps);
}

NodeRef flatten(NodeRef x, int start_axis, int end_axis) {
  check_node("flatten", x);
  if (x->rank() == 0) {
    HARP_CHECK((start_axis == 0 || start_axis == -1) && (end_axis == 0 || end_axis == -1), Code::kShape, "flatten: start_axis ", start_axis,
               " and end_axis ", end_axis, " of the scalar ", label(x), "; expected 0 or -1");
    return reshape(x, {1});
  }
  const int first = normalize_axis("flatten", start_axis, x->rank()), last = normalize_axis("flatten", end_axis, x->rank());
  HARP_CHECK(first <= last, Code::kShape, "flatten: start_axis ", first, " comes after end_axis ", last,
             "; expected start_axis <= end_axis");
  Shape shape(x->shape.begin(), x->shape.begin() + first);
  shape.push_back(element_count(Shape(x->shape.begin() + first, x->shape.begin() + last + 1)));
  shape.insert(shape.end(), x->shape.begin() + last + 1, x->shape.end());
  return reshape(x, std::move(shape));
}

NodeRef unfold_axes(NodeRef x, std::span<const int> axes, std::span<const Dim> size, std::span<const int64_t> stride,
                    std::span<const int64_t> dilation) {
  check_node("unfold", x);
  const std::vector<int> along = normalize_axes("unfold", axes, x->rank());
  const Padding none[] = {{}};
  return unfold_windows("unfold", x, along, window_list("unfold", along.size(), size, stride, dilation, none));
}

NodeRef unfold_spatial(NodeRef x, int spatial, std::span<const Dim> size, std::span<const int64_t> stride,
                       std::span<const int64_t> dilation, std::span<const Padding> padding) {
  const std::string op = cat("unfold", spatial, "d");
  check_node(op, x);
  HARP_CHECK(x->rank() >= spatial, Code::kShape, op, ": ", label(x), " has shape ", to_string(x->shape), "; at least ", spatial,
             " axes are needed");
  const std::vector<Window> windows = window_list(op, static_cast<size_t>(spatial), size, stride, dilation, padding);
  const int first = x->rank() - spatial;
  return unfold_windows(op, pad_for(op, x, first, windows, scalar_from_int(x->dtype, 0)), axes_from(first, spatial), windows);
}

NodeRef diagonal(std::string_view op, NodeRef x, int64_t offset, int axis1, int axis2) {
  check_node(op, x);
  HARP_CHECK(x->rank() >= 2, Code::kShape, op, ": ", label(x), " has shape ", to_string(x->shape), "; at least 2 axes are needed");
  const int row_axis = normalize_axis(op, axis1, x->rank()), column_axis = normalize_axis(op, axis2, x->rank());
  HARP_CHECK(row_axis != column_axis, Code::kShape, op, ": axis ", row_axis, " is named twice");
  HARP_CHECK(offset > INT32_MIN && offset <= INT32_MAX, Code::kRange, op, ": the offset is ", offset, "; it must fit 32 bits");
  const int from[] = {row_axis, column_axis}, to[] = {-2, -1};
  x = moveaxis(x, from, to);
  // From its first element on, the diagonal takes every (columns + 1)-th element of the flattened matrix. If the elements are arranged in
  // rows of columns + 1 elements, the diagonal is the first column.
  const size_t kept = x->shape.size() - 2;
  const Dim rows = x->shape[kept], columns = x->shape[kept + 1], down = std::max<int64_t>(-offset, 0), right = std::max<int64_t>(offset, 0);
  const Dim length = harp::max(Dim(0), harp::min(rows - down, columns - right));
  Shape shape(x->shape.begin(), x->shape.begin() + static_cast<long>(kept));
  const auto with = [&](std::initializer_list<Dim> last) {
    Shape result = shape;
    result.insert(result.end(), last);
    return result;
  };
  std::vector<Dim> start(kept + 1, Dim(0)), before(kept + 1, Dim(0)), after(kept + 1, Dim(0));
  // The array may end after the first element of the last row, so padding completes that row.
  after.back() = columns;
  x = pad(reshape(x, with({rows * columns})), before, after, scalar_from_int(x->dtype, 0));
  start.back() = down * columns + right;
  x = slice_exactly(x, start, with({length * (columns + 1)}), std::vector<int64_t>(kept + 1, 1));
  x = reshape(x, with({length, columns + 1}));
  const std::vector<Dim> first(kept + 2, Dim(0));
  return reshape(slice_exactly(x, first, with({length, 1}), std::vector<int64_t>(kept + 2, 1)), with({length}));
}

}  // namespace harp::build
