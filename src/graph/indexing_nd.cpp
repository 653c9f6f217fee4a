// Builds indexing by tuples, as in ONNX's GatherND and ScatterND. Each row of `indices` along its last axis is one tuple; it selects a
// position along the first axes of x. The tuple is converted to a position along one axis, into which these axes are flattened. An invalid
// tuple is converted to the length of the flattened axis, which is out of range too: it is clamped to the last position, or reported if
// indices are checked.
#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"
#include "graph/indices.h"
#include "graph/steps.h"

namespace harp::build {

using namespace steps;

namespace {

/// Converts an index to i64. An index above INT64_MAX becomes INT64_MAX, which is an invalid index too.
NodeRef as_i64(std::string_view op, NodeRef index) {
  if (index->dtype == DType::kU64)
    index = elementwise(Op::kMin, {index, constant(check_node(op, index), scalar_from_int(DType::kU64, INT64_MAX))});
  return cast(index, DType::kI64);
}

}  // namespace

FlatIndices flat_indices(std::string_view op, NodeRef x, NodeRef indices, int64_t batch_dims) {
  check_nodes(op, {{x, indices}});
  Graph& graph = check_node(op, x);
  HARP_CHECK(is_int(indices->dtype), Code::kDType, op, ": indices must be integers, got ", name(indices->dtype), " (", label(indices), ")");
  HARP_CHECK(indices->rank() >= 1 && indices->shape.back().is_constant(), Code::kShape, op, ": ", label(indices), " has shape ",
             to_string(indices->shape), "; the last axis of indices must have a constant size, the length of each tuple of indices");
  const auto batch = static_cast<size_t>(batch_dims);
  HARP_CHECK(batch_dims >= 0 && batch < indices->shape.size() && batch <= x->shape.size(), Code::kShape, op, ": batch_dims is ", batch_dims,
             " for ", label(x), " of shape ", to_string(x->shape), " and indices of shape ", to_string(indices->shape),
             "; it must be at least 0, at most the number of axes of the array, and less than that of the indices");
  for (size_t i = 0; i < batch; ++i)
    HARP_CHECK(x->shape[i] == indices->shape[i], Code::kShape, op, ": ", label(x), " has shape ", to_string(x->shape), ", indices ",
               to_string(indices->shape), "; the first ", batch_dims, " sizes must be identical");
  const int64_t length = indices->shape.back().constant();
  const size_t axes = batch + static_cast<size_t>(length);
  HARP_CHECK(length >= 1 && axes <= x->shape.size(), Code::kShape, op, ": a tuple of ", length, " indices for ", label(x), " of shape ",
             to_string(x->shape), "; it must have from 1 to ", x->shape.size() - batch);
  FlatIndices result{nullptr, Shape(indices->shape.begin(), indices->shape.end() - 1), axes, 1,
                     Shape(x->shape.begin() + axes, x->shape.end())};
  const std::vector<NodeRef> columns = unstack(indices, -1);
  const auto number = [&](Dim dim) { return size(graph, dim); };
  NodeRef flat = nullptr, is_in_range = nullptr;
  for (size_t i = 0; i < axes; ++i) {
    const Dim extent = x->shape[i];
    NodeRef index;
    if (i < batch) {
      Shape line(result.tuples.size(), Dim(1));
      line[i] = extent;
      index = broadcast_to(reshape(cast(arange(graph, extent), DType::kI64), std::move(line)), result.tuples);
    } else {
      const size_t position = i - batch;
      const NodeRef given = as_i64(op, with_optional_check(columns[position], extent, cat(op, ": axis ", i, " of ", label(x)),
                                                           cat(label(indices), "[..., ", position, "]")));
      const NodeRef zero = constant_like(given, 0);
      index = where({lt({given, zero}), add({given, number(extent)}), given});
      const NodeRef fits = elementwise(Op::kBitAnd, {le({zero, index}), lt({index, number(extent)})});
      is_in_range = is_in_range == nullptr ? fits : elementwise(Op::kBitAnd, {is_in_range, fits});
    }
    flat = flat == nullptr ? index : add({mul({flat, number(extent)}), index});
    result.count = result.count * extent;
  }
  result.flat = reshape(where({is_in_range, flat, number(result.count)}), {element_count(result.tuples)});
  return result;
}

NodeRef FlatIndices::with_flat_axis(NodeRef x) const {
  Shape shape = {count};
  shape.insert(shape.end(), rest.begin(), rest.end());
  return reshape(x, std::move(shape));
}

Shape FlatIndices::result_shape() const {
  Shape shape = tuples;
  shape.insert(shape.end(), rest.begin(), rest.end());
  return shape;
}

NodeRef gather_nd(NodeRef x, NodeRef indices, int64_t batch_dims) {
  const FlatIndices p = flat_indices("gather_nd", x, indices, batch_dims);
  const Shape shape = p.result_shape();
  check_shape("gather_nd", check_node("gather_nd", x), x->dtype, shape);
  return reshape(take(p.with_flat_axis(x), p.flat, 0), shape);
}

}  // namespace harp::build
