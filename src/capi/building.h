// Contains wrappers for the functions of harp.h that build graphs. These functions have no parameter `err`: their errors are stored in the
// graph (harp.h, section 4). A graph that stores an error is called "marked".
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

#include "capi/handles.h"
#include "graph/called_as.h"
#include "graph/composites.h"

namespace harp::capi {

using build::NodeRef;

/// Marks the graph with the exception that is being handled. Call it only inside a catch block.
void mark_in_flight(harp_graph* graph) noexcept;

/// Runs body(), which may create nodes. If it throws, removes the nodes it created and marks the graph with the exception.
template <class Body>
void build_or_mark(harp_graph* graph, Body&& body) noexcept {
  const FloatEnvironment environment;
  const size_t nodes = graph->graph->nodes().size();
  try {
    body();
  } catch (...) {
    mark_in_flight(graph);
    graph->roll_back(nodes);
  }
}

/// Runs body(Graph&) to make a node, and returns the node's handle. Returns NULL if the graph is NULL or already marked. If body() throws,
/// marks the graph and returns NULL.
template <class Body>
harp_node* build_in(harp_graph* graph, Body&& body) noexcept {
  if (graph == nullptr || graph->error != nullptr) return nullptr;
  harp_node* node = nullptr;
  build_or_mark(graph, [&] { node = graph->wrap(body(*graph->graph)); });
  return node;
}

/// Runs body(), which changes the graph; does nothing if the graph already stores an error (is marked). Returns the status code of the
/// graph's error, or HARP_OK if it has none.
template <class Body>
harp_status change_graph(harp_graph* graph, Body&& body) noexcept {
  if (graph == nullptr) return HARP_ERROR_INVALID_ARGUMENT;
  if (graph->error == nullptr) build_or_mark(graph, body);
  return harp_error_code(graph->error);
}

/// Like build_in(graph, body), for the operation `op`: error messages name `op`, even if `op` consists of several operations and one of
/// these fails.
template <class Body>
harp_node* build_in(const char* op, harp_graph* graph, Body&& body) noexcept {
  return build_in(graph, [&](Graph& g) { return called_as(op, [&] { return body(g); }); });
}

/// Returns the graph that all operands belong to. If an operand is NULL or the graphs differ, marks the operands' graphs and returns NULL.
/// If the graph is already marked, returns NULL. `named` is the graph that the caller passes in addition to the operands, or NULL. If all
/// operands are NULL, only `named` can be marked.
harp_graph* common_graph(const char* op, std::span<harp_node* const> operands, harp_graph* named = nullptr) noexcept;

/// Runs body() to make a node in the graph of the operands, and returns the node's handle. Returns NULL after an error, as build_in() and
/// common_graph() do.
template <class Body>
harp_node* build_from(const char* op, std::initializer_list<harp_node*> operands, Body&& body) noexcept {
  return build_in(op, common_graph(op, std::span(operands.begin(), operands.size())), [&](Graph&) { return body(); });
}

/// Like build_from(). In addition, operands in `optional` may be NULL, which means "not given".
template <class Body>
harp_node* build_from_optional(const char* op, std::initializer_list<harp_node*> operands, std::initializer_list<harp_node*> optional,
                               Body&& body) noexcept {
  std::array<harp_node*, 8> given;
  size_t count = 0;
  for (harp_node* operand : operands) given[count++] = operand;
  for (harp_node* operand : optional)
    if (operand != nullptr) given[count++] = operand;
  return build_in(op, common_graph(op, std::span(given).first(count)), [&](Graph&) { return body(); });
}
inline NodeRef node_or_null(const harp_node* node) { return node != nullptr ? node->node : nullptr; }

/// Returns the nodes that the handles in an array refer to.
std::vector<NodeRef> nodes_of(std::span<harp_node* const> handles);

/// Runs body(nodes) on an array of operands and returns a handle of the node that it returns. If the array is NULL or its count is not
/// positive, records the error in `named`, the graph that the caller named (see common_graph()), and returns NULL.
template <class Body>
harp_node* build_from_list(const char* op, int32_t n, harp_node* const* nodes, Body&& body, harp_graph* named = nullptr) noexcept {
  if (n <= 0 || nodes == nullptr)
    return build_in(named, [&](Graph&) -> NodeRef {
      fail(Code::kInvalidArgument, op, ": expected a list of nodes, got ",
           nodes != nullptr ? cat("a list of length ", n) : std::string("NULL"));
    });
  const std::span<harp_node* const> handles(nodes, static_cast<size_t>(n));
  return build_in(op, common_graph(op, handles, named), [&](Graph&) { return body(std::span<const NodeRef>(nodes_of(handles))); });
}

/// Runs body(), which returns a vector of nodes, and writes their handles to `results` only after all nodes have been created. Returns the
/// status code of the graph's error, or HARP_OK if the graph has none.
template <class Body>
harp_status build_results(const char* op, harp_graph* graph, harp_node** results, Body&& body) noexcept {
  return change_graph(graph, [&] {
    HARP_CHECK(results != nullptr, Code::kInvalidArgument, op, ": the array of results is NULL");
    std::vector<harp_node*> handles;
    for (const NodeRef node : called_as(op, body)) handles.push_back(graph->wrap(node));
    std::copy(handles.begin(), handles.end(), results);
  });
}

/// Runs body(), which creates two nodes from x, and writes their handles to *values and *indices. One of these two pointers may be NULL.
/// Returns the status code of the graph's error, or HARP_OK if the graph has none.
template <class Body>
harp_status build_pair(const char* op, harp_node* x, harp_node** values, harp_node** indices, Body&& body) noexcept {
  if (x == nullptr) return HARP_ERROR_INVALID_ARGUMENT;
  return change_graph(x->graph, [&] {
    HARP_CHECK(values != nullptr || indices != nullptr, Code::kInvalidArgument, op, ": values and indices are both NULL");
    const std::vector<NodeRef> made = called_as(op, body);
    harp_node* const handles[] = {x->graph->wrap(made[0]), x->graph->wrap(made[1])};
    if (values != nullptr) *values = handles[0];
    if (indices != nullptr) *indices = handles[1];
  });
}

/// axes_argument, optional_axes_argument and sizes_argument check a list: its count is in range, and its pointer is not NULL unless the
/// count is 0. Otherwise they throw Error{kInvalidArgument} or Error{kShape} naming `op`.
std::span<const int32_t> axes_argument(const char* op, int32_t n, const int32_t* axes);
/// Like axes_argument(), but if `axes` is NULL, returns std::nullopt, which means all axes.
build::Axes optional_axes_argument(const char* op, int32_t n, const int32_t* axes);
/// Converts an axis of harp.h. HARP_AXIS_NONE is converted to std::nullopt, which means no axis.
inline std::optional<int> optional_axis_argument(int32_t axis) { return axis != HARP_AXIS_NONE ? std::optional<int>(axis) : std::nullopt; }
/// The caller's HARP_SCAN_... flags as booleans.
struct ScanFlags {
  bool exclusive, reverse;
};
ScanFlags scan_flags_argument(const char* op, uint32_t flags);
Shape sizes_argument(const char* op, const harp_graph& graph, int32_t n, const harp_dim* sizes);
/// Converts a harp_dtype. Throws Error{kDType} unless arrays of a graph can have this dtype.
DType dtype_argument(const char* op, harp_dtype dtype);

/// Converts a number to a constant of this dtype. Throws Error{kRange} if the dtype cannot represent the number.
Scalar scalar_argument(const char* op, DType dtype, double value);

}  // namespace harp::capi
