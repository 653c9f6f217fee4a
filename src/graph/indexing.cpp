// Builds gathers: an array of integers selects elements along an axis. The primitive is take_along_axis; take() is built from it and views.
#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/indices.h"

namespace harp::build {
NodeRef as_indices(std::string_view op, NodeRef x, NodeRef indices) {
  check_node(op, x);
  check_nodes(op, {{x, indices}});
  if (indices->dtype == DType::kUnknown) return cast(indices, DType::kI64);
  HARP_CHECK(is_int(indices->dtype), Code::kDType, op, ": indices must be integers, got ", name(indices->dtype), " (", label(indices), ")");
  return indices;
}

void check_length(std::string_view op, NodeRef x, int axis, NodeRef indices) {
  const bool has_none = x->shape[static_cast<size_t>(axis)].is_constant(0);
  HARP_CHECK(!has_none || !proven_positive(element_count(indices->shape)), Code::kShape, op, ": axis ", axis, " of ", label(x),
             " of shape ", to_string(x->shape), " has no elements, but indices of shape ", to_string(indices->shape), " (", label(indices),
             ") select some");
}

int check_along(std::string_view op, NodeRef x, NodeRef indices, int axis) {
  const int along = normalize_axis(op, axis, x->rank());
  bool fits = indices->rank() == x->rank();
  for (int i = 0; fits && i < x->rank(); ++i) fits = i == along || indices->shape[i] == x->shape[i];
  HARP_CHECK(fits, Code::kShape, op, ": ", label(x), " has shape ", to_string(x->shape), ", indices ", to_string(indices->shape), " (",
             label(indices), "); the shapes must be identical except along axis ", along);
  check_length(op, x, along, indices);
  return along;
}

NodeRef check_index(NodeRef indices, Dim size, std::string_view what, std::string_view asker, bool optional) {
  const std::string_view op = name(Op::kCheckIndex);
  indices = as_indices(op, indices, indices);
  check_dim(op, check_node(op, indices), size, "the size");
  return check_node(op, indices)
      .intern(Op::kCheckIndex, indices->dtype, indices->shape, {indices},
              CheckAttributes{size, std::string(what), std::string(asker), optional});
}

NodeRef with_optional_check(NodeRef indices, Dim size, std::string_view what, std::string_view asker) {
  return indices->op == Op::kCheckIndex ? indices : check_index(indices, size, what, asker, true);
}

NodeRef with_optional_check(std::string_view op, NodeRef x, int axis, NodeRef indices) {
  return with_optional_check(indices, x->shape[static_cast<size_t>(axis)], cat(op, ": axis ", axis, " of ", label(x)));
}

NodeRef take_along_axis(NodeRef x, NodeRef indices, int axis) {
  const std::string_view op = name(Op::kGather);
  indices = as_indices(op, x, indices);
  const int along = check_along(op, x, indices, axis);
  Graph& graph = check_node(op, x);
  check_shape(op, graph, x->dtype, indices->shape);
  return graph.intern(Op::kGather, x->dtype, indices->shape, {x, indices}, GatherAttributes{along});
}

/// Merges the axes of the indices into one, broadcasts them along the other axes of x, and gathers with take_along_axis. x is not permuted.
NodeRef take(NodeRef x, NodeRef indices, std::optional<int> axis) {
  indices = as_indices("take", x, indices);
  if (!axis && x->rank() != 1) {
    const NodeRef flat = flatten(x, 0, -1);
    return take(flat, with_optional_check(indices, element_count(x->shape), cat("take: ", label(x), ", flattened,")), 0);
  }
  const int along = normalize_axis("take", axis.value_or(0), x->rank());
  check_length("take", x, along, indices);
  const auto axis_position = x->shape.begin() + along;
  Shape shape(x->shape.begin(), axis_position);
  shape.insert(shape.end(), indices->shape.begin(), indices->shape.end());
  shape.insert(shape.end(), axis_position + 1, x->shape.end());
  check_shape("take", check_node("take", x), x->dtype, shape);
  Shape line(x->shape.size(), Dim(1)), lines = x->shape;
  line[static_cast<size_t>(along)] = lines[static_cast<size_t>(along)] = element_count(indices->shape);
  return reshape(take_along_axis(x, expand(reshape(indices, std::move(line)), std::move(lines)), along), std::move(shape));
}

}  // namespace harp::build
