// Implements the C functions of harp.h for activations with parameters, layers and losses: each converts its arguments and calls the
// graph's constructor of the same name.
#include "capi/windows.h"

using namespace harp;
using namespace harp::capi;

namespace {

const char* or_mean(const char* reduction) { return reduction != nullptr ? reduction : "mean"; }

build::ClassLossOptions class_loss(int32_t axis, const harp_node* weight, int64_t ignore_index, double label_smoothing,
                                   const char* reduction) {
  const std::optional<int64_t> ignored = ignore_index != HARP_CLASS_NONE ? std::optional<int64_t>(ignore_index) : std::nullopt;
  return {optional_axis_argument(axis), or_mean(reduction), node_or_null(weight), ignored, label_smoothing};
}

harp_node* normalise(const char* op, harp_node* x, int32_t n_axes, const int32_t* axes, harp_node* weight, harp_node* bias, double eps,
                     NodeRef (*function)(NodeRef, std::span<const int>, NodeRef, NodeRef, double)) noexcept {
  return build_from_optional(op, {x}, {weight, bias}, [&] {
    return function(x->node, axes_argument(op, n_axes, axes), node_or_null(weight), node_or_null(bias), eps);
  });
}

}  // namespace

harp_node* harp_layer_norm(harp_node* x, int32_t n_axes, const int32_t* axes, harp_node* weight, harp_node* bias, double eps) {
  return normalise("layer_norm", x, n_axes, axes, weight, bias, eps, &build::layer_norm);
}

harp_node* harp_rms_norm(harp_node* x, int32_t n_axes, const int32_t* axes, harp_node* weight, harp_node* bias, double eps) {
  return normalise("rms_norm", x, n_axes, axes, weight, bias, eps, &build::rms_norm);
}

harp_node* harp_mse_loss(harp_node* x, harp_node* target, const char* reduction) {
  return build_from("mse_loss", {x, target}, [&] { return build::mse_loss(x->node, target->node, or_mean(reduction)); });
}

harp_node* harp_cross_entropy(harp_node* x, harp_node* target, int32_t axis, harp_node* weight, int64_t ignore_index,
                              double label_smoothing, const char* reduction) {
  return build_from_optional("cross_entropy", {x, target}, {weight}, [&] {
    return build::cross_entropy(x->node, target->node, class_loss(axis, weight, ignore_index, label_smoothing, reduction));
  });
}

harp_node* harp_nll_loss(harp_node* x, harp_node* target, int32_t axis, harp_node* weight, int64_t ignore_index, const char* reduction) {
  return build_from_optional("nll_loss", {x, target}, {weight},
                             [&] { return build::nll_loss(x->node, target->node, class_loss(axis, weight, ignore_index, 0, reduction)); });
}

harp_node* harp_hardtanh(harp_node* x, double min_val, double max_val) {
  return build_from("hardtanh", {x}, [&] { return build::hardtanh(x->node, min_val, max_val); });
}

harp_node* harp_leaky_relu(harp_node* x, double negative_slope) {
  return build_from("leaky_relu", {x}, [&] { return build::leaky_relu(x->node, negative_slope); });
}

harp_node* harp_batch_norm(harp_node* x, harp_node* mean, harp_node* var, harp_node* weight, harp_node* bias, int32_t axis, double eps) {
  return build_from_optional("batch_norm", {x}, {mean, var, weight, bias}, [&] {
    return build::batch_norm(x->node, {node_or_null(mean), node_or_null(var)}, node_or_null(weight), node_or_null(bias), axis, eps);
  });
}

harp_node* harp_group_norm(harp_node* x, int64_t num_groups, harp_node* weight, harp_node* bias, double eps) {
  return build_from_optional("group_norm", {x}, {weight, bias},
                             [&] { return build::group_norm(x->node, num_groups, node_or_null(weight), node_or_null(bias), eps); });
}

harp_node* harp_instance_norm(harp_node* x, harp_node* weight, harp_node* bias, double eps) {
  return build_from_optional("instance_norm", {x}, {weight, bias},
                             [&] { return build::instance_norm(x->node, node_or_null(weight), node_or_null(bias), eps); });
}

harp_node* harp_scaled_dot_product_attention(harp_node* query, harp_node* key, harp_node* value, harp_node* mask, int32_t is_causal,
                                             const double* scale, int32_t enable_gqa) {
  return build_from_optional("scaled_dot_product_attention", {query, key, value}, {mask}, [&] {
    const std::optional<double> factor = scale != nullptr ? std::optional<double>(*scale) : std::nullopt;
    return build::scaled_dot_product_attention(query->node, key->node, value->node, node_or_null(mask),
                                               {is_causal != 0, factor, enable_gqa != 0});
  });
}

harp_node* harp_huber_loss(harp_node* x, harp_node* target, double delta, const char* reduction) {
  return build_from("huber_loss", {x, target}, [&] { return build::huber_loss(x->node, target->node, delta, or_mean(reduction)); });
}

harp_node* harp_binary_cross_entropy(harp_node* x, harp_node* target, harp_node* weight, const char* reduction) {
  return build_from_optional("binary_cross_entropy", {x, target}, {weight},
                             [&] { return build::binary_cross_entropy(x->node, target->node, node_or_null(weight), or_mean(reduction)); });
}

harp_node* harp_binary_cross_entropy_with_logits(harp_node* x, harp_node* target, harp_node* weight, harp_node* pos_weight,
                                                 const char* reduction) {
  return build_from_optional("binary_cross_entropy_with_logits", {x, target}, {weight, pos_weight}, [&] {
    return build::binary_cross_entropy_with_logits(x->node, target->node, node_or_null(weight), node_or_null(pos_weight),
                                                   or_mean(reduction));
  });
}

harp_node* harp_interpolate(harp_node* x, int32_t n_axes, const harp_dim* size, int32_t n_scales, const double* scales, const char* mode,
                            const char* coordinates, const char* nearest_mode, double cubic_coeff_a) {
  constexpr const char* op = "interpolate";
  return build_from(op, {x}, [&] {
    const Shape sizes = sizes_argument(op, *x->graph, n_axes, size);
    const CountedList<double> factors{n_scales, scales};
    check_list(op, "scales", factors, {0, n_axes});
    build::InterpolateOptions options;
    if (mode != nullptr) options.mode = mode;
    if (coordinates != nullptr) options.coordinates = coordinates;
    if (nearest_mode != nullptr) options.nearest_mode = nearest_mode;
    options.cubic_coeff_a = cubic_coeff_a;
    return build::interpolate(x->node, sizes, factors.get(), options);
  });
}
