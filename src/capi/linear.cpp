// Products of matrices, convolutions and pools: each function reads its arguments and calls the graph's constructor of the same name.
#include <functional>

#include "capi/building.h"
#include "capi/structs.h"

using namespace harp;
using namespace harp::capi;

namespace {

/// `n` integers, or the one that stands for all axes where there are none.
std::vector<int64_t> integers_or(int64_t otherwise, size_t n, const int64_t* values) {
  return values != nullptr ? std::vector<int64_t>(values, values + n) : std::vector<int64_t>{otherwise};
}

/// Arguments of convolutions and pools, one entry an axis of space.
struct WindowArguments {
  std::vector<int64_t> stride, dilation;
  std::vector<build::Padding> padding;
};
WindowArguments window_arguments(const harp_graph& graph, size_t axes, const int64_t* stride, const harp_dim* padding,
                                 const int64_t* dilation) {
  WindowArguments arguments{integers_or(1, axes, stride), integers_or(1, axes, dilation), {}};
  arguments.padding.resize(axes);
  for (size_t i = 0; padding != nullptr && i < axes; ++i)
    arguments.padding[i] = {graph.dims.decode(padding[2 * i]), graph.dims.decode(padding[2 * i + 1])};
  return arguments;
}

harp_node* convolve(const char* op, size_t axes, harp_node* x, harp_node* weight, harp_node* bias, const int64_t* stride,
                    const harp_dim* padding, const int64_t* dilation,
                    const std::function<NodeRef(const build::ConvOperands&, const WindowArguments&)>& function) noexcept {
  return build_from_optional(op, {x, weight}, {bias}, [&] {
    const build::ConvOperands operands{x->node, weight->node, node_or_null(bias)};
    return function(operands, window_arguments(*x->graph, axes, stride, padding, dilation));
  });
}

harp_node* conv(const char* op, int spatial, harp_node* x, harp_node* weight, harp_node* bias, const int64_t* stride,
                const harp_dim* padding, const int64_t* dilation, int64_t groups) noexcept {
  return convolve(op, static_cast<size_t>(spatial), x, weight, bias, stride, padding, dilation,
                  [&](const build::ConvOperands& operands, const WindowArguments& w) {
                    return build::conv(spatial, operands, w.stride, w.padding, w.dilation, groups);
                  });
}

harp_node* conv_transpose(const char* op, int spatial, harp_node* x, harp_node* weight, harp_node* bias, const int64_t* stride,
                          const harp_dim* padding, const int64_t* output_padding, int64_t groups, const int64_t* dilation) noexcept {
  const auto axes = static_cast<size_t>(spatial);
  return convolve(op, axes, x, weight, bias, stride, padding, dilation, [&](const build::ConvOperands& operands, const WindowArguments& w) {
    return build::conv_transpose(spatial, operands, w.stride, w.padding, integers_or(0, axes, output_padding), w.dilation, groups);
  });
}

}  // namespace

harp_node* harp_matmul(harp_node* a, harp_node* b) {
  return build_from("matmul", {a, b}, [&] { return build::matmul(a->node, b->node); });
}

harp_node* harp_batch_matmul(harp_node* a, harp_node* b) {
  return build_from("batch_matmul", {a, b}, [&] { return build::batch_matmul(a->node, b->node); });
}

harp_node* harp_dot(harp_node* a, harp_node* b) {
  return build_from("dot", {a, b}, [&] { return build::dot(a->node, b->node); });
}

harp_node* harp_cross(harp_node* a, harp_node* b, int32_t axis) {
  return build_from("cross", {a, b}, [&] { return build::cross(a->node, b->node, axis); });
}

harp_node* harp_vecdot(harp_node* a, harp_node* b, int32_t axis) {
  return build_from("vecdot", {a, b}, [&] { return build::vecdot(a->node, b->node, axis); });
}

harp_node* harp_tensordot(harp_node* a, harp_node* b, int32_t n_axes, const int32_t* a_axes, const int32_t* b_axes) {
  return build_from("tensordot", {a, b}, [&] {
    return build::tensordot(a->node, b->node, axes_argument("tensordot", n_axes, a_axes), axes_argument("tensordot", n_axes, b_axes));
  });
}

harp_node* harp_outer(harp_node* a, harp_node* b) {
  return build_from("outer", {a, b}, [&] { return build::outer(a->node, b->node); });
}

