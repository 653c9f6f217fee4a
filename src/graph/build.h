// Checked constructors of primitive nodes: shape and dtype inference in one place. Every function throws harp::Error
// with the shapes, dtypes and names of the nodes when the arguments do not fit; the composites (math.cpp, nn.cpp, …) and the
// C API are built on these. Axes may be negative (counted from the end). All sources must be of the same graph.
#pragma once

#include "graph/graph.h"

namespace harp::build {

using NodeRef = const Node*;

NodeRef constant(Graph& graph, Scalar value);
/// An integer without a dtype yet: it takes that of the operand beside it, or is cast. No other operation takes it, nor can it be an
/// output.
NodeRef bare_integer(Graph& graph, WideInt value);
NodeRef constant_array(Graph& graph, DType dtype, Shape shape, std::span<const std::byte> data);
NodeRef arange(Graph& graph, Dim count);  // i32
NodeRef size(Graph& graph, Dim value);    // i64, rank 0

/// What elementwise operands have in common.
struct OperandType {
  DType dtype;
  Shape shape;
};
/// Dtype and shape that an elementwise operation called `op` works on, by the graph's rules (identical dtypes, or promotion;
/// identical shapes or rank 0, or NumPy's rule); throws what elementwise() would. Composites call it first, so that errors
/// carry their own name. Makes no node.
OperandType common_type(std::string_view op, Operands accepted, std::span<const NodeRef> operands);
/// The dtype alone, for operations whose operands have shapes of their own.
DType common_dtype(std::string_view op, Operands accepted, std::span<const NodeRef> operands);

/// Any op of family Elementwise: checks dtypes, brings shapes together (identical; rank 0 broadcasts; NumPy's rule if the
/// graph has the broadcast option) by inserting Reshape and Expand, so that the node's sources all have its shape or rank 0.
NodeRef elementwise(Op op, std::span<const NodeRef> sources);
inline NodeRef elementwise(Op op, std::initializer_list<NodeRef> sources) {
  return elementwise(op, std::span(sources.begin(), sources.size()));
}

NodeRef cast(NodeRef source, DType dtype);     // same dtype: the source itself
NodeRef bitcast(NodeRef source, DType dtype);  // same element size

/// Sum, Prod, ReduceMax, ReduceMin. `order` as docs/semantics.md, "Sums", says; `axes` empty: the source itself.
/// Also fixes `product` for Sum of a float Mul.
NodeRef reduce(Op op, NodeRef source, std::span<const int> axes, bool keepdims);
/// With every attribute given, as the text format and the optimiser need it.
NodeRef reduce_exactly(Op op, NodeRef source, ReduceAttributes attributes);

/// CumSum, CumProd, CumMax, CumMin along one axis; `order` as docs/semantics.md, "Scans", says.
NodeRef scan(Op op, NodeRef source, int axis, bool reverse);
/// With every attribute given.
NodeRef scan_exactly(Op op, NodeRef source, ScanAttributes attributes);

NodeRef permute(NodeRef source, std::span<const int> axes);
NodeRef expand(NodeRef source, Shape shape);   // same rank; only statically-1 axes stretch; Dim(-1) keeps
NodeRef reshape(NodeRef source, Shape shape);  // one Dim(-1) is inferred
/// NumPy's slice of one axis; an absent start or stop is the open end; start and stop clamp as in Python. A constant below 0
/// counts from the end; an expression of shape variables is a position (and clamps), whatever its value.
struct SliceSpec {
  std::optional<Dim> start, stop;
  int64_t step = 1;
};
NodeRef slice(NodeRef source, std::span<const SliceSpec> axes);  // one spec an axis
/// Without clamping: `size` elements from `start`, one entry an axis. What cannot be proven is checked at run time (requirements.h).
NodeRef slice_exactly(NodeRef source, std::span<const Dim> start, std::span<const Dim> size, std::span<const int64_t> step);
/// Specs from which slice() makes exactly this Slice node, if there are any.
std::optional<std::vector<SliceSpec>> as_slice_specs(NodeRef slice_node);
NodeRef pad(NodeRef source, std::span<const Dim> before, std::span<const Dim> after, Scalar value);
NodeRef unfold(NodeRef source, int axis, Dim size, int64_t stride, int64_t dilation);
NodeRef concat(std::span<const NodeRef> sources, int axis);
/// result[…, i, …] = x[…, indices[…, i, …], …]: indices have x's shape but for `axis`, and give the result theirs. Negative ones count from
/// the end, what is still out of range is the nearest element. (indexing.cpp)
NodeRef take_along_axis(NodeRef x, NodeRef indices, int axis);
/// x, in which updates[…, i, …] takes the place of element […, indices[…, i, …], …] (scatter), is added to it, multiplies it, or stays if
/// it is greater or less (the others), i going up: indices and updates have x's shape but for `axis`. Indices as above; along an axis
/// without elements nothing changes. Narrow dtypes are combined in what they compute in. (scatter.cpp)
NodeRef scatter(NodeRef x, NodeRef indices, NodeRef updates, int axis);
NodeRef scatter_add(NodeRef x, NodeRef indices, NodeRef updates, int axis);
NodeRef scatter_mul(NodeRef x, NodeRef indices, NodeRef updates, int axis);
NodeRef scatter_max(NodeRef x, NodeRef indices, NodeRef updates, int axis);
NodeRef scatter_min(NodeRef x, NodeRef indices, NodeRef updates, int axis);
/// The integers themselves, of which each has to name an element of an axis of this size, from its start or (negative) from its end: a run
/// in which one does not is Error{kRange}. `what`: how its message begins, "axis 0 of x"; empty: any axis. (indexing.cpp)
NodeRef check_index(NodeRef indices, Dim size, std::string_view what = {}, std::string_view asker = {}, bool optional = false);
NodeRef contiguous(NodeRef source);
NodeRef stop_gradient(NodeRef source);  // the same values, which no gradient passes

/// The same op and attributes over other sources (same shapes and dtypes as before): what an optimiser pass needs.
NodeRef with_sources(Graph& graph, NodeRef node, std::vector<NodeRef> sources);

/// `source` as an array of `shape`: missing axes on the left, then statically-1 axes stretch.
NodeRef broadcast_to(NodeRef source, const Shape& shape);
/// Axes made 0..rank-1; two that are the same are Error{kShape}.
std::vector<int> normalize_axes(std::string_view op, std::span<const int> axes, int rank);
/// a / b if that is an expression without remainder for all values of the variables.
std::optional<Dim> exact_quotient(Dim a, Dim b);

/// NumPy's broadcast of two shapes; only a statically-1 axis stretches. Error{kShape} "Cannot broadcast shapes [..] and [..]".
Shape broadcast_shapes(const Shape& a, const Shape& b);
/// -rank..rank-1 to 0..rank-1, or Error{kShape} naming op, axis and rank.
int normalize_axis(std::string_view op, int64_t axis, int rank);

}  // namespace harp::build
