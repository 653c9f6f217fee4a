// Elements by data: which element is taken, or added to, along an axis is itself an array of integers. One primitive each, take_along_axis
// and scatter_add; everything else is views around them.
#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"

namespace harp::build {
namespace {

/// A bare integer is an i64.
NodeRef as_indices(std::string_view op, NodeRef x, NodeRef indices) {
  check_node(op, x);
  check_nodes(op, {{x, indices}});
  if (indices->dtype == DType::kUnknown) return cast(indices, DType::kI64);
  HARP_CHECK(is_int(indices->dtype), Code::kDType, op, ": indices must be integers, got ", name(indices->dtype), " (", label(indices), ")");
  return indices;
}

/// There is something to name, unless nothing is named. Where only some sizes decide, 0 is taken then and nothing is added.
void check_length(std::string_view op, NodeRef x, int axis, NodeRef indices) {
  const bool has_none = x->shape[static_cast<size_t>(axis)].is_constant(0);
  HARP_CHECK(!has_none || !proven_positive(element_count(indices->shape)), Code::kShape, op, ": axis ", axis, " of ", label(x),
             " of shape ", to_string(x->shape), " has no elements, but indices of shape ", to_string(indices->shape), " (", label(indices),
             ") name some");
}

/// The axis, counted from the front; indices (and updates) have x's shape but for it.
int check_along(std::string_view op, NodeRef x, NodeRef indices, int axis) {
  const int along = normalize_axis(op, axis, x->rank());
  bool fits = indices->rank() == x->rank();
  for (int i = 0; fits && i < x->rank(); ++i) fits = i == along || indices->shape[i] == x->shape[i];
  HARP_CHECK(fits, Code::kShape, op, ": ", label(x), " has shape ", to_string(x->shape), ", indices ", to_string(indices->shape), " (",
             label(indices), "); the shapes must be identical but for axis ", along);
  check_length(op, x, along, indices);
  return along;
}

/// Both as one dtype.
void unite(std::string_view op, NodeRef& x, NodeRef& updates) {
  const NodeRef operands[] = {x, updates};
  const DType dtype = common_dtype(op, Operands::kNumber, operands);
  x = cast(x, dtype);
  updates = cast(updates, dtype);
}

}  // namespace

NodeRef check_index(NodeRef indices, Dim size, std::string_view what) {
  const std::string_view op = name(Op::kCheckIndex);
  indices = as_indices(op, indices, indices);
  check_dim(op, check_node(op, indices), size, "the size");
  return check_node(op, indices)
      .intern(Op::kCheckIndex, indices->dtype, indices->shape, {indices}, CheckAttributes{size, std::string(what)});
}

NodeRef take_along_axis(NodeRef x, NodeRef indices, int axis) {
  const std::string_view op = name(Op::kGather);
  indices = as_indices(op, x, indices);
  const int along = check_along(op, x, indices, axis);
  Graph& graph = check_node(op, x);
  check_shape(op, graph, x->dtype, indices->shape);
  return graph.intern(Op::kGather, x->dtype, indices->shape, {x, indices}, GatherAttributes{along});
}

/// The axes of indices become one, stretched along the others of x; x stays as it lies.
NodeRef take(NodeRef x, NodeRef indices, std::optional<int> axis) {
  indices = as_indices("take", x, indices);
  if (!axis) return take(flatten(x, 0, -1), indices, 0);
  const int along = normalize_axis("take", *axis, x->rank());
  check_length("take", x, along, indices);
  const auto place = x->shape.begin() + along;
  Shape shape(x->shape.begin(), place);
  shape.insert(shape.end(), indices->shape.begin(), indices->shape.end());
  shape.insert(shape.end(), place + 1, x->shape.end());
  check_shape("take", check_node("take", x), x->dtype, shape);
  Shape line(x->shape.size(), Dim(1)), lines = x->shape;
  line[static_cast<size_t>(along)] = lines[static_cast<size_t>(along)] = element_count(indices->shape);
  return reshape(take_along_axis(x, expand(reshape(indices, std::move(line)), std::move(lines)), along), std::move(shape));
}

NodeRef scatter_add(NodeRef x, NodeRef indices, NodeRef updates, int axis) {
  const std::string_view op = name(Op::kScatterAdd);
  indices = as_indices(op, x, indices);
  unite(op, x, updates);
  const int along = check_along(op, x, indices, axis);
  HARP_CHECK(updates->shape == indices->shape, Code::kShape, op, ": indices have shape ", to_string(indices->shape), " (", label(indices),
             "), updates ", to_string(updates->shape), " (", label(updates), "); they must be identical");
  if (is_complex(x->dtype))
    return complex_from_parts(scatter_add(real(x), indices, real(updates), along), scatter_add(imag(x), indices, imag(updates), along));
  const DType dtype = x->dtype, wide = info(dtype).computes_in;
  x = cast(x, wide);
  updates = cast(updates, wide);
  Graph& graph = check_node(op, x);
  check_shape(op, graph, wide, x->shape);
  return cast(graph.intern(Op::kScatterAdd, wide, x->shape, {x, indices, updates}, GatherAttributes{along}), dtype);
}

/// One index for all elements of its place along the axis.
NodeRef index_add(NodeRef x, NodeRef indices, NodeRef updates, int axis) {
  const std::string_view op = "index_add";
  indices = as_indices(op, x, indices);
  unite(op, x, updates);
  const int along = normalize_axis(op, axis, x->rank());
  HARP_CHECK(indices->rank() == 1, Code::kShape, op, ": indices must have one axis, got shape ", to_string(indices->shape), " (",
             label(indices), ")");
  Shape line(x->shape.size(), Dim(1)), lines = x->shape;
  line[static_cast<size_t>(along)] = lines[static_cast<size_t>(along)] = indices->shape[0];
  HARP_CHECK(updates->shape == lines, Code::kShape, op, ": updates have shape ", to_string(updates->shape), " (", label(updates),
             "); it must be ", to_string(lines), ": that of ", label(x), " with ", to_string(indices->shape[0]), " indices along axis ",
             along);
  check_length(op, x, along, indices);
  return scatter_add(x, expand(reshape(indices, std::move(line)), std::move(lines)), updates, along);
}

}  // namespace harp::build