harp_node* harp_trace(harp_node* x, int64_t offset, int32_t axis1, int32_t axis2) {
  return build_from("trace", {x}, [&] { return build::trace(x->node, offset, axis1, axis2); });
}

harp_node* harp_einsum(const char* spec, int32_t n, harp_node* const* nodes) {
  return build_from_list("einsum", n, nodes, [&](std::span<const NodeRef> operands) {
    HARP_CHECK(spec != nullptr, Code::kInvalidArgument, "einsum: the spec is NULL");
    return build::einsum(spec, operands);
  });
}

harp_node* harp_conv1d(harp_node* x, harp_node* weight, harp_node* bias, const int64_t* stride, const harp_dim* padding,
                       const int64_t* dilation, int64_t groups) {
  return conv("conv1d", 1, x, weight, bias, stride, padding, dilation, groups);
}
harp_node* harp_conv2d(harp_node* x, harp_node* weight, harp_node* bias, const int64_t* stride, const harp_dim* padding,
                       const int64_t* dilation, int64_t groups) {
  return conv("conv2d", 2, x, weight, bias, stride, padding, dilation, groups);
}
harp_node* harp_conv3d(harp_node* x, harp_node* weight, harp_node* bias, const int64_t* stride, const harp_dim* padding,
                       const int64_t* dilation, int64_t groups) {
  return conv("conv3d", 3, x, weight, bias, stride, padding, dilation, groups);
}

harp_node* harp_conv_transpose1d(harp_node* x, harp_node* weight, harp_node* bias, const int64_t* stride, const harp_dim* padding,
                                 const int64_t* output_padding, int64_t groups, const int64_t* dilation) {
  return conv_transpose("conv_transpose1d", 1, x, weight, bias, stride, padding, output_padding, groups, dilation);
}
harp_node* harp_conv_transpose2d(harp_node* x, harp_node* weight, harp_node* bias, const int64_t* stride, const harp_dim* padding,
                                 const int64_t* output_padding, int64_t groups, const int64_t* dilation) {
  return conv_transpose("conv_transpose2d", 2, x, weight, bias, stride, padding, output_padding, groups, dilation);
}
harp_node* harp_conv_transpose3d(harp_node* x, harp_node* weight, harp_node* bias, const int64_t* stride, const harp_dim* padding,
                                 const int64_t* output_padding, int64_t groups, const int64_t* dilation) {
  return conv_transpose("conv_transpose3d", 3, x, weight, bias, stride, padding, output_padding, groups, dilation);
}

namespace {

/// `make` is one of the transforms of numpy.fft.
harp_node* transform(const char* op, NodeRef (*make)(NodeRef, std::optional<Dim>, int, std::string_view), harp_node* x, harp_dim n,
                     int32_t axis, const char* norm) {
  return build_from(op, {x}, [&] {
    const std::optional<Dim> size = n == 0 ? std::nullopt : std::optional(x->graph->dims.decode(n));
    return make(x->node, size, axis, norm != nullptr ? norm : "backward");
  });
}

using TransformOfAxes = NodeRef (*)(NodeRef, const std::optional<Shape>&, const build::Axes&, std::string_view);

/// `make` is one of the transforms of several axes. axes NULL: the last n_axes, or all if n_axes is 0.
harp_node* transform_axes(const char* op, TransformOfAxes make, harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes,
                          const char* norm) {
  return build_from(op, {x}, [&] {
    const std::optional<Shape> sizes = s != nullptr ? std::optional(sizes_argument(op, *x->graph, n_axes, s)) : std::nullopt;
    build::Axes list;
    if (axes != nullptr) list.emplace(axes_argument(op, n_axes, axes).begin(), axes_argument(op, n_axes, axes).end());
    if (axes == nullptr && n_axes != 0) {
      HARP_CHECK(n_axes > 0 && n_axes <= x->node->rank(), Code::kShape, op, ": ", n_axes, " axes of an array of ", x->node->rank());
      list.emplace();
      for (int32_t axis = -n_axes; axis < 0; ++axis) list->push_back(axis);
    }
    return make(x->node, sizes, list, norm != nullptr ? norm : "backward");
  });
}

}  // namespace

