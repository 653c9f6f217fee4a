// Implements the C functions of harp.h for elementwise operations, reductions and array constructors: each converts its arguments and calls
// the graph's constructor of the same name.
#include "capi/building.h"

using namespace harp;
using namespace harp::capi;

#include "capi/elementwise.inc"

harp_node* harp_elu(harp_node* x, double alpha) {
  return build_from("elu", {x}, [&] { return build::elu(x->node, alpha); });
}

harp_node* harp_celu(harp_node* x, double alpha) {
  return build_from("celu", {x}, [&] { return build::celu(x->node, alpha); });
}

harp_node* harp_gelu(harp_node* x, const char* approximate) {
  return build_from("gelu", {x}, [&] { return build::gelu(x->node, approximate != nullptr ? approximate : "none"); });
}

harp_node* harp_isclose(harp_node* a, harp_node* b, double rtol, double atol, int32_t equal_nan) {
  return build_from("isclose", {a, b}, [&] { return build::isclose(a->node, b->node, rtol, atol, equal_nan != 0); });
}

harp_node* harp_powi(harp_node* x, int64_t k) {
  return build_from("powi", {x}, [&] { return build::powi(x->node, k); });
}

harp_node* harp_cast(harp_node* x, harp_dtype dtype) {
  return build_from("cast", {x}, [&] { return build::cast(x->node, dtype_argument("cast", dtype)); });
}

harp_node* harp_bitcast(harp_node* x, harp_dtype dtype) {
  return build_from("bitcast", {x}, [&] { return build::bitcast(x->node, dtype_argument("bitcast", dtype)); });
}

// Reductions

namespace {

using Reduction = NodeRef (*)(NodeRef, const build::Axes&, bool);

harp_node* reduce(const char* op, Reduction function, harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims) noexcept {
  return build_from(op, {x}, [&] { return function(x->node, optional_axes_argument(op, n_axes, axes), keepdims != 0); });
}

}  // namespace

harp_node* harp_sum(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims) {
  return reduce("sum", &build::sum, x, n_axes, axes, keepdims);
}
harp_node* harp_prod(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims) {
  return reduce("prod", &build::prod, x, n_axes, axes, keepdims);
}
harp_node* harp_max(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims) {
  return reduce("max", &build::max, x, n_axes, axes, keepdims);
}
harp_node* harp_min(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims) {
  return reduce("min", &build::min, x, n_axes, axes, keepdims);
}
harp_node* harp_any(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims) {
  return reduce("any", &build::any, x, n_axes, axes, keepdims);
}
harp_node* harp_all(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims) {
  return reduce("all", &build::all, x, n_axes, axes, keepdims);
}
harp_node* harp_count_nonzero(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims) {
  return reduce("count_nonzero", &build::count_nonzero, x, n_axes, axes, keepdims);
}
harp_node* harp_mean(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims) {
  return reduce("mean", &build::mean, x, n_axes, axes, keepdims);
}
harp_node* harp_logsumexp(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t keepdims) {
  return reduce("logsumexp", &build::logsumexp, x, n_axes, axes, keepdims);
}

harp_node* harp_var(harp_node* x, int32_t n_axes, const int32_t* axes, int64_t correction, int32_t keepdims) {
  return build_from("var", {x},
                    [&] { return build::var(x->node, optional_axes_argument("var", n_axes, axes), correction, keepdims != 0); });
}

harp_node* harp_std(harp_node* x, int32_t n_axes, const int32_t* axes, int64_t correction, int32_t keepdims) {
  return build_from("std", {x},
                    [&] { return build::std(x->node, optional_axes_argument("std", n_axes, axes), correction, keepdims != 0); });
}

harp_node* harp_norm(harp_node* x, double order, int32_t n_axes, const int32_t* axes, int32_t keepdims) {
  return build_from("norm", {x}, [&] { return build::norm(x->node, order, optional_axes_argument("norm", n_axes, axes), keepdims != 0); });
}

harp_node* harp_argmax(harp_node* x, int32_t axis, int32_t keepdims) {
  return build_from("argmax", {x}, [&] { return build::argmax(x->node, optional_axis_argument(axis), keepdims != 0); });
}
harp_node* harp_argmin(harp_node* x, int32_t axis, int32_t keepdims) {
  return build_from("argmin", {x}, [&] { return build::argmin(x->node, optional_axis_argument(axis), keepdims != 0); });
}

harp_node* harp_softmax(harp_node* x, int32_t axis) {
  return build_from("softmax", {x}, [&] { return build::softmax(x->node, axis); });
}

harp_node* harp_log_softmax(harp_node* x, int32_t axis) {
  return build_from("log_softmax", {x}, [&] { return build::log_softmax(x->node, axis); });
}

// Scans

