// Checked constructors of primitive nodes, with shape and dtype inference. If the arguments do not fit, they throw harp::Error with the
// shapes, dtypes and names of the nodes. The composites (math.cpp, nn.cpp, …) and the C API are built on them. Axes may be negative
// (counted from the end). All sources must belong to the same graph.
#pragma once

#include "graph/graph.h"

namespace harp::build {

using NodeRef = const Node*;

NodeRef constant(Graph& graph, Scalar value);
/// An integer constant that has no dtype yet. An operation gives it the dtype of its other operands; as an index it becomes an i64; cast()
/// gives it a stated dtype. Where none of these applies, it is an error, also as an output.
NodeRef bare_integer(Graph& graph, WideInt value);
NodeRef constant_array(Graph& graph, DType dtype, Shape shape, std::span<const std::byte> data);
NodeRef arange(Graph& graph, Dim count);  // i32
NodeRef size(Graph& graph, Dim value);    // i64, rank 0

/// The common dtype and shape of elementwise operands.
struct OperandType {
  DType dtype;
  Shape shape;
};
/// Returns the dtype and shape in which an elementwise operation called `op` computes, by the graph's rules (identical dtypes or promotion;
/// identical shapes, rank 0, or NumPy broadcasting). It throws the same errors as elementwise(). Composites call it first, so that errors
/// carry their own name. It makes no node.
OperandType common_type(std::string_view op, Operands accepted, std::span<const NodeRef> operands);
/// Returns only the dtype, for operations whose operands may have unrelated shapes.
DType common_dtype(std::string_view op, Operands accepted, std::span<const NodeRef> operands);

/// Builds any op of family Elementwise and checks its dtypes. The operands must have equal shapes or rank 0; if the graph has the broadcast
/// option, NumPy's broadcasting applies, for which Reshape and Expand nodes are inserted. Each source of the node then has the node's shape
/// or rank 0.
NodeRef elementwise(Op op, std::span<const NodeRef> sources);
inline NodeRef elementwise(Op op, std::initializer_list<NodeRef> sources) {
  return elementwise(op, std::span(sources.begin(), sources.size()));
}

NodeRef cast(NodeRef source, DType dtype);     // returns the source itself if the dtype is the same
NodeRef bitcast(NodeRef source, DType dtype);  // requires the same element size

/// Sum, Prod, ReduceMax, ReduceMin. docs/semantics.md, "Sums", defines how `order` is chosen. If `axes` is empty, returns the source
/// itself. Sets the attribute `product` for a Sum whose source is a Mul of floats.
NodeRef reduce(Op op, NodeRef source, std::span<const int> axes, bool keepdims);
/// Builds a reduction with exactly these attributes. The text format and the optimiser use it.
NodeRef reduce_exactly(Op op, NodeRef source, ReduceAttributes attributes);

/// CumSum, CumProd, CumMax, CumMin along one axis. docs/semantics.md, "Scans", defines how `order` is chosen.
NodeRef scan(Op op, NodeRef source, int axis, bool reverse);
/// Builds a scan with exactly these attributes.
NodeRef scan_exactly(Op op, NodeRef source, ScanAttributes attributes);

NodeRef permute(NodeRef source, std::span<const int> axes);
NodeRef expand(NodeRef source, Shape shape);   // requires the same rank; repeats only axes of constant size 1; Dim(-1) keeps the size
NodeRef reshape(NodeRef source, Shape shape);  // infers one Dim(-1)
/// NumPy's slice of one axis. An absent start or stop is the open end; start and stop clamp as in Python. A negative constant counts from
/// the end; an expression of shape variables is a position (and clamps), whatever its value.
struct SliceSpec {
  std::optional<Dim> start, stop;
  int64_t step = 1;
};
NodeRef slice(NodeRef source, std::span<const SliceSpec> axes);  // one spec per axis
/// Takes `size` elements from `start` without clamping, one entry per axis. Bounds that cannot be proven are checked at run time
/// (requirements.h).
NodeRef slice_exactly(NodeRef source, std::span<const Dim> start, std::span<const Dim> size, std::span<const int64_t> step);
/// Returns specs from which slice() makes exactly this Slice node, or nothing if there are none.
std::optional<std::vector<SliceSpec>> as_slice_specs(NodeRef slice_node);
NodeRef pad(NodeRef source, std::span<const Dim> before, std::span<const Dim> after, Scalar value);
NodeRef unfold(NodeRef source, int axis, Dim size, int64_t stride, int64_t dilation);
NodeRef concat(std::span<const NodeRef> sources, int axis);
/// Gathers: result[…, i, …] = x[…, indices[…, i, …], …]. `indices` has x's shape except along `axis`, and the result has the shape of
/// `indices`. A negative index counts from the end; an index that is still out of range is clamped to the nearest element. (indexing.cpp)
NodeRef take_along_axis(NodeRef x, NodeRef indices, int axis);
/// Applies updates to x in ascending i: updates[…, i, …] replaces element […, indices[…, i, …], …] (scatter), is added to it (scatter_add),
/// multiplies it (scatter_mul), or replaces it if greater or less (scatter_max, scatter_min). `indices` and `updates` have x's shape except
/// along `axis`. Indices work as in take_along_axis; if the axis has no elements, nothing changes. Narrow dtypes are combined in the dtype
/// in which they compute. (scatter.cpp)
NodeRef scatter(NodeRef x, NodeRef indices, NodeRef updates, int axis);
NodeRef scatter_add(NodeRef x, NodeRef indices, NodeRef updates, int axis);
NodeRef scatter_mul(NodeRef x, NodeRef indices, NodeRef updates, int axis);
NodeRef scatter_max(NodeRef x, NodeRef indices, NodeRef updates, int axis);
NodeRef scatter_min(NodeRef x, NodeRef indices, NodeRef updates, int axis);
/// Returns the indices unchanged. Each must name an element of an axis of this size, from its start or (negative) from its end; otherwise
/// the run fails with Error{kRange}. The message begins with `what`, for example "axis 0 of x"; if empty, with "the axis". (indexing.cpp)
NodeRef check_index(NodeRef indices, Dim size, std::string_view what = {}, std::string_view asker = {}, bool optional = false);
NodeRef contiguous(NodeRef source);
NodeRef stop_gradient(NodeRef source);  // returns the same values, without a gradient

/// Returns a node with the same op and attributes over other sources of the same shapes and dtypes. Optimiser passes use it.
NodeRef with_sources(Graph& graph, NodeRef node, std::vector<NodeRef> sources);

/// Broadcasts `source` to `shape`: adds missing axes on the left, then stretches axes of constant size 1.
NodeRef broadcast_to(NodeRef source, const Shape& shape);
/// Converts the axes to 0..rank-1. A repeated axis is Error{kShape}.
std::vector<int> normalize_axes(std::string_view op, std::span<const int> axes, int rank);
/// Returns a / b if it is proven that the division has no remainder for any values of the variables; else nothing.
std::optional<Dim> exact_quotient(Dim a, Dim b);

/// NumPy's broadcast of two shapes; only axes of constant size 1 stretch. Error{kShape} "Cannot broadcast shapes [..] and [..]".
Shape broadcast_shapes(const Shape& a, const Shape& b);
/// Converts an axis in -rank..rank-1 to 0..rank-1. Error{kShape} names op, axis and rank.
int normalize_axis(std::string_view op, int64_t axis, int rank);

}  // namespace harp::build
