// Implements the C functions of harp.h for windows, convolutions and pools: each converts its lists and calls the graph's constructor of
// the same name.
#include "capi/windows.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "capi/structs.h"

using namespace harp;
using namespace harp::capi;

namespace harp::capi {

void check_list(const char* op, const char* name, int32_t count, const void* values, std::span<const int32_t> counts) {
  if (std::ranges::find(counts, count) == counts.end()) {
    // The accepted counts without duplicates, for the message. Duplicates occur for a single axis: the count 1 then means both "one number
    // for all axes" and "one number for each axis".
    std::vector<int32_t> different;
    std::ranges::unique_copy(counts, std::back_inserter(different));
    const int32_t last = different.back();
    different.pop_back();
    fail(Code::kShape, op, ": ", name, " has ", count, " numbers, expected ", join(different, ", "), different.empty() ? "" : " or ", last);
  }
  HARP_CHECK(values != nullptr || count == 0, Code::kInvalidArgument, op, ": ", name, " is NULL, but its count is ", count);
}

std::vector<int64_t> window_numbers(const char* op, const char* name, int32_t axes, const CountedList<int64_t>& list, int64_t otherwise) {
  check_list(op, name, list, {0, 1, std::max(axes, 1)});
  if (list.count == 0) return {otherwise};
  return {list.get().begin(), list.get().end()};
}

Shape window_sizes(const char* op, const harp_graph& graph, int32_t axes, const CountedList<harp_dim>& sizes) {
  check_list(op, "size", sizes, {std::min(axes, 1), 1, std::max(axes, 1)});
  return graph.dims.decode(sizes.count, sizes.values);
}

std::vector<build::Padding> window_padding(const char* op, const harp_graph& graph, int32_t axes, const CountedList<harp_dim>& padding) {
  check_list(op, "padding", padding, {0, 1, std::max(axes, 1), std::max(2 * axes, 1)});
  const Shape given = graph.dims.decode(padding.count, padding.values);
  std::vector<build::Padding> result;
  if (given.empty()) result.emplace_back();
  const bool pairs = padding.count == 2 * axes;
  for (size_t i = 0; i < given.size(); i += pairs ? 2 : 1) result.push_back({given[i], given[pairs ? i + 1 : i]});
  return result;
}

}  // namespace harp::capi

namespace {

using Integers = CountedList<int64_t>;
using Sizes = CountedList<harp_dim>;

harp_node* unfold_spatial(const char* op, int32_t spatial, harp_node* x, const Sizes& size, const Integers& stride,
                          const Integers& dilation, const Sizes& padding) noexcept {
  return build_from(op, {x}, [&] {
    const Shape sizes = window_sizes(op, *x->graph, spatial, size);
    const std::vector<int64_t> strides = window_numbers(op, "stride", spatial, stride, 1);
    const std::vector<int64_t> dilations = window_numbers(op, "dilation", spatial, dilation, 1);
    return build::unfold_spatial(x->node, spatial, sizes, strides, dilations, window_padding(op, *x->graph, spatial, padding));
  });
}

/// The arguments that all convolutions share.
struct WindowArguments {
  std::vector<int64_t> stride, dilation;
  std::vector<build::Padding> padding;
};

harp_node* convolve(const char* op, int32_t spatial, harp_node* x, harp_node* weight, harp_node* bias, const Integers& stride,
                    const Sizes& padding, const Integers& dilation,
                    const std::function<NodeRef(const build::ConvOperands&, const WindowArguments&)>& function) noexcept {
  return build_from_optional(op, {x, weight}, {bias}, [&] {
    const WindowArguments arguments{window_numbers(op, "stride", spatial, stride, 1), window_numbers(op, "dilation", spatial, dilation, 1),
                                    window_padding(op, *x->graph, spatial, padding)};
    return function({x->node, weight->node, node_or_null(bias)}, arguments);
  });
}

harp_node* conv(const char* op, int32_t spatial, harp_node* x, harp_node* weight, harp_node* bias, const Integers& stride,
                const Sizes& padding, const Integers& dilation, int64_t groups) noexcept {
  return convolve(op, spatial, x, weight, bias, stride, padding, dilation,
                  [&](const build::ConvOperands& operands, const WindowArguments& w) {
                    return build::conv(spatial, operands, w.stride, w.padding, w.dilation, groups);
                  });
}

harp_node* conv_transpose(const char* op, int32_t spatial, harp_node* x, harp_node* weight, harp_node* bias, const Integers& stride,
                          const Sizes& padding, const Integers& output_padding, int64_t groups, const Integers& dilation) noexcept {
  return convolve(op, spatial, x, weight, bias, stride, padding, dilation,
                  [&](const build::ConvOperands& operands, const WindowArguments& w) {
                    const std::vector<int64_t> extra = window_numbers(op, "output_padding", spatial, output_padding, 0);
                    return build::conv_transpose(spatial, operands, w.stride, w.padding, extra, w.dilation, groups);
                  });
}

}  // namespace

