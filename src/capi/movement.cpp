// The C functions for views, joins, gathers, scatters and copies: each converts its arguments and calls the graph's constructor of the same
// name.
#include <functional>

#include "capi/building.h"

using namespace harp;
using namespace harp::capi;

namespace {

/// Sets one of the bounds (start or stop) of a slice on every axis. A NULL list, or an entry HARP_SLICE_NONE, leaves the bound open.
void set_bounds(const harp_graph& graph, const harp_dim* bounds, std::optional<Dim> build::SliceSpec::*member,
                std::vector<build::SliceSpec>& specs) {
  if (bounds == nullptr) return;
  for (size_t i = 0; i < specs.size(); ++i)
    if (bounds[i] != HARP_SLICE_NONE) specs[i].*member = graph.dims.decode(bounds[i]);
}

harp_node* join_nodes(const char* op, int32_t n, harp_node* const* nodes, int32_t axis,
                      NodeRef (*function)(std::span<const NodeRef>, int)) noexcept {
  return build_from_list(op, n, nodes, [&](std::span<const NodeRef> operands) { return function(operands, axis); });
}

harp_status split_into(const char* op, harp_node* x, harp_node** parts, const std::function<build::Sections()>& sections,
                       int32_t axis) noexcept {
  if (x == nullptr) return HARP_ERROR_INVALID_ARGUMENT;
  return build_results(op, x->graph, parts, [&] { return build::split(x->node, sections(), axis); });
}

}  // namespace

harp_node* harp_permute(harp_node* x, int32_t n_axes, const int32_t* axes) {
  return build_from("permute", {x}, [&] { return build::permute(x->node, axes_argument("permute", n_axes, axes)); });
}

harp_node* harp_transpose(harp_node* x, int32_t n_axes, const int32_t* axes) {
  return build_from("transpose", {x}, [&] { return build::transpose(x->node, optional_axes_argument("transpose", n_axes, axes)); });
}

harp_node* harp_moveaxis(harp_node* x, int32_t n_axes, const int32_t* source, const int32_t* destination) {
  return build_from("moveaxis", {x}, [&] {
    return build::moveaxis(x->node, axes_argument("moveaxis", n_axes, source), axes_argument("moveaxis", n_axes, destination));
  });
}

harp_node* harp_unsqueeze(harp_node* x, int32_t n_axes, const int32_t* axes) {
  return build_from("unsqueeze", {x}, [&] { return build::unsqueeze(x->node, axes_argument("unsqueeze", n_axes, axes)); });
}

harp_node* harp_squeeze(harp_node* x, int32_t n_axes, const int32_t* axes) {
  return build_from("squeeze", {x}, [&] { return build::squeeze(x->node, optional_axes_argument("squeeze", n_axes, axes)); });
}

harp_node* harp_flip(harp_node* x, int32_t n_axes, const int32_t* axes) {
  return build_from("flip", {x}, [&] { return build::flip(x->node, optional_axes_argument("flip", n_axes, axes)); });
}

harp_node* harp_expand(harp_node* x, int32_t rank, const harp_dim* dims) {
  return build_from("expand", {x}, [&] { return build::expand(x->node, sizes_argument("expand", *x->graph, rank, dims)); });
}

harp_node* harp_broadcast_to(harp_node* x, int32_t rank, const harp_dim* dims) {
  return build_from("broadcast_to", {x},
                    [&] { return build::broadcast_to(x->node, sizes_argument("broadcast_to", *x->graph, rank, dims)); });
}

harp_node* harp_reshape(harp_node* x, int32_t rank, const harp_dim* dims) {
  return build_from("reshape", {x}, [&] { return build::reshape(x->node, sizes_argument("reshape", *x->graph, rank, dims)); });
}

harp_node* harp_flatten(harp_node* x, int32_t start_axis, int32_t end_axis) {
  return build_from("flatten", {x}, [&] { return build::flatten(x->node, start_axis, end_axis); });
}

harp_node* harp_slice(harp_node* x, int32_t rank, const harp_dim* start, const harp_dim* stop, const int64_t* step) {
  return build_from("slice", {x}, [&] {
    HARP_CHECK(rank == x->node->rank(), Code::kShape, "slice: got bounds for ", rank, " axes, but the array is ",
               x->graph->graph->describe(x->node));
    std::vector<build::SliceSpec> specs(static_cast<size_t>(rank));
    set_bounds(*x->graph, start, &build::SliceSpec::start, specs);
    set_bounds(*x->graph, stop, &build::SliceSpec::stop, specs);
    for (size_t i = 0; step != nullptr && i < specs.size(); ++i) specs[i].step = step[i];
    return build::slice(x->node, specs);
  });
}

