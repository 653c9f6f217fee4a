// Declares checked constructors of primitive nodes, with shape and dtype inference. If the arguments do not fit, they throw harp::Error
// with the shapes, dtypes and names of the nodes. The composites (math.cpp, nn.cpp, …) and the C API are built on them. Axes may be
// negative (counted from the end). All sources must belong to the same graph.
#pragma once

#include "graph/graph.h"

namespace harp::build {

using NodeRef = const Node*;

NodeRef constant(Graph& graph, Scalar value);
/// An integer constant that has no dtype yet. An operation converts it to the dtype of its other operands; as an index it becomes an i64;
/// cast() converts it to a stated dtype. Any other use is an error, for example as an output.
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
/// identical shapes, rank 0, or NumPy broadcasting). It throws the same errors as elementwise(), and makes no node. A composite calls it
/// first, so that these errors name the composite instead of one of its primitives.
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

NodeRef cast(NodeRef source, DType dtype);     // returns the source itself if it has this dtype
NodeRef bitcast(NodeRef source, DType dtype);  // requires a dtype with the same element size

/// Builds a reduction: `op` is Sum, Prod, ReduceMax or ReduceMin. docs/semantics.md, "Sums", defines how its order is chosen. If `axes` is
/// empty, returns the source itself. Sets the attribute `product` for a Sum whose source is a Mul of floats.
NodeRef reduce(Op op, NodeRef source, std::span<const int> axes, bool keepdims);
/// Builds a reduction with exactly these attributes. The text format and the optimiser use it.
NodeRef reduce_exactly(Op op, NodeRef source, ReduceAttributes attributes);

/// Builds a scan along one axis: `op` is CumSum, CumProd, CumMax or CumMin. docs/semantics.md, "Scans", defines how its order is chosen.
NodeRef scan(Op op, NodeRef source, int axis, bool reverse);
/// Builds a scan with exactly these attributes.
NodeRef scan_exactly(Op op, NodeRef source, ScanAttributes attributes);

NodeRef permute(NodeRef source, std::span<const int> axes);
/// Repeats `source` along axes of constant size 1, so that it has this shape. The rank must not change. Dim(-1) keeps the size of an axis.
NodeRef expand(NodeRef source, Shape shape);
NodeRef reshape(NodeRef source, Shape shape);  // one size may be Dim(-1); it is computed from the others
/// NumPy's slice of one axis. Without a start or stop, the slice extends to that end of the axis. Start and stop are clamped to the axis as
/// in Python. A negative constant counts from the end; an expression of shape variables never does, even if its value is negative.
struct SliceSpec {
  std::optional<Dim> start, stop;
  int64_t step = 1;
};
NodeRef slice(NodeRef source, std::span<const SliceSpec> axes);  // one spec per axis
/// Takes size[i] elements along each axis i: the element at position start[i], and then every step[i]-th element. Nothing is clamped to the
/// axis. Bounds that cannot be proven are checked at run time (requirements.h).
NodeRef slice_exactly(NodeRef source, std::span<const Dim> start, std::span<const Dim> size, std::span<const int64_t> step);
/// Returns the start, stop and step of each axis with which slice() makes exactly this Slice node, or nothing if there are none.
std::optional<std::vector<SliceSpec>> as_slice_specs(NodeRef slice_node);
NodeRef pad(NodeRef source, std::span<const Dim> before, std::span<const Dim> after, Scalar value);
NodeRef unfold(NodeRef source, int axis, Dim size, int64_t stride, int64_t dilation);
NodeRef concat(std::span<const NodeRef> sources, int axis);
/// Gathers: result[…, i, …] = x[…, indices[…, i, …], …]. `indices` has x's shape except along `axis`, and the result has the shape of
/// `indices`. A negative index counts from the end; an index that is still out of range is clamped to the nearest element. (indexing.cpp)
NodeRef take_along_axis(NodeRef x, NodeRef indices, int axis);
/// Applies updates to x in ascending i: updates[…, i, …] replaces element […, indices[…, i, …], …] (scatter), is added to it (scatter_add),
/// multiplies it (scatter_mul), or replaces it if greater or less (scatter_max, scatter_min). `indices` and `updates` have x's shape except
/// along `axis`. Indices work as in take_along_axis; if the axis has no elements, nothing changes. Elements of a narrow dtype such as f16
/// are converted to the working dtype (f32) before they are combined. (scatter.cpp)
NodeRef scatter(NodeRef x, NodeRef indices, NodeRef updates, int axis);
NodeRef scatter_add(NodeRef x, NodeRef indices, NodeRef updates, int axis);
NodeRef scatter_mul(NodeRef x, NodeRef indices, NodeRef updates, int axis);
NodeRef scatter_max(NodeRef x, NodeRef indices, NodeRef updates, int axis);
NodeRef scatter_min(NodeRef x, NodeRef indices, NodeRef updates, int axis);
/// Returns the indices unchanged, with a check at run time. Each index must be valid for an axis of this size; a negative index counts from
/// the end. An invalid index makes the run fail with Error{kRange}, whose message begins with `what`, for example "axis 0 of x" ("the axis"
/// if `what` is empty). `asker` names the array that contains the index; an `optional` check is enforced only with the compile option
/// check_indices. (indexing.cpp)
NodeRef check_index(NodeRef indices, Dim size, std::string_view what = {}, std::string_view asker = {}, bool optional = false);
NodeRef contiguous(NodeRef source);
NodeRef stop_gradient(NodeRef source);  // returns the same values, without a gradient

/// Returns a node with the same op and attributes as `node` but other sources, which have the same shapes and dtypes. Optimiser passes use
/// it.
NodeRef with_sources(Graph& graph, NodeRef node, std::vector<NodeRef> sources);

/// Broadcasts `source` to `shape`: adds missing axes on the left, then stretches axes of constant size 1.
NodeRef broadcast_to(NodeRef source, const Shape& shape);
/// Converts the axes to 0..rank-1. Throws Error{kShape} if an axis is repeated.
std::vector<int> normalize_axes(std::string_view op, std::span<const int> axes, int rank);
/// Returns a / b if the division is proven to have no remainder, whatever the values of the shape variables; else nothing.
std::optional<Dim> exact_quotient(Dim a, Dim b);

/// Returns NumPy's broadcast of two shapes; only axes of constant size 1 are repeated. Throws Error{kShape} "Cannot broadcast shapes [..]
/// and [..]".
Shape broadcast_shapes(const Shape& a, const Shape& b);
/// Converts an axis in -rank..rank-1 to 0..rank-1. Throws Error{kShape} with op, axis and rank if it is not in this range.
int normalize_axis(std::string_view op, int64_t axis, int rank);

}  // namespace harp::build
