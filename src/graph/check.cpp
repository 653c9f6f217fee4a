// Implements the checks that the constructors of nodes share; see check.h.
#include "graph/check.h"

#include <algorithm>

#include "base/error.h"

namespace harp {

std::string dtype_names() {
  std::string names;
  for (const DTypeInfo& dtype : kDTypes)
    if (dtype.in_graph) append(names, cat(names.empty() ? "" : ", ", dtype.name));
  return names;
}

std::string dtype_advice(std::string_view op, Operands accepted, DType dtype) {
  if (op == name(Op::kDiv) && !is_complex(dtype)) return "; use floor_divide for whole numbers, or cast to f32 or f64 first";
  if (is_complex(dtype))
    return accepted == Operands::kOrdered ? "; complex numbers have no order: take real(), imag() or abs() of it"
                                          : "; take real(), imag() or abs() of it";
  if (accepted == Operands::kFloat || accepted == Operands::kField || accepted == Operands::kPart) return "; cast to f32 or f64 first";
  if (accepted == Operands::kComplex) return "; make it one of two floats, complex_from_parts(re, im)";
  if (is_bool(dtype)) return "; cast it first, for example to i32";
  return "; cast it first";
}

void check_dtype(std::string_view op, DType dtype) {
  HARP_CHECK(dtype != DType::kUnknown && static_cast<int>(dtype) < kDTypeCount, Code::kDType, op, ": the dtype is not known; use one of ",
             dtype_names());
}

void check_expression(std::string_view op, const Graph& graph, Dim dim, std::string_view what) {
  if (dim.is_constant()) return;
  HARP_CHECK(dim.node()->table == &graph.dims(), Code::kInvalidArgument, op, ": ", what, " uses shape variables of another graph");
  HARP_CHECK(dim.node()->weight <= kMaxDimWeight, Code::kOverflow, op, ": ", what, " is too long an expression; at most ", kMaxDimWeight,
             " terms and factors are allowed");
}

void check_dim(std::string_view op, const Graph& graph, Dim dim, std::string_view what) {
  if (dim.is_constant()) {
    HARP_CHECK(dim.constant() >= 0, Code::kRange, op, ": ", what, " is ", dim.constant(), ", which is negative");
    return;
  }
  check_expression(op, graph, dim, what);
  HARP_CHECK(range(dim).hi >= 0, Code::kRange, op, ": ", what, " is ", to_string(dim), ", which is negative for all sizes (at most ",
             range(dim).hi, ")");
}

void check_shape(std::string_view op, const Graph& graph, DType dtype, const Shape& shape) {
  HARP_CHECK(shape.size() <= static_cast<size_t>(kMaxRank), Code::kShape, op, ": the result would have ", shape.size(), " axes; at most ",
             kMaxRank, " are allowed");
  int64_t bytes = static_cast<int64_t>(size_of(dtype));
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (!shape[axis].is_constant() || shape[axis].constant() < 0) check_dim(op, graph, shape[axis], cat("the size of axis ", axis));
    // Each axis counts with its smallest possible size, so an array is rejected only if it is too large for all values of the shape
    // variables. An empty axis counts as 1, because strides are products of the other axes' sizes and must fit 64 bits too.
    const int64_t least = std::max<int64_t>(1, range(shape[axis]).lo);
    HARP_CHECK(!__builtin_mul_overflow(bytes, least, &bytes), Code::kOverflow, op, ": an array ", name(dtype), to_string(shape),
               " has more bytes than 64 bits can count");
  }
}

Graph& check_nodes(std::string_view op, std::span<const Node* const> nodes) {
  HARP_CHECK(!nodes.empty(), Code::kInvalidArgument, op, ": expected at least one operand, got none");
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node* node = nodes[i];
    HARP_CHECK(node != nullptr, Code::kInvalidArgument, op, ": operand ", i, " of ", nodes.size(), " is missing (it is null)");
    HARP_CHECK(node->graph == nodes[0]->graph, Code::kInvalidArgument, op, ": ", labels(nodes), " belong to different graphs (\"",
               nodes[0]->graph->name(), "\" and \"", node->graph->name(), "\")");
  }
  // The const_cast is safe: nodes refer to their graph as const only so that code that inspects nodes does not change the graph, and a
  // caller that builds nodes may change it.
  return const_cast<Graph&>(*nodes[0]->graph);
}

Graph& check_node(std::string_view op, const Node* node) {
  Graph& graph = check_nodes(op, std::span(&node, 1));
  HARP_CHECK(node->dtype != DType::kUnknown, Code::kDType, op, ": the dtype of ", label(node),
             " is not known; give the number a dtype, or combine it with an operand that has one");
  return graph;
}

std::string label(const Node* node) {
  const std::string_view name = node->graph->node_name(node);
  return name.empty() ? cat(harp::name(node->op), " #", node->id) : cat("\"", name, "\"");
}

namespace {

template <class Print>
std::string listed(std::span<const Node* const> nodes, Print print) {
  std::string out;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (i == 8 && nodes.size() > 9) return cat(out, " and ", nodes.size() - 8, " more");
    if (i > 0) out += i + 1 == nodes.size() ? " and " : ", ";
    out += print(nodes[i]);
  }
  return out;
}

}  // namespace

std::string labels(std::span<const Node* const> nodes) { return cat(nodes.size() == 1 ? "node " : "nodes ", listed(nodes, label)); }
std::string shapes_of(std::span<const Node* const> nodes) {
  return listed(nodes, [](const Node* n) { return to_string(n->shape); });
}
std::string dtypes_of(std::span<const Node* const> nodes) {
  return listed(nodes, [](const Node* n) { return std::string(name(n->dtype)); });
}

}  // namespace harp