harp_node* harp_diagonal(harp_node* x, int64_t offset, int32_t axis1, int32_t axis2) {
  return build_from("diagonal", {x}, [&] { return build::diagonal("diagonal", x->node, offset, axis1, axis2); });
}

harp_node* harp_diff(harp_node* x, int64_t n, int32_t axis) {
  return build_from("diff", {x}, [&] { return build::diff(x->node, n, axis); });
}

harp_node* harp_diag(harp_node* x, int64_t k) {
  return build_from("diag", {x}, [&] { return build::diag(x->node, k); });
}

harp_node* harp_rot90(harp_node* x, int64_t k, int32_t axis1, int32_t axis2) {
  return build_from("rot90", {x}, [&] { return build::rot90(x->node, k, axis1, axis2); });
}

harp_node* harp_check_index(harp_node* indices, harp_dim size, const char* what) {
  return build_from("check_index", {indices},
                    [&] { return build::check_index(indices->node, indices->graph->dims.decode(size), what != nullptr ? what : ""); });
}

harp_node* harp_contiguous(harp_node* x) {
  return build_from("contiguous", {x}, [&] { return build::contiguous(x->node); });
}

harp_node* harp_concat(int32_t n, harp_node* const* nodes, int32_t axis) { return join_nodes("concat", n, nodes, axis, &build::concat); }
harp_node* harp_stack(int32_t n, harp_node* const* nodes, int32_t axis) { return join_nodes("stack", n, nodes, axis, &build::stack); }

harp_status harp_split(harp_node* x, int32_t sections, int32_t axis, harp_node** parts) {
  return split_into(
      "split", x, parts,
      [&] {
        return build::Sections{sections, {}};
      },
      axis);
}

harp_status harp_split_at(harp_node* x, int32_t n, const harp_dim* positions, int32_t axis, harp_node** parts) {
  return split_into(
      "split_at", x, parts,
      [&] {
        HARP_CHECK(n >= 0 && (positions != nullptr || n == 0), Code::kInvalidArgument, "split_at: expected a list of positions, got ",
                   n < 0 ? cat("a list of length ", n) : std::string("NULL"));
        return build::Sections{std::nullopt, x->graph->dims.decode(n, positions)};
      },
      axis);
}

harp_status harp_unstack(harp_node* x, int32_t axis, int32_t n, harp_node** parts) {
  constexpr const char* op = "unstack";
  if (x == nullptr) return HARP_ERROR_INVALID_ARGUMENT;
  harp_node* none = nullptr;
  // If n is 0, the caller may pass NULL for `parts`, but build_results() needs a pointer.
  return build_results(op, x->graph, n == 0 && parts == nullptr ? &none : parts, [&] {
    const Dim size = x->node->shape[static_cast<size_t>(build::normalize_axis(op, axis, x->node->rank()))];
    HARP_CHECK(!size.is_constant() || size.constant() == n, Code::kShape, op,
               ": expected as many parts as the axis has elements, got room for ", n, " parts, but axis ", axis, " of ",
               x->graph->graph->describe(x->node), " has size ", to_string(size));
    return build::unstack(x->node, axis);
  });
}

harp_status harp_meshgrid(int32_t n, harp_node* const* nodes, const char* indexing, harp_node** results) {
  if (n <= 0 || nodes == nullptr) return HARP_ERROR_INVALID_ARGUMENT;
  const std::span<harp_node* const> handles(nodes, static_cast<size_t>(n));
  harp_graph* graph = common_graph("meshgrid", handles);
  if (graph == nullptr) return HARP_ERROR_INVALID_ARGUMENT;
  return build_results("meshgrid", graph, results,
                       [&] { return build::meshgrid(nodes_of(handles), indexing != nullptr ? indexing : "xy"); });
}

harp_node* harp_pad(harp_node* x, int32_t rank, const harp_dim* before, const harp_dim* after, const char* mode, harp_node* value) {
  return build_from_optional("pad", {x}, {value}, [&] {
    const harp_graph& graph = *x->graph;
    return build::pad_mode(x->node, sizes_argument("pad", graph, rank, before), sizes_argument("pad", graph, rank, after),
                           node_or_null(value), mode != nullptr ? mode : "constant");
  });
}