namespace {

harp_node* scan(Op op, harp_node* x, int32_t axis, uint32_t flags) noexcept {
  return build_from(name(op).data(), {x}, [&] {
    const ScanFlags given = scan_flags_argument(name(op).data(), flags);
    return build::cumulative(op, x->node, optional_axis_argument(axis), given.exclusive, given.reverse);
  });
}

}  // namespace

harp_node* harp_cumsum(harp_node* x, int32_t axis, uint32_t flags) { return scan(Op::kCumSum, x, axis, flags); }
harp_node* harp_cumprod(harp_node* x, int32_t axis, uint32_t flags) { return scan(Op::kCumProd, x, axis, flags); }
harp_node* harp_cummax(harp_node* x, int32_t axis, uint32_t flags) { return scan(Op::kCumMax, x, axis, flags); }
harp_node* harp_cummin(harp_node* x, int32_t axis, uint32_t flags) { return scan(Op::kCumMin, x, axis, flags); }
harp_node* harp_logcumsumexp(harp_node* x, int32_t axis, uint32_t flags) { return scan(Op::kLogCumSumExp, x, axis, flags); }

harp_status harp_cummax_with_indices(harp_node* x, int32_t axis, harp_node** values, harp_node** indices) {
  return build_pair("cummax_with_indices", x, values, indices,
                    [&] { return build::cummax_with_indices(x->node, optional_axis_argument(axis)); });
}
harp_status harp_cummin_with_indices(harp_node* x, int32_t axis, harp_node** values, harp_node** indices) {
  return build_pair("cummin_with_indices", x, values, indices,
                    [&] { return build::cummin_with_indices(x->node, optional_axis_argument(axis)); });
}

// Array constructors

harp_node* harp_full(harp_node* value, int32_t rank, const harp_dim* dims) {
  return build_from("full", {value}, [&] { return build::full(value->node, sizes_argument("full", *value->graph, rank, dims)); });
}

harp_node* harp_arange(harp_graph* graph, harp_dtype dtype, harp_dim start, harp_dim stop, int64_t step) {
  return build_in("arange", graph, [&](Graph& g) {
    const DType type = dtype_argument("arange", dtype);
    return build::arange_from(g, std::nullopt, graph->dims.decode(start), graph->dims.decode(stop), step, type);
  });
}

harp_node* harp_linspace(harp_graph* graph, harp_dtype dtype, double start, double stop, harp_dim count) {
  return build_in("linspace", graph,
                  [&](Graph& g) { return build::linspace(g, start, stop, graph->dims.decode(count), dtype_argument("linspace", dtype)); });
}

harp_node* harp_eye(harp_graph* graph, harp_dtype dtype, harp_dim rows, harp_dim columns) {
  return build_in("eye", graph, [&](Graph& g) {
    return build::eye(g, graph->dims.decode(rows), graph->dims.decode(columns), dtype_argument("eye", dtype));
  });
}

harp_node* harp_tril(harp_node* x, int64_t k) {
  return build_from("tril", {x}, [&] { return build::tril(x->node, k); });
}

harp_node* harp_triu(harp_node* x, int64_t k) {
  return build_from("triu", {x}, [&] { return build::triu(x->node, k); });
}

harp_node* harp_one_hot(harp_node* indices, harp_dim depth, harp_dtype dtype) {
  return build_from("one_hot", {indices},
                    [&] { return build::one_hot(indices->node, indices->graph->dims.decode(depth), dtype_argument("one_hot", dtype)); });
}

// Random numbers

namespace {

using RandomFunction = NodeRef (*)(NodeRef key, NodeRef counter, const Shape& shape, DType dtype);

harp_node* random_array(const char* op, RandomFunction function, harp_node* key, harp_node* counter, harp_dtype dtype, int32_t rank,
                        const harp_dim* dims) noexcept {
  return build_from_optional(op, {key}, {counter}, [&] {
    const DType type = dtype_argument(op, dtype);
    return function(key->node, node_or_null(counter), sizes_argument(op, *key->graph, rank, dims), type);
  });
}

}  // namespace

harp_node* harp_random_bits(harp_node* key, harp_node* counter, harp_dtype dtype, int32_t rank, const harp_dim* dims) {
  return random_array("random_bits", build::random_bits, key, counter, dtype, rank, dims);
}
harp_node* harp_random_uniform(harp_node* key, harp_node* counter, harp_dtype dtype, int32_t rank, const harp_dim* dims) {
  return random_array("random_uniform", build::random_uniform, key, counter, dtype, rank, dims);
}
harp_node* harp_random_normal(harp_node* key, harp_node* counter, harp_dtype dtype, int32_t rank, const harp_dim* dims) {
  return random_array("random_normal", build::random_normal, key, counter, dtype, rank, dims);
}
