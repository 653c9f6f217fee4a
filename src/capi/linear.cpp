// The C functions for matrix products and Fourier transforms: each converts its arguments and calls the graph's constructor of the same
// name.
#include "capi/windows.h"

using namespace harp;
using namespace harp::capi;

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

namespace {

/// Builds a Fourier transform along one axis. `make` is the graph's constructor: fft, ifft, rfft or irfft, as in numpy.fft. n is the length
/// of the transform; 0 means the size of the axis.
harp_node* transform(const char* op, NodeRef (*make)(NodeRef, std::optional<Dim>, int, std::string_view), harp_node* x, harp_dim n,
                     int32_t axis, const char* norm) {
  return build_from(op, {x}, [&] {
    const std::optional<Dim> size = n == 0 ? std::nullopt : std::optional(x->graph->dims.decode(n));
    return make(x->node, size, axis, norm != nullptr ? norm : "backward");
  });
}

using TransformOfAxes = NodeRef (*)(NodeRef, const std::optional<Shape>&, const build::Axes&, std::string_view);

/// Calls `make`, the graph's constructor of a Fourier transform along several axes. If `axes` is NULL, the last n_axes axes are
/// transformed, or all axes if n_axes is 0.
NodeRef transform_along(const char* op, TransformOfAxes make, const harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes,
                        const char* norm) {
  const std::optional<Shape> sizes = s != nullptr ? std::optional(sizes_argument(op, *x->graph, n_axes, s)) : std::nullopt;
  build::Axes list;
  if (axes != nullptr) list.emplace(axes_argument(op, n_axes, axes).begin(), axes_argument(op, n_axes, axes).end());
  if (axes == nullptr && n_axes != 0) {
    HARP_CHECK(n_axes > 0 && n_axes <= x->node->rank(), Code::kShape, op, ": ", n_axes, " axes for an array of rank ", x->node->rank(),
               ", expected 0 to ", x->node->rank());
    list.emplace();
    for (int32_t axis = -n_axes; axis < 0; ++axis) list->push_back(axis);
  }
  return make(x->node, sizes, list, norm != nullptr ? norm : "backward");
}

harp_node* transform_axes(const char* op, TransformOfAxes make, harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes,
                          const char* norm) {
  return build_from(op, {x}, [&] { return transform_along(op, make, x, n_axes, s, axes, norm); });
}

/// Builds a Fourier transform along two axes.
harp_node* transform_plane(const char* op, TransformOfAxes make, harp_node* x, const CountedList<harp_dim>& s,
                           const CountedList<int32_t>& axes, const char* norm) {
  return build_from(op, {x}, [&] {
    check_list(op, "s", s, {0, 2});
    check_list(op, "axes", axes, {0, 2});
    return transform_along(op, make, x, 2, s.count != 0 ? s.values : nullptr, axes.count != 0 ? axes.values : nullptr, norm);
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
harp_node* harp_fft2(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm) {
  return transform_plane("fft2", build::fftn, x, {n_s, s}, {n_axes, axes}, norm);
}
harp_node* harp_ifftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm) {
  return transform_axes("ifftn", build::ifftn, x, n_axes, s, axes, norm);
}
harp_node* harp_ifft2(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm) {
  return transform_plane("ifft2", build::ifftn, x, {n_s, s}, {n_axes, axes}, norm);
}
harp_node* harp_rfftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm) {
  return transform_axes("rfftn", build::rfftn, x, n_axes, s, axes, norm);
}
harp_node* harp_rfft2(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm) {
  return transform_plane("rfft2", build::rfftn, x, {n_s, s}, {n_axes, axes}, norm);
}
harp_node* harp_irfftn(harp_node* x, int32_t n_axes, const harp_dim* s, const int32_t* axes, const char* norm) {
  return transform_axes("irfftn", build::irfftn, x, n_axes, s, axes, norm);
}
harp_node* harp_irfft2(harp_node* x, int32_t n_s, const harp_dim* s, int32_t n_axes, const int32_t* axes, const char* norm) {
  return transform_plane("irfft2", build::irfftn, x, {n_s, s}, {n_axes, axes}, norm);
}

harp_node* harp_dft(harp_node* re, harp_node* im) {
  return build_from("dft", {re, im}, [&] { return build::dft(re->node, im->node); });
}