harp_node* harp_unfold(harp_node* x, int32_t n_axes, const int32_t* axes, int32_t n_size, const harp_dim* size, int32_t n_stride,
                       const int64_t* stride, int32_t n_dilation, const int64_t* dilation) {
  constexpr const char* op = "unfold";
  return build_from(op, {x}, [&] {
    const std::span<const int32_t> along = axes_argument(op, n_axes, axes);
    const Shape sizes = window_sizes(op, *x->graph, n_axes, {n_size, size});
    const std::vector<int64_t> strides = window_numbers(op, "stride", n_axes, {n_stride, stride}, 1);
    return build::unfold_axes(x->node, along, sizes, strides, window_numbers(op, "dilation", n_axes, {n_dilation, dilation}, 1));
  });
}

harp_node* harp_unfold1d(harp_node* x, int32_t n_size, const harp_dim* size, int32_t n_stride, const int64_t* stride, int32_t n_dilation,
                         const int64_t* dilation, int32_t n_padding, const harp_dim* padding) {
  return unfold_spatial("unfold1d", 1, x, {n_size, size}, {n_stride, stride}, {n_dilation, dilation}, {n_padding, padding});
}
harp_node* harp_unfold2d(harp_node* x, int32_t n_size, const harp_dim* size, int32_t n_stride, const int64_t* stride, int32_t n_dilation,
                         const int64_t* dilation, int32_t n_padding, const harp_dim* padding) {
  return unfold_spatial("unfold2d", 2, x, {n_size, size}, {n_stride, stride}, {n_dilation, dilation}, {n_padding, padding});
}
harp_node* harp_unfold3d(harp_node* x, int32_t n_size, const harp_dim* size, int32_t n_stride, const int64_t* stride, int32_t n_dilation,
                         const int64_t* dilation, int32_t n_padding, const harp_dim* padding) {
  return unfold_spatial("unfold3d", 3, x, {n_size, size}, {n_stride, stride}, {n_dilation, dilation}, {n_padding, padding});
}

// Convolutions

harp_node* harp_conv1d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride, int32_t n_padding,
                       const harp_dim* padding, int32_t n_dilation, const int64_t* dilation, int64_t groups) {
  return conv("conv1d", 1, x, weight, bias, {n_stride, stride}, {n_padding, padding}, {n_dilation, dilation}, groups);
}
harp_node* harp_conv2d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride, int32_t n_padding,
                       const harp_dim* padding, int32_t n_dilation, const int64_t* dilation, int64_t groups) {
  return conv("conv2d", 2, x, weight, bias, {n_stride, stride}, {n_padding, padding}, {n_dilation, dilation}, groups);
}
harp_node* harp_conv3d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride, int32_t n_padding,
                       const harp_dim* padding, int32_t n_dilation, const int64_t* dilation, int64_t groups) {
  return conv("conv3d", 3, x, weight, bias, {n_stride, stride}, {n_padding, padding}, {n_dilation, dilation}, groups);
}

