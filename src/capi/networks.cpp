// Layers and losses: each function reads its arguments and calls the graph's constructor of the same name.
#include "capi/building.h"

using namespace harp;
using namespace harp::capi;

namespace {

const char* or_mean(const char* reduction) { return reduction != nullptr ? reduction : "mean"; }

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

harp_node* harp_cross_entropy(harp_node* x, harp_node* target, int32_t axis, const char* reduction) {
  return build_from("cross_entropy", {x, target},
                    [&] { return build::cross_entropy(x->node, target->node, optional_axis_argument(axis), or_mean(reduction)); });
}
