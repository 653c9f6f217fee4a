// Builds composites that join or divide arrays: stack, split, repeat, tile, roll.
#include <algorithm>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"

namespace harp::build {
namespace {

/// Repeats elements along the axis. If `each` is true, every element is repeated `times` times in succession; else the whole axis is
/// repeated.
NodeRef repeat_axis(std::string_view op, NodeRef x, int axis, Dim times, bool each) {
  check_dim(op, check_node(op, x), times, cat("the number of repeats of axis ", axis));
  if (times.is_constant(1)) return x;
  Shape result = x->shape;
  result[axis] = result[axis] * times;
  check_shape(op, check_node(op, x), x->dtype, result);
  // Add an axis next to `axis` and broadcast along it. The rank must not exceed kMaxRank, so at rank kMaxRank the axes before `axis` are
  // first merged into one axis, and so are the axes after it.
  const bool merge = x->rank() == kMaxRank;
  auto count = [&](auto first, auto last) { return element_count(Shape(first, last)); };
  Shape outer(x->shape.begin(), x->shape.begin() + axis), inner(x->shape.begin() + axis + 1, x->shape.end());
  if (merge) outer = {count(outer.begin(), outer.end())}, inner = {count(inner.begin(), inner.end())};
  Shape shape = outer;
  const Dim size = x->shape[axis];
  shape.insert(shape.end(), {each ? size : Dim(1), each ? Dim(1) : size});
  shape.insert(shape.end(), inner.begin(), inner.end());
  Shape stretched = shape;
  stretched[outer.size() + (each ? 1 : 0)] = times;
  return reshape(expand(reshape(x, std::move(shape)), std::move(stretched)), std::move(result));
}

}  // namespace

NodeRef stack(std::span<const NodeRef> sources, int axis) {
  check_nodes("stack", sources);
  const int rank = sources[0]->rank() + 1;
  HARP_CHECK(rank <= kMaxRank, Code::kShape, "stack: the result would have ", rank, " axes; at most ", kMaxRank, " are allowed");
  const int along = normalize_axis("stack", axis, rank);
  std::vector<NodeRef> parts;
  for (NodeRef source : sources) {
    HARP_CHECK(source->shape == sources[0]->shape, Code::kShape, "stack: operands have shapes ", shapes_of(sources), " (", labels(sources),
               "); they must be identical");
    parts.push_back(unsqueeze(source, {&along, 1}));
  }
  return concat(parts, along);
}

std::vector<NodeRef> split(NodeRef x, const Sections& sections, int axis) {
  check_node("split", x);
  const int along = normalize_axis("split", axis, x->rank());
  const Dim length = x->shape[along];
  std::vector<NodeRef> parts;
  if (sections.count) {
    const int64_t count = *sections.count;
    HARP_CHECK(count >= 1 && count <= 1'000'000, Code::kRange, "split: ", count, " sections; there must be 1 to 1000000");
    const auto size = exact_quotient(length, count);
    HARP_CHECK(size.has_value(), Code::kShape, "split: axis ", along, " of ", label(x), " has size ", to_string(length), ", which is not ",
               length.is_constant() ? "" : "known to be ", "a multiple of ", count);
    for (int64_t i = 0; i < count; ++i) parts.push_back(part_along(x, along, *size * Dim(i), *size));
    return parts;
  }
  std::vector<SliceSpec> specs(x->rank());
  for (size_t i = 0; i <= sections.positions.size(); ++i) {
    specs[along].start = i == 0 ? std::optional<Dim>() : sections.positions[i - 1];
    specs[along].stop = i == sections.positions.size() ? std::optional<Dim>() : sections.positions[i];
    parts.push_back(slice(x, specs));
  }
  return parts;
}

std::vector<NodeRef> unstack(NodeRef x, int axis) {
  check_node("unstack", x);
  const int along = normalize_axis("unstack", axis, x->rank());
  const Dim count = x->shape[static_cast<size_t>(along)];
  HARP_CHECK(count.is_constant(), Code::kShape, "unstack: axis ", along, " of ", label(x), " has size ", to_string(count),
             "; the number of results must be constant");
  HARP_CHECK(count.constant() <= 1'000'000, Code::kRange, "unstack: ", count.constant(), " results; at most 1000000 are allowed");
  std::vector<NodeRef> parts;
  for (int64_t i = 0; i < count.constant(); ++i) parts.push_back(squeeze(part_along(x, along, Dim(i), 1), std::vector<int>{along}));
  return parts;
}

std::vector<NodeRef> meshgrid(std::span<const NodeRef> arrays, std::string_view indexing) {
  check_nodes("meshgrid", arrays);
  HARP_CHECK(indexing == "xy" || indexing == "ij", Code::kInvalidArgument, "meshgrid: indexing is \"", indexing, "\"; it must be xy or ij");
  HARP_CHECK(arrays.size() <= static_cast<size_t>(kMaxRank), Code::kShape, "meshgrid: ", arrays.size(),
             " arrays; the results have one axis for each, at most ", kMaxRank);
  // Maps each array to its axis of the results. For "xy", the first two arrays exchange their axes.
  std::vector<size_t> axis_of(arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) axis_of[i] = i;
  if (indexing == "xy" && arrays.size() >= 2) std::swap(axis_of[0], axis_of[1]);
  Shape shape(arrays.size(), Dim(1));
  for (size_t i = 0; i < arrays.size(); ++i) {
    HARP_CHECK(arrays[i]->rank() <= 1, Code::kShape, "meshgrid: ", label(arrays[i]), " has shape ", to_string(arrays[i]->shape),
               "; it must have one axis");
    if (arrays[i]->rank() == 1) shape[axis_of[i]] = arrays[i]->shape[0];
  }
  std::vector<NodeRef> results;
  for (size_t i = 0; i < arrays.size(); ++i) {
    Shape own(arrays.size(), Dim(1));
    own[axis_of[i]] = shape[axis_of[i]];
    results.push_back(broadcast_to(reshape(arrays[i], std::move(own)), shape));
  }
  return results;
}

NodeRef repeat(NodeRef x, Dim repeats, std::optional<int> axis) {
  check_node("repeat", x);
  if (!axis) return repeat_axis("repeat", flatten(x, 0, -1), 0, repeats, true);
  return repeat_axis("repeat", x, normalize_axis("repeat", *axis, x->rank()), repeats, true);
}

NodeRef tile(NodeRef x, std::span<const Dim> repeats) {
  check_node("tile", x);
  HARP_CHECK(repeats.size() <= static_cast<size_t>(kMaxRank), Code::kShape, "tile: ", repeats.size(), " repeats; at most ", kMaxRank,
             " axes are allowed");
  // As in NumPy, the shorter one of x's shape and `repeats` is extended with ones on the left.
  Shape shape(std::max(repeats.size(), x->shape.size()) - x->shape.size(), Dim(1));
  shape.insert(shape.end(), x->shape.begin(), x->shape.end());
  x = reshape(x, shape);
  const size_t unnamed = shape.size() - repeats.size();
  for (size_t i = 0; i < repeats.size(); ++i) x = repeat_axis("tile", x, static_cast<int>(unnamed + i), repeats[i], false);
  return x;
}

NodeRef roll(NodeRef x, std::span<const Dim> shift, const Axes& axes) {
  Graph& graph = check_node("roll", x);
  if (!axes) {
    HARP_CHECK(shift.size() == 1, Code::kShape, "roll: ", shift.size(), " shifts of the flattened array; expected 1, or give axes");
    const std::vector<int> first = {0};
    return reshape(roll(flatten(x, 0, -1), shift, first), x->shape);
  }
  HARP_CHECK(shift.size() == axes->size() || shift.size() == 1, Code::kShape, "roll: ", shift.size(), " shifts for ", axes->size(),
             " axes; expected one for each axis, or one for all");
  for (size_t i = 0; i < axes->size(); ++i) {  // if an axis occurs twice, its shifts add up
    const int axis = normalize_axis("roll", (*axes)[i], x->rank());
    const Dim by = shift.size() == 1 ? shift[0] : shift[i], length = x->shape[axis];
    check_expression("roll", graph, by, "the shift");
    const Dim moved = mod(by, length);  // the last `moved` elements come first
    if (moved.is_constant(0)) continue;
    const NodeRef parts[] = {part_along(x, axis, length - moved, moved), part_along(x, axis, 0, length - moved)};
    x = concat(parts, axis);
  }
  return x;
}

}  // namespace harp::build
