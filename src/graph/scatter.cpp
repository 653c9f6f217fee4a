// Builds scatters: an array of integers selects the elements to change along an axis. The primitives (ops.def) define how an element and an
// update are combined; the composites are built from the primitives and from views.
#include <algorithm>

#include "base/error.h"
#include "graph/check.h"
#include "graph/complex.h"
#include "graph/composites.h"
#include "graph/indices.h"
#include "graph/steps.h"

namespace harp::build {
namespace {

using namespace steps;

/// The checked arguments of a scatter.
struct Scattered {
  NodeRef x, indices, updates;  // x and updates have one dtype
  int axis;                     // counted from the front
};

/// Checks that x and updates belong to the same graph, and casts both to a common dtype that `op` accepts.
void unite(std::string_view called, Op op, NodeRef& x, NodeRef& updates) {
  check_nodes(called, {{x, updates}});
  const NodeRef operands[] = {x, updates};
  const DType dtype = common_dtype(called, info(op).operands, operands);
  x = cast(x, dtype);
  updates = cast(updates, dtype);
}

Scattered checked(std::string_view called, Op op, NodeRef x, NodeRef indices, NodeRef updates, int axis) {
  indices = as_indices(called, x, indices);
  unite(called, op, x, updates);
  const int along = check_along(called, x, indices, axis);
  HARP_CHECK(updates->shape == indices->shape, Code::kShape, called, ": indices have shape ", to_string(indices->shape), " (",
             label(indices), "), updates ", to_string(updates->shape), " (", label(updates), "); they must be identical");
  if (called != name(op) || is_complex(x->dtype)) indices = with_optional_check(called, x, along, indices);
  return {x, indices, updates, along};
}

/// Broadcasts indices of rank 1 to the shape `lines`: the same index applies to all elements at one position of the axis.
NodeRef stretched(NodeRef indices, Shape lines, int axis) {
  Shape line(lines.size(), Dim(1));
  line[static_cast<size_t>(axis)] = indices->shape[0];
  return expand(reshape(indices, std::move(line)), std::move(lines));
}

/// Returns the dtype in which the op combines elements. An op that only replaces elements keeps their dtype, so that no bits change.
DType working_dtype(Op op, DType dtype) {
  if (!combination(op)) return dtype;
  return is_bool(dtype) ? DType::kI32 : info(dtype).computes_in;
}

/// Builds the scatter node. For complex numbers, builds one node for the real and one for the imaginary parts.
NodeRef apply(std::string_view called, Op op, const Scattered& s) {
  if (is_complex(s.x->dtype)) {
    const NodeRef re = apply(called, op, {real(s.x), s.indices, real(s.updates), s.axis});
    return complex_from_parts(re, apply(called, op, {imag(s.x), s.indices, imag(s.updates), s.axis}));
  }
  const DType dtype = s.x->dtype, works = working_dtype(op, dtype);
  const NodeRef x = cast(s.x, works), updates = cast(s.updates, works);
  Graph& graph = check_node(called, x);
  check_shape(called, graph, works, x->shape);
  return cast(graph.intern(op, works, x->shape, {x, s.indices, updates}, GatherAttributes{s.axis}), dtype);
}

/// Returns x with `value` in place of every element that has updates.
NodeRef without(std::string_view called, const Scattered& s, Scalar value) {
  const NodeRef constant = full(check_node(called, s.x), s.indices->shape, value);
  return apply(called, Op::kScatter, {s.x, s.indices, constant, s.axis});
}

/// Returns the mean of the updates of each element (and of the element itself, if include_self). An element without updates keeps its
/// value.
NodeRef scatter_mean(std::string_view called, const Scattered& given, bool include_self) {
  const DType dtype = given.x->dtype, works = info(dtype).computes_in;
  Scattered s{cast(given.x, works), given.indices, cast(given.updates, works), given.axis};
  if (!include_self) s.x = without(called, s, scalar_from_int(works, 0));
  Graph& graph = check_node(called, s.x);
  const NodeRef ones = full(graph, s.indices->shape, scalar_from_int(DType::kI32, 1));
  const NodeRef none = full(graph, s.x->shape, scalar_from_int(DType::kI32, include_self ? 1 : 0));
  const NodeRef count = apply(called, Op::kScatterAdd, {none, s.indices, ones, s.axis});
  const NodeRef divisor = cast(elementwise(Op::kMax, {count, constant_like(count, 1)}), works);
  return cast(div({apply(called, Op::kScatterAdd, s), divisor}), dtype);
}

/// A reduction of scatter_reduce. `elsewhere` is its name in torch.scatter_reduce or ONNX.
struct Reduction {
  std::string_view name, elsewhere;
  Op op;
  bool is_mean = false;
};
constexpr Reduction kReductions[] = {{"set", "none", Op::kScatter},    {"sum", "add", Op::kScatterAdd},
                                     {"prod", "mul", Op::kScatterMul}, {"max", "amax", Op::kScatterMax},
                                     {"min", "amin", Op::kScatterMin}, {"mean", "mean", Op::kScatterAdd, true}};

const Reduction& reduction_of(std::string_view called, std::string_view given, bool may_set) {
  for (const Reduction& each : kReductions)
    if ((each.name == given || each.elsewhere == given) && (may_set || combination(each.op))) return each;
  fail(Code::kInvalidArgument, called, ": reduction is \"", given, "\"; it must be one of ", may_set ? "\"set\", " : "",
       "\"sum\", \"prod\", \"mean\", \"max\", \"min\"");
}

void check_mean(std::string_view called, const Reduction& reduction, NodeRef x) {
  if (reduction.is_mean) common_dtype(called, Operands::kField, std::span(&x, 1));
}

NodeRef reduced(std::string_view called, const Reduction& reduction, Scattered s, bool include_self) {
  check_mean(called, reduction, s.x);
  if (reduction.is_mean) return scatter_mean(called, s, include_self);
  if (!include_self) s.x = without(called, s, identity_of(reduction.op, s.x->dtype));
  return apply(called, reduction.op, s);
}

NodeRef primitive(Op op, NodeRef x, NodeRef indices, NodeRef updates, int axis) {
  return apply(name(op), op, checked(name(op), op, x, indices, updates, axis));
}

}  // namespace

NodeRef scatter(NodeRef x, NodeRef indices, NodeRef updates, int axis) { return primitive(Op::kScatter, x, indices, updates, axis); }
NodeRef scatter_add(NodeRef x, NodeRef indices, NodeRef updates, int axis) { return primitive(Op::kScatterAdd, x, indices, updates, axis); }
NodeRef scatter_mul(NodeRef x, NodeRef indices, NodeRef updates, int axis) { return primitive(Op::kScatterMul, x, indices, updates, axis); }
NodeRef scatter_max(NodeRef x, NodeRef indices, NodeRef updates, int axis) { return primitive(Op::kScatterMax, x, indices, updates, axis); }
NodeRef scatter_min(NodeRef x, NodeRef indices, NodeRef updates, int axis) { return primitive(Op::kScatterMin, x, indices, updates, axis); }

NodeRef scatter_reduce(NodeRef x, NodeRef indices, NodeRef updates, int axis, std::string_view reduction, bool include_self) {
  const std::string_view op = "scatter_reduce";
  const Reduction& chosen = reduction_of(op, reduction, false);
  return reduced(op, chosen, checked(op, chosen.op, x, indices, updates, axis), include_self);
}

/// Broadcasts each index to all updates at its position along the axis, then adds the updates.
NodeRef index_add(NodeRef x, NodeRef indices, NodeRef updates, int axis) {
  const std::string_view op = "index_add";
  indices = as_indices(op, x, indices);
  unite(op, Op::kScatterAdd, x, updates);
  const int along = normalize_axis(op, axis, x->rank());
  HARP_CHECK(indices->rank() == 1, Code::kShape, op, ": indices must have one axis, got shape ", to_string(indices->shape), " (",
             label(indices), ")");
  Shape lines = x->shape;
  lines[static_cast<size_t>(along)] = indices->shape[0];
  HARP_CHECK(updates->shape == lines, Code::kShape, op, ": updates have shape ", to_string(updates->shape), " (", label(updates),
             "); it must be ", to_string(lines), ": that of ", label(x), " with ", to_string(indices->shape[0]), " indices along axis ",
             along);
  check_length(op, x, along, indices);
  indices = with_optional_check(op, x, along, indices);
  return apply(op, Op::kScatterAdd, {x, stretched(indices, std::move(lines), along), updates, along});
}

NodeRef scatter_nd(NodeRef x, NodeRef indices, NodeRef updates, std::string_view reduction) {
  const std::string_view op = "scatter_nd";
  const Reduction& chosen = reduction_of(op, reduction, true);
  const FlatIndices p = flat_indices(op, x, indices, 0);
  unite(op, chosen.op, x, updates);
  const Shape shape = p.result_shape();
  HARP_CHECK(updates->shape == shape, Code::kShape, op, ": updates have shape ", to_string(updates->shape), " (", label(updates),
             "); it must be ", to_string(shape), ": that of ", label(indices), " without its last axis, then the axes of ", label(x),
             " after those that an index tuple of length ", p.axes, " selects");
  HARP_CHECK(!p.count.is_constant(0) || !proven_positive(p.flat->shape[0]), Code::kShape, op, ": ", label(x), " of shape ",
             to_string(x->shape), " has no elements, but indices of shape ", to_string(indices->shape), " (", label(indices),
             ") select some");
  Shape lines = {p.flat->shape[0]};
  lines.insert(lines.end(), p.rest.begin(), p.rest.end());
  const NodeRef rows = reshape(updates, lines);
  return reshape(reduced(op, chosen, {p.with_flat_axis(x), stretched(p.flat, lines, 0), rows, 0}, true), x->shape);
}

}  // namespace harp::build
