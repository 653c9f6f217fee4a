// Operations that the host defines: each function reads its arguments and calls the graph's constructor of the same name.
#include <cstddef>

#include "capi/building.h"
#include "capi/structs.h"
#include "graph/body.h"
#include "graph/native.h"

using namespace harp;
using namespace harp::capi;

namespace {

std::string_view text_argument(const char* op, const char* what, const char* text) {
  HARP_CHECK(text != nullptr, Code::kInvalidArgument, op, ": the ", what, " is NULL");
  return text;
}

}  // namespace

harp_node* harp_custom_elementwise(int32_t n, harp_node* const* nodes, const char* expr) {
  constexpr const char* op = "custom_elementwise";
  return build_from_list(op, n, nodes, [&](std::span<const NodeRef> inputs) {
    return build::custom_elementwise(inputs, text_argument(op, "expression", expr));
  });
}

harp_node* harp_custom_reduce(int32_t n, harp_node* const* nodes, const char* expr, const char* combine, int32_t n_axes,
                              const int32_t* axes, int32_t keepdims) {
  constexpr const char* op = "custom_reduce";
  return build_from_list(op, n, nodes, [&](std::span<const NodeRef> inputs) {
    return build::custom_reduce(inputs, text_argument(op, "expression", expr), text_argument(op, "op", combine),
                                optional_axes_argument(op, n_axes, axes), keepdims != 0);
  });
}

harp_node* harp_custom_cumulative(int32_t n, harp_node* const* nodes, const char* expr, const char* combine, int32_t axis, uint32_t flags) {
  constexpr const char* op = "custom_cumulative";
  return build_from_list(op, n, nodes, [&](std::span<const NodeRef> inputs) {
    const ScanFlags given = scan_flags_argument(op, flags);
    return build::custom_cumulative(inputs, text_argument(op, "expression", expr), text_argument(op, "op", combine),
                                    optional_axis_argument(axis), given.exclusive, given.reverse);
  });
}

namespace {

template <class Desc>

/// Returns the field `graph` of the description, which is needed if there are no inputs; NULL if the struct comes from an older harp.h,
/// which lacks this field.
harp_graph* graph_of(const Desc* desc) {
  return desc != nullptr && desc->struct_size >= offsetof(Desc, graph) + sizeof(desc->graph) ? desc->graph : nullptr;
}

/// Reads the description of a custom function whose inputs belong to `graph`.
harp_custom_function_desc read_desc(const char* op, const harp_custom_function_desc* desc, const harp_graph& graph) {
  HARP_CHECK(desc != nullptr, Code::kInvalidArgument, op, ": desc is NULL");
  const harp_custom_function_desc given =
      read_options(desc, HARP_CUSTOM_FUNCTION_DESC_INIT, "harp_custom_function_desc", offsetof(harp_custom_function_desc, graph));
  HARP_CHECK(given.graph == nullptr || given.graph == &graph, Code::kInvalidArgument, op, ": desc.graph is not the graph of the inputs");
  return given;
}

/// Makes the results of a custom function. `dtypes` has the dtype of each result; the dtype in the description is ignored.
std::vector<NodeRef> custom_function(const char* op, const harp_custom_function_desc& desc, const harp_graph& graph,
                                     std::span<const NodeRef> inputs, std::span<const DType> dtypes) {
  const std::string_view body = text_argument(op, "body", desc.body);
  return build::custom_function(*graph.graph, inputs, body, dtypes, sizes_argument(op, graph, desc.rank, desc.dims));
}

}  // namespace

harp_node* harp_custom_function(int32_t n, harp_node* const* nodes, const harp_custom_function_desc* desc) {
  constexpr const char* op = "custom_function";
  const auto make = [&](const harp_graph& graph, std::span<const NodeRef> inputs) {
    const harp_custom_function_desc given = read_desc(op, desc, graph);
    const DType dtypes[] = {dtype_argument(op, given.dtype)};
    return custom_function(op, given, graph, inputs, dtypes)[0];
  };
  if (n == 0) return build_in(op, graph_of(desc), [&](Graph&) { return make(*desc->graph, {}); });
  return build_from_list(
      op, n, nodes, [&](std::span<const NodeRef> inputs) { return make(*nodes[0]->graph, inputs); }, graph_of(desc));
}

harp_status harp_custom_function_results(int32_t n, harp_node* const* nodes, const harp_custom_function_desc* desc, int32_t n_results,
                                         const harp_dtype* dtypes, harp_node** results) {
  constexpr const char* op = "custom_function_results";
  const std::span<harp_node* const> handles(nodes, n > 0 && nodes != nullptr ? static_cast<size_t>(n) : 0);
  harp_graph* graph = handles.empty() ? graph_of(desc) : common_graph(op, handles, graph_of(desc));
  if (graph == nullptr) return HARP_ERROR_INVALID_ARGUMENT;
  return build_results(op, graph, results, [&] {
    HARP_CHECK(n >= 0 && (n == 0 || nodes != nullptr), Code::kInvalidArgument, op, ": expected a list of nodes, got ",
               nodes != nullptr ? cat("a list of length ", n) : std::string("NULL"));
    HARP_CHECK(n_results > 0 && dtypes != nullptr, Code::kInvalidArgument, op, ": expected a list of dtypes, got ",
               dtypes != nullptr ? cat("a list of length ", n_results) : std::string("NULL"));
    const harp_custom_function_desc given = read_desc(op, desc, *graph);
    std::vector<DType> made;
    for (const harp_dtype dtype : std::span(dtypes, static_cast<size_t>(n_results))) made.push_back(dtype_argument(op, dtype));
    return custom_function(op, given, *graph, nodes_of(handles), made);
  });
}

harp_node* harp_native(int32_t n, harp_node* const* nodes, const harp_native_desc* desc) {
  constexpr const char* op = "native";
  const auto make = [&](const harp_graph& graph, std::span<const NodeRef> inputs) {
    HARP_CHECK(graph.context->native_ops, Code::kUnsupported, op, ": native operations are switched off (harp_context_options.native_ops)");
    HARP_CHECK(desc != nullptr, Code::kInvalidArgument, op, ": desc is NULL");
    const harp_native_desc given = read_options(desc, HARP_NATIVE_DESC_INIT, "harp_native_desc", offsetof(harp_native_desc, graph));
    HARP_CHECK(given.graph == nullptr || given.graph == &graph, Code::kInvalidArgument, op, ": desc.graph is not the graph of the inputs");
    const std::string_view name = text_argument(op, "name", given.name), signature = text_argument(op, "signature", given.signature);
    return build::native(
        *graph.graph, inputs,
        {name, given.function, given.user, signature, dtype_argument(op, given.dtype), sizes_argument(op, graph, given.rank, given.dims)});
  };
  if (n == 0) return build_in(op, graph_of(desc), [&](Graph&) { return make(*desc->graph, {}); });
  return build_from_list(
      op, n, nodes, [&](std::span<const NodeRef> inputs) { return make(*nodes[0]->graph, inputs); }, graph_of(desc));
}