harp_node* harp_conv_transpose1d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride,
                                 int32_t n_padding, const harp_dim* padding, int32_t n_output_padding, const int64_t* output_padding,
                                 int64_t groups, int32_t n_dilation, const int64_t* dilation) {
  return conv_transpose("conv_transpose1d", 1, x, weight, bias, {n_stride, stride}, {n_padding, padding},
                        {n_output_padding, output_padding}, groups, {n_dilation, dilation});
}
harp_node* harp_conv_transpose2d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride,
                                 int32_t n_padding, const harp_dim* padding, int32_t n_output_padding, const int64_t* output_padding,
                                 int64_t groups, int32_t n_dilation, const int64_t* dilation) {
  return conv_transpose("conv_transpose2d", 2, x, weight, bias, {n_stride, stride}, {n_padding, padding},
                        {n_output_padding, output_padding}, groups, {n_dilation, dilation});
}
harp_node* harp_conv_transpose3d(harp_node* x, harp_node* weight, harp_node* bias, int32_t n_stride, const int64_t* stride,
                                 int32_t n_padding, const harp_dim* padding, int32_t n_output_padding, const int64_t* output_padding,
                                 int64_t groups, int32_t n_dilation, const int64_t* dilation) {
  return conv_transpose("conv_transpose3d", 3, x, weight, bias, {n_stride, stride}, {n_padding, padding},
                        {n_output_padding, output_padding}, groups, {n_dilation, dilation});
}

// Pools

namespace {

/// The converted arguments of a pool. They own the lists that build::PoolWindows points to.
struct PoolArguments {
  PoolArguments(const char* op, const harp_graph& graph, int32_t n_axes, const harp_dim* sizes, const harp_pool_options* given)
      : options(read_options(given, HARP_POOL_OPTIONS_INIT, "harp_pool_options")),
        size(sizes_argument(op, graph, n_axes, sizes)),
        stride(window_numbers(op, "stride", n_axes, {options.n_stride, options.stride}, 0)),
        dilation(window_numbers(op, "dilation", n_axes, {options.n_dilation, options.dilation}, 1)),
        padding(window_padding(op, graph, n_axes, {options.n_padding, options.padding})) {
    HARP_CHECK(options.reserved == 0, Code::kInvalidArgument, "harp_pool_options: reserved is ", options.reserved, ", expected 0");
  }

  build::PoolWindows get() const {
    const auto strides = options.n_stride != 0 ? std::optional(stride) : std::nullopt;
    return {size, strides, padding, dilation, options.ceil_mode != 0};
  }

  harp_pool_options options;
  Shape size;
  std::vector<int64_t> stride, dilation;
  std::vector<build::Padding> padding;
};

}  // namespace

harp_node* harp_max_pool(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options) {
  return build_from("max_pool", {x}, [&] {
    const PoolArguments arguments("max_pool", *x->graph, n_axes, size, options);
    return build::max_pool(x->node, arguments.get());
  });
}

harp_status harp_max_pool_with_indices(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options,
                                       harp_node** values, harp_node** indices) {
  constexpr const char* op = "max_pool_with_indices";
  return build_pair(op, x, values, indices, [&] {
    const PoolArguments arguments(op, *x->graph, n_axes, size, options);
    return build::max_pool_with_indices(x->node, arguments.get());
  });
}

harp_node* harp_max_unpool(harp_node* x, harp_node* indices, int32_t n_axes, const harp_dim* size, const harp_pool_options* options,
                           int32_t n_output_size, const harp_dim* output_size) {
  constexpr const char* op = "max_unpool";
  return build_from(op, {x, indices}, [&] {
    const PoolArguments arguments(op, *x->graph, n_axes, size, options);
    check_list(op, "output_size", Sizes{n_output_size, output_size}, {0, n_axes});
    std::optional<Shape> result;
    if (n_output_size != 0) result = x->graph->dims.decode(n_output_size, output_size);
    return build::max_unpool(x->node, indices->node, arguments.get(), result);
  });
}

harp_node* harp_avg_pool(harp_node* x, int32_t n_axes, const harp_dim* size, const harp_pool_options* options) {
  return build_from("avg_pool", {x}, [&] {
    const PoolArguments arguments("avg_pool", *x->graph, n_axes, size, options);
    return build::avg_pool(x->node, arguments.get(), arguments.options.count_include_pad != 0);
  });
}