harp_node* harp_fft(harp_node* x, harp_dim n, int32_t axis, const char* norm) { return transform("fft", build::fft, x, n, axis, norm); }
harp_node* harp_ifft(harp_node* x, harp_dim n, int32_t axis, const char* norm) { return transform("ifft", build::ifft, x, n, axis, norm); }
harp_node* harp_rfft(harp_node* x, harp_dim n, int32_t axis, const char* norm) { return transform("rfft", build::rfft, x, n, axis, norm); }
harp_node* harp_irfft(harp_node* x, harp_dim n, int32_t axis, const char* norm) {
  return transform("irfft", build::irfft, x, n, axis, norm);
}

harp_node* harp_fftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm) {
  return transform_axes("fftn", build::fftn, x, n_axes, s, axes, norm);
}
harp_node* harp_fft2(harp_node* x, const harp_dim* s, const int32_t* axes, const char* norm) {
  return transform_axes("fft2", build::fftn, x, 2, s, axes, norm);
}
harp_node* harp_ifftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm) {
  return transform_axes("ifftn", build::ifftn, x, n_axes, s, axes, norm);
}
harp_node* harp_ifft2(harp_node* x, const harp_dim* s, const int32_t* axes, const char* norm) {
  return transform_axes("ifft2", build::ifftn, x, 2, s, axes, norm);
}
harp_node* harp_rfftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm) {
  return transform_axes("rfftn", build::rfftn, x, n_axes, s, axes, norm);
}
harp_node* harp_rfft2(harp_node* x, const harp_dim* s, const int32_t* axes, const char* norm) {
  return transform_axes("rfft2", build::rfftn, x, 2, s, axes, norm);
}
harp_node* harp_irfftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm) {
  return transform_axes("irfftn", build::irfftn, x, n_axes, s, axes, norm);
}
harp_node* harp_irfft2(harp_node* x, const harp_dim* s, const int32_t* axes, const char* norm) {
  return transform_axes("irfft2", build::irfftn, x, 2, s, axes, norm);
}

harp_node* harp_dft(harp_node* re, harp_node* im) {
  return build_from("dft", {re, im}, [&] { return build::dft(re->node, im->node); });
}

namespace {

/// What the options of a pool say, with the storage that build::PoolWindows looks at.
struct PoolArguments {
  PoolArguments(const char* op, const harp_graph& graph, int32_t n_axes, const harp_dim* sizes, const harp_pool_options* given)
      : options(read_options(given, HARP_POOL_OPTIONS_INIT, "harp_pool_options")),
        size(sizes_argument(op, graph, n_axes, sizes)),
        windows(window_arguments(graph, size.size(), nullptr, options.padding, options.dilation)) {}

  build::PoolWindows get() const {
    std::optional<std::vector<int64_t>> stride;
    if (options.stride != nullptr) stride.emplace(options.stride, options.stride + size.size());
    return {size, std::move(stride), windows.padding, windows.dilation, options.ceil_mode != 0};
  }

  harp_pool_options options;
  Shape size;
  WindowArguments windows;
};

}  // namespace

harp_node* harp_max_pool(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options) {
  return build_from("max_pool", {x}, [&] {
    const PoolArguments arguments("max_pool", *x->graph, n_axes, size, options);
    return build::max_pool(x->node, arguments.get());
  });
}

harp_status harp_max_pool_with_indices(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options,
                                       harp_node** values_and_indices) {
  constexpr const char* op = "max_pool_with_indices";
  if (x == nullptr) return HARP_ERROR_INVALID_ARGUMENT;
  return build_results(op, x->graph, values_and_indices, [&] {
    const PoolArguments arguments(op, *x->graph, n_axes, size, options);
    return build::max_pool_with_indices(x->node, arguments.get());
  });
}

harp_node* harp_max_unpool(harp_node* x, harp_node* indices, int32_t n_axes, const harp_dim* size, const harp_pool_options* options,
                           const harp_dim* output_size) {
  constexpr const char* op = "max_unpool";
  return build_from(op, {x, indices}, [&] {
    const PoolArguments arguments(op, *x->graph, n_axes, size, options);
    std::optional<Shape> result;
    if (output_size != nullptr) result = sizes_argument(op, *x->graph, n_axes, output_size);
    return build::max_unpool(x->node, indices->node, arguments.get(), result);
  });
}

harp_node* harp_avg_pool(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options) {
  return build_from("avg_pool", {x}, [&] {
    const PoolArguments arguments("avg_pool", *x->graph, n_axes, size, options);
    return build::avg_pool(x->node, arguments.get(), arguments.options.count_include_pad != 0);
  });
}
