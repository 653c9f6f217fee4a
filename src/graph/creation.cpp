// Creates arrays from sizes and numbers alone. They are built from arange and constants, so their elements are stored only if a consumer
// needs them in memory.
#include <algorithm>
#include <limits>

#include "base/error.h"
#include "graph/check.h"
#include "graph/composites.h"

namespace harp::build {
namespace {

void check_numeric(std::string_view op, DType dtype) {
  check_dtype(op, dtype);
  HARP_CHECK(accepts(Operands::kNumber, dtype), Code::kDType, op, ": expected a numeric dtype, got ", name(dtype));
}

/// Returns 0, 1, 2 … `count` - 1 as i32, or as i64 if adding `offset` to them could exceed i32.
NodeRef positions(Graph& graph, Dim count, int64_t offset) {
  const NodeRef index = arange(graph, count);
  const bool fits = offset >= 0 ? range(count).hi <= INT32_MAX - std::min<int64_t>(offset, INT32_MAX) : offset >= INT32_MIN;
  return fits ? index : cast(index, DType::kI64);
}

/// Returns x with zeros in place of the elements with column > row + k (or column < row + k, if `lower` is false). Row and column are the
/// indices along the last two axes.
NodeRef triangle(std::string_view op, NodeRef x, int64_t k, bool lower) {
  Graph& graph = check_node(op, x);
  HARP_CHECK(x->rank() >= 2, Code::kShape, op, ": ", label(x), " has shape ", to_string(x->shape), "; at least 2 axes are needed");
  const Dim rows = x->shape[x->rank() - 2], columns = x->shape[x->rank() - 1];
  NodeRef row = positions(graph, rows, k), column = cast(arange(graph, columns), row->dtype);
  if (k != 0) row = elementwise(Op::kAdd, {row, constant(graph, scalar_from_int(row->dtype, k))});
  row = broadcast_to(reshape(row, {rows, 1}), {rows, columns});
  column = broadcast_to(column, {rows, columns});
  const NodeRef keep = lower ? elementwise(Op::kLe, {column, row}) : elementwise(Op::kLe, {row, column});
  return elementwise(Op::kWhere, {broadcast_to(keep, x->shape), x, constant_like(x, 0)});
}

}  // namespace

NodeRef full(Graph& graph, const Shape& shape, Scalar value) {
  check_shape("full", graph, value.dtype, shape);
  return broadcast_to(constant(graph, value), shape);
}

NodeRef full(NodeRef value, const Shape& shape) {
  Graph& graph = check_node("full", value);
  HARP_CHECK(value->rank() == 0, Code::kShape, "full: the value is ", label(value), " of shape ", to_string(value->shape),
             "; it must be a scalar");
  check_shape("full", graph, value->dtype, shape);
  return broadcast_to(value, shape);
}

NodeRef full_like(NodeRef x, double value) { return broadcast_to(constant_like(x, value), x->shape); }

NodeRef arange_from(Graph& graph, std::optional<Dim> count, Dim start, std::optional<Dim> stop, int64_t step, DType dtype) {
  check_numeric("arange", dtype);
  HARP_CHECK(count.has_value() != stop.has_value(), Code::kInvalidArgument,
             "arange: ", count ? "n and stop are both" : "neither n nor stop is", " given; give one of them");
  HARP_CHECK(step != 0 && step != INT64_MIN, Code::kRange, "arange: the step is ", step, "; it must not be 0 or -2^63");
  check_expression("arange", graph, start, "the start");
  if (stop) check_expression("arange", graph, *stop, "the stop");
  if (stop) count = harp::max(Dim(0), step > 0 ? ceil_div(*stop - start, step) : ceil_div(start - *stop, -step));
  if (is_int(dtype) && start.is_constant() && count->is_constant() && count->constant() > 0) {
    const Dim last = start + (*count - 1) * Dim(step);
    HARP_CHECK(int_fits(dtype, start.constant()) && int_fits(dtype, last.constant()), Code::kRange, "arange: ", start.constant(), " to ",
               last.constant(), " does not fit ", name(dtype), "; give another dtype");
  }
  check_shape("arange", graph, dtype, {*count});
  if (is_half(dtype)) return cast(arange_from(graph, count, start, {}, step, working_dtype(dtype)), dtype);
  if (is_complex(dtype)) return cast(arange_from(graph, count, start, {}, step, real_dtype(dtype)), dtype);
  NodeRef result = cast(arange(graph, *count), dtype);
  if (step != 1) result = elementwise(Op::kMul, {result, constant(graph, scalar_from_int(dtype, step))});
  if (start.is_constant(0)) return result;
  const NodeRef first = start.is_constant() ? constant(graph, scalar_from_int(dtype, start.constant())) : cast(size(graph, start), dtype);
  result = elementwise(Op::kAdd, {result, first});
  return result;
}

NodeRef linspace(Graph& graph, double start, double stop, Dim count, DType dtype) {
  check_dtype("linspace", dtype);
  HARP_CHECK(is_float(dtype), Code::kDType, "linspace: expected a float dtype, got ", name(dtype));
  check_dim("linspace", graph, count, "the number of elements");
  if (is_half(dtype)) return cast(linspace(graph, start, stop, count, working_dtype(dtype)), dtype);
  const NodeRef index = arange(graph, count);
  if (count.is_constant(1) || count.is_constant(0)) return full(graph, {count}, scalar_from_double(dtype, start));
  // The number of steps is one less than the number of elements, but at least 1, so that the division below is valid. The last element is
  // set to stop exactly.
  const NodeRef steps = size(graph, harp::max(count - 1, 1));
  const NodeRef step = elementwise(Op::kDiv, {constant(graph, scalar_from_double(dtype, stop - start)), cast(steps, dtype)});
  const NodeRef first = constant(graph, scalar_from_double(dtype, start)), last = constant(graph, scalar_from_double(dtype, stop));
  const NodeRef value = elementwise(Op::kFma, {cast(index, dtype), step, first});
  return elementwise(Op::kWhere, {elementwise(Op::kEq, {index, cast(steps, DType::kI32)}), last, value});
}

NodeRef eye(Graph& graph, Dim rows, std::optional<Dim> columns, DType dtype) {
  const Shape shape = {rows, columns.value_or(rows)};
  check_shape("eye", graph, dtype, shape);
  const NodeRef row = broadcast_to(reshape(arange(graph, shape[0]), {shape[0], 1}), shape);
  return cast(elementwise(Op::kEq, {row, broadcast_to(arange(graph, shape[1]), shape)}), dtype);
}

NodeRef tril(NodeRef x, int64_t k) { return triangle("tril", x, k, true); }
NodeRef triu(NodeRef x, int64_t k) { return triangle("triu", x, k, false); }

NodeRef one_hot(NodeRef indices, Dim depth, DType dtype) {
  Graph& graph = check_node("one_hot", indices);
  HARP_CHECK(is_int(indices->dtype), Code::kDType, "one_hot: the indices are ", name(indices->dtype), " (", label(indices),
             "); they must be integers");
  HARP_CHECK(indices->rank() < kMaxRank, Code::kShape, "one_hot: the result would have ", kMaxRank + 1, " axes; at most ", kMaxRank,
             " are allowed");
  check_dim("one_hot", graph, depth, "the depth");
  // The depth may not fit a narrow dtype such as i8. So indices of a narrow dtype are cast to the dtype in which operations on them are
  // computed (i32).
  if (is_narrow(indices->dtype)) indices = cast(indices, info(indices->dtype).computes_in);
  Shape shape = indices->shape, with_one = indices->shape;
  shape.push_back(depth);
  with_one.push_back(1);
  check_shape("one_hot", graph, dtype, shape);
  const NodeRef classes = broadcast_to(cast(arange(graph, depth), indices->dtype), shape);
  return cast(elementwise(Op::kEq, {broadcast_to(reshape(indices, std::move(with_one)), shape), classes}), dtype);
}

}  // namespace harp::build
