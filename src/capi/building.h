// The guard of functions that build graphs: they have no `err`; what goes wrong sticks to the graph (harp.h, section 4).
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

/// Marks the graph with the exception in flight.
void mark_in_flight(harp_graph* graph) noexcept;

/// Runs body(), which may make nodes; if it throws, they are forgotten, and the graph is marked with the exception.
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

/// Runs body(Graph&) -> NodeRef on a graph; NULL if the graph is NULL, has a mistake, or gets one.
template <class Body>
harp_node* build_in(harp_graph* graph, Body&& body) noexcept {
  if (graph == nullptr || graph->error != nullptr) return nullptr;
  harp_node* node = nullptr;
  build_or_mark(graph, [&] { node = graph->wrap(body(*graph->graph)); });
  return node;
}

/// Runs body() for its effect on the operand's graph; gives the mistake's code.
template <class Body>
harp_status change_graph(harp_graph* graph, Body&& body) noexcept {
  if (graph == nullptr) return HARP_ERROR_INVALID_ARGUMENT;
  if (graph->error == nullptr) build_or_mark(graph, body);
  return harp_error_code(graph->error);
}

/// build_in() for the operation `op`: errors name it, whatever it is made of.
template <class Body>
harp_node* build_in(const char* op, harp_graph* graph, Body&& body) noexcept {
  return build_in(graph, [&](Graph& g) { return called_as(op, [&] { return body(g); }); });
}

/// The graph all operands belong to. NULL, with the graphs marked, if one is NULL or they differ; NULL too if the graph has a mistake.
harp_graph* common_graph(const char* op, std::span<harp_node* const> operands) noexcept;

/// Runs body() -> NodeRef, which uses the operands' nodes.
template <class Body>
harp_node* build_from(const char* op, std::initializer_list<harp_node*> operands, Body&& body) noexcept {
  return build_in(op, common_graph(op, std::span(operands.begin(), operands.size())), [&](Graph&) { return body(); });
}

/// The same where some operands may be NULL: they were not given.
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

/// Nodes of an array of handles.
std::vector<NodeRef> nodes_of(std::span<harp_node* const> handles);

/// Runs body(nodes) -> NodeRef on an array of operands; NULL if there is none.
template <class Body>
harp_node* build_from_list(const char* op, int32_t n, harp_node* const* nodes, Body&& body) noexcept {
  if (n <= 0 || nodes == nullptr) return nullptr;
  const std::span<harp_node* const> handles(nodes, static_cast<size_t>(n));
  return build_in(op, common_graph(op, handles), [&](Graph&) { return body(std::span<const NodeRef>(nodes_of(handles))); });
}

/// Writes handles of all nodes that body() gives, once they are made.
template <class Body>
harp_status build_results(const char* op, harp_graph* graph, harp_node** results, Body&& body) noexcept {
  return change_graph(graph, [&] {
    HARP_CHECK(results != nullptr, Code::kInvalidArgument, op, ": the array of results is NULL");
    std::vector<harp_node*> handles;
    for (const NodeRef node : called_as(op, body)) handles.push_back(graph->wrap(node));
    std::copy(handles.begin(), handles.end(), results);
  });
}

/// Writes handles of the two nodes that body() makes of x, where each is wanted.
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

/// Array arguments: a count that makes sense, and an array where there is something to read. Error{kInvalidArgument, kShape} naming op.
std::span<const int32_t> axes_argument(const char* op, int32_t n, const int32_t* axes);
/// axes NULL: all axes.
build::Axes optional_axes_argument(const char* op, int32_t n, const int32_t* axes);
/// HARP_AXIS_NONE: none.
inline std::optional<int> optional_axis_argument(int32_t axis) { return axis != HARP_AXIS_NONE ? std::optional<int>(axis) : std::nullopt; }
/// HARP_SCAN_... joined with |.
struct ScanFlags {
  bool exclusive, reverse;
};
ScanFlags scan_flags_argument(const char* op, uint32_t flags);
Shape sizes_argument(const char* op, const harp_graph& graph, int32_t n, const harp_dim* sizes);
/// A dtype's number as a dtype of graphs.
DType dtype_argument(const char* op, harp_dtype dtype);

/// A number as a constant; Error{kRange} if the dtype cannot hold it.
Scalar scalar_argument(const char* op, DType dtype, double value);

}  // namespace harp::capi
