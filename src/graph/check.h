// Declares the checks that all constructors of nodes share, and the wording of the messages of these checks. `op` is the operation that the
// user called (the name of a composite, not of the primitive that implements it).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace harp {

/// The dtypes that arrays may have, as messages list them: "bool, i8, u8, …".
std::string dtype_names();
/// Returns advice for a user whose operation does not accept this dtype: "; cast it first" or something more specific. The caller appends
/// the advice to the error message.
std::string dtype_advice(std::string_view op, Operands accepted, DType dtype);
/// Throws Error{kDType} unless an array may have this dtype.
void check_dtype(std::string_view op, DType dtype);

/// Checks that an expression belongs to this graph and is not too large; expressions of sizes can double in length with every operation.
/// `what` names the expression in the message: "the size of axis 2".
void check_expression(std::string_view op, const Graph& graph, Dim dim, std::string_view what);

/// Checks a size or an amount: check_expression() must accept it, and it must be >= 0 for some values of the shape variables. If it is
/// negative for other values, a run with these values fails (requirements.h).
void check_dim(std::string_view op, const Graph& graph, Dim dim, std::string_view what);

/// Checks the rank, every dimension, and that the number of bytes can fit 64 bits.
void check_shape(std::string_view op, const Graph& graph, DType dtype, const Shape& shape);

inline constexpr uint32_t kMaxDimWeight = 1000;  // limit for the number of terms and factors of a dimension expression

/// Checks that no node is null and that all belong to one graph. Returns that graph as non-const, so that the caller can make new nodes in
/// it. The dtypes of the nodes may be unknown.
Graph& check_nodes(std::string_view op, std::span<const Node* const> nodes);
/// Checks one node like check_nodes(), and also that its dtype is known.
Graph& check_node(std::string_view op, const Node* node);

/// How messages name operands: `node "h"` or `nodes "h" and node 12`.
std::string label(const Node* node);
std::string labels(std::span<const Node* const> nodes);
/// Shapes for a message: `[n, 64] and [32]`.
std::string shapes_of(std::span<const Node* const> nodes);
/// Dtypes for a message: `f32 and i32`.
std::string dtypes_of(std::span<const Node* const> nodes);

}  // namespace harp