harp_node* harp_repeat(harp_node* x, harp_dim repeats, int32_t axis) {
  return build_from("repeat", {x}, [&] { return build::repeat(x->node, x->graph->dims.decode(repeats), optional_axis_argument(axis)); });
}

harp_node* harp_tile(harp_node* x, int32_t n, const harp_dim* repeats) {
  return build_from("tile", {x}, [&] { return build::tile(x->node, sizes_argument("tile", *x->graph, n, repeats)); });
}

harp_node* harp_roll(harp_node* x, int32_t n, const harp_dim* shift, const int32_t* axes) {
  return build_from("roll", {x}, [&] {
    return build::roll(x->node, sizes_argument("roll", *x->graph, n, shift), optional_axes_argument("roll", n, axes));
  });
}

harp_node* harp_take(harp_node* x, harp_node* indices, int32_t axis) {
  return build_from("take", {x, indices}, [&] { return build::take(x->node, indices->node, optional_axis_argument(axis)); });
}

harp_node* harp_argsort(harp_node* x, int32_t axis, int32_t descending) {
  return build_from("argsort", {x}, [&] { return build::argsort(x->node, optional_axis_argument(axis), descending != 0); });
}

harp_node* harp_sort(harp_node* x, int32_t axis, int32_t descending) {
  return build_from("sort", {x}, [&] { return build::sort(x->node, optional_axis_argument(axis), descending != 0); });
}

harp_status harp_topk(harp_node* x, harp_dim k, int32_t axis, int32_t largest, harp_node** values, harp_node** indices) {
  return build_pair("topk", x, values, indices,
                    [&] { return build::topk(x->node, x->graph->dims.decode(k), optional_axis_argument(axis), largest != 0); });
}

harp_node* harp_searchsorted(harp_node* sorted, harp_node* values, const char* side) {
  return build_from("searchsorted", {sorted, values},
                    [&] { return build::searchsorted(sorted->node, values->node, side != nullptr ? side : "left"); });
}

harp_node* harp_isin(harp_node* elements, harp_node* test_elements, int32_t invert) {
  return build_from("isin", {elements, test_elements}, [&] { return build::isin(elements->node, test_elements->node, invert != 0); });
}

harp_node* harp_gather_nd(harp_node* x, harp_node* indices, int64_t batch_dims) {
  return build_from("gather_nd", {x, indices}, [&] { return build::gather_nd(x->node, indices->node, batch_dims); });
}

harp_node* harp_take_along_axis(harp_node* x, harp_node* indices, int32_t axis) {
  return build_from("take_along_axis", {x, indices}, [&] { return build::take_along_axis(x->node, indices->node, axis); });
}

harp_node* harp_scatter(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis) {
  return build_from("scatter", {x, indices, updates}, [&] { return build::scatter(x->node, indices->node, updates->node, axis); });
}

harp_node* harp_scatter_add(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis) {
  return build_from("scatter_add", {x, indices, updates}, [&] { return build::scatter_add(x->node, indices->node, updates->node, axis); });
}

harp_node* harp_scatter_mul(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis) {
  return build_from("scatter_mul", {x, indices, updates}, [&] { return build::scatter_mul(x->node, indices->node, updates->node, axis); });
}

harp_node* harp_scatter_max(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis) {
  return build_from("scatter_max", {x, indices, updates}, [&] { return build::scatter_max(x->node, indices->node, updates->node, axis); });
}

harp_node* harp_scatter_min(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis) {
  return build_from("scatter_min", {x, indices, updates}, [&] { return build::scatter_min(x->node, indices->node, updates->node, axis); });
}

harp_node* harp_scatter_reduce(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis, const char* reduction,
                               int32_t include_self) {
  return build_from("scatter_reduce", {x, indices, updates}, [&] {
    return build::scatter_reduce(x->node, indices->node, updates->node, axis, reduction != nullptr ? reduction : "sum", include_self != 0);
  });
}

harp_node* harp_scatter_nd(harp_node* x, harp_node* indices, harp_node* updates, const char* reduction) {
  return build_from("scatter_nd", {x, indices, updates},
                    [&] { return build::scatter_nd(x->node, indices->node, updates->node, reduction != nullptr ? reduction : "set"); });
}

harp_node* harp_index_add(harp_node* x, harp_node* indices, harp_node* updates, int32_t axis) {
  return build_from("index_add", {x, indices, updates}, [&] { return build::index_add(x->node, indices->node, updates->node, axis); });
}
