// Checks that every constructor of nodes shares, and the words of their messages. `op` is the operation as the user called it
// (a composite's name, not the primitive's that stands behind it).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace harp {

/// The dtypes that arrays may have, as messages list them: "bool, i8, u8, …".
std::string dtype_names();
/// What to do instead where `op` accepts these and got this dtype: "; cast it first" or better. Follows the message.
std::string dtype_advice(std::string_view op, Operands accepted, DType dtype);
/// Error{kDType} unless arrays may have the dtype.
void check_dtype(std::string_view op, DType dtype);

/// An expression of this graph, small enough to be worked with (sizes that grow from operation to operation can double each time).
/// `what` names it in the message: "the size of axis 2".
void check_expression(std::string_view op, const Graph& graph, Dim dim, std::string_view what);

/// One size or amount: such an expression, and able to be >= 0 (what only some values of the shape variables allow is checked at
/// run time, see requirements.h).
void check_dim(std::string_view op, const Graph& graph, Dim dim, std::string_view what);

/// Rank, every dimension, and that the byte count can fit 64 bits.
void check_shape(std::string_view op, const Graph& graph, DType dtype, const Shape& shape);

inline constexpr uint32_t kMostDimWeight = 1000;  // atoms and terms of a written-out dimension expression

/// All nodes given, all of one graph; returns that graph (nodes are made in it). Their dtypes may be unknown.
Graph& check_nodes(std::string_view op, std::span<const Node* const> nodes);
/// One node, whose dtype has to be known.
Graph& check_node(std::string_view op, const Node* node);

/// `node "h"` or `nodes "h" and node 12`: how messages name operands.
std::string label(const Node* node);
std::string labels(std::span<const Node* const> nodes);
/// `[n, 64] and [32]`
std::string shapes_of(std::span<const Node* const> nodes);
/// `f32 and i32`
std::string dtypes_of(std::span<const Node* const> nodes);

}  // namespace harp
