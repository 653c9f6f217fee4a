// The functions of harp.h for layers, losses, resizing and other composites build the same graphs as the operations of the text format.
#include "support/capi_same_graph.h"

using namespace capi_test;

namespace {

/// Returns the operand d with the shape [2, 3, 3, 2]: a batch of two images with three channels.
harp_node* images(const Operands& o) {
  const harp_dim dims[] = {2, 3, 3, 2};
  return harp_reshape(o.d, 4, dims);
}
constexpr const char* kImages = "reshape(d, shape=[2, 3, 3, 2])";
/// Returns an array of three numbers.
harp_node* three(const Operands& o) {
  const harp_dim start[] = {0, 0}, stop[] = {1, 3}, dims[] = {3};
  return harp_reshape(harp_slice(o.d, 2, start, stop, nullptr), 1, dims);
}
constexpr const char* kThree = "reshape(slice(d, start=[0, 0], stop=[1, 3]), shape=[3])";

}  // namespace

TEST_CASE("G22: activations and elementwise functions") {
  const Context context = make_context();
#define UNARY(name, x) check_same(context.get(), #name "(" #x ")", [](const Operands& o) { return harp_##name(o.x); })
  UNARY(relu6, f), UNARY(hardsigmoid, f), UNARY(hardswish, f), UNARY(mish, f), UNARY(softsign, f), UNARY(logsigmoid, f), UNARY(signbit, i);
#undef UNARY
  check_same(context.get(), "logaddexp(f, f2)", [](const Operands& o) { return harp_logaddexp(o.f, o.f2); });
  check_same(context.get(), "nextafter(f, f2)", [](const Operands& o) { return harp_nextafter(o.f, o.f2); });
  check_same(context.get(), "hardtanh(f, -2, 3)", [](const Operands& o) { return harp_hardtanh(o.f, -2, 3); });
  check_same(context.get(), "leaky_relu(f, 0.5)", [](const Operands& o) { return harp_leaky_relu(o.f, 0.5); });
  check_same(context.get(), "isclose(f, f2, rtol=0.5, atol=0, equal_nan=true)",
             [](const Operands& o) { return harp_isclose(o.f, o.f2, 0.5, 0, 1); });
}

TEST_CASE("G22: functions of arrays") {
  const Context context = make_context();
  const int32_t first[] = {0};
  check_same(context.get(), "diff(d, n=2, axis=0)", [](const Operands& o) { return harp_diff(o.d, 2, 0); });
  check_same(context.get(), "count_nonzero(b, axes=[0], keepdims=true)",
             [&](const Operands& o) { return harp_count_nonzero(o.b, 1, first, 1); });
  check_same(context.get(), std::string("cross(") + kThree + ", " + kThree + ")",
             [](const Operands& o) { return harp_cross(three(o), three(o), -1); });
  check_same(context.get(), "diag(d, k=1)", [](const Operands& o) { return harp_diag(o.d, 1); });
  check_same(context.get(), std::string("diag(") + kThree + ", k=-1)", [](const Operands& o) { return harp_diag(three(o), -1); });
  check_same(context.get(), "isin(i, i2, invert=true)", [](const Operands& o) { return harp_isin(o.i, o.i2, 1); });
  check_same(context.get(), "rot90(d, k=3, axis1=1, axis2=0)", [](const Operands& o) { return harp_rot90(o.d, 3, 1, 0); });
  check_same(context.get(), "gather_nd(d, cast(slice(i, stop=[none, 2]), i64))", [](const Operands& o) {
    const harp_dim stop[] = {HARP_SLICE_NONE, 2};
    return harp_gather_nd(o.d, harp_cast(harp_slice(o.i, 2, nullptr, stop, nullptr), HARP_I64), 0);
  });
  check_same(context.get(), "scatter(f, i, f2, axis=0)", [](const Operands& o) { return harp_scatter(o.f, o.i, o.f2, 0); });
  check_same(context.get(), "scatter(b, i, b)", [](const Operands& o) { return harp_scatter(o.b, o.i, o.b, -1); });
  check_same(context.get(), "scatter_mul(f, i, f2)", [](const Operands& o) { return harp_scatter_mul(o.f, o.i, o.f2, -1); });
  check_same(context.get(), "scatter_max(f, i, f2)", [](const Operands& o) { return harp_scatter_max(o.f, o.i, o.f2, -1); });
  check_same(context.get(), "scatter_min(i, i2, i, axis=0)", [](const Operands& o) { return harp_scatter_min(o.i, o.i2, o.i, 0); });
  check_same(context.get(), "scatter_reduce(f, i, f2, axis=0, reduction=\"sum\")",
             [](const Operands& o) { return harp_scatter_reduce(o.f, o.i, o.f2, 0, nullptr, 1); });
  check_same(context.get(), "scatter_reduce(f, i, f2, axis=1, reduction=\"mean\", include_self=false)",
             [](const Operands& o) { return harp_scatter_reduce(o.f, o.i, o.f2, 1, "mean", 0); });
  check_same(context.get(), "scatter_nd(f, slice(i, stop=[none, 1]), f2)", [](const Operands& o) {
    const harp_dim stop[] = {HARP_SLICE_NONE, 1};
    return harp_scatter_nd(o.f, harp_slice(o.i, 2, nullptr, stop, nullptr), o.f2, nullptr);
  });
}

TEST_CASE("G22: transforms of several axes") {
  const Context context = make_context();
  const harp_dim sizes[] = {3, 4};
  const int32_t axes[] = {1, 0};
  check_same(context.get(), "fftn(d)", [](const Operands& o) { return harp_fftn(o.d, 0, nullptr, nullptr, nullptr); });
  check_same(context.get(), "ifftn(fft(d), s=[3, 4], axes=[1, 0])",
             [&](const Operands& o) { return harp_ifftn(harp_fft(o.d, 0, -1, nullptr), 2, sizes, axes, nullptr); });
  check_same(context.get(), "rfftn(d, axes=[-1])", [](const Operands& o) { return harp_rfftn(o.d, 1, nullptr, nullptr, nullptr); });
  check_same(context.get(), "irfftn(fft(d))",
             [](const Operands& o) { return harp_irfftn(harp_fft(o.d, 0, -1, nullptr), 0, nullptr, nullptr, nullptr); });
  check_same(context.get(), "fft2(d, s=[3, 4])", [&](const Operands& o) { return harp_fft2(o.d, 2, sizes, 0, nullptr, nullptr); });
  check_same(context.get(), "ifft2(fft(d), axes=[1, 0])",
             [&](const Operands& o) { return harp_ifft2(harp_fft(o.d, 0, -1, nullptr), 0, nullptr, 2, axes, nullptr); });
  check_same(context.get(), "rfft2(d, norm=ortho)", [](const Operands& o) { return harp_rfft2(o.d, 0, nullptr, 0, nullptr, "ortho"); });
  check_same(context.get(), "irfft2(fft(d))",
             [](const Operands& o) { return harp_irfft2(harp_fft(o.d, 0, -1, nullptr), 0, nullptr, 0, nullptr, nullptr); });
}

TEST_CASE("G22: norms of channels, attention, resizing") {
  const Context context = make_context();
  const std::string x = kImages, w = kThree;
  check_same(context.get(), "batch_norm(" + x + ", mean=" + w + ", var=" + w + ", weight=" + w + ", eps=0.5)", [](const Operands& o) {
    harp_node *x = images(o), *w = three(o);  // separate variables, so that the nodes are created in the text parser's order
    return harp_batch_norm(x, w, w, w, nullptr, 1, 0.5);
  });
  check_same(context.get(), "batch_norm(" + x + ", bias=" + w + ")", [](const Operands& o) {
    harp_node *x = images(o), *w = three(o);  // separate variables, so that the nodes are created in the text parser's order
    return harp_batch_norm(x, nullptr, nullptr, nullptr, w, 1, 1e-5);
  });
  check_same(context.get(), "group_norm(" + x + ", 3, weight=" + w + ")", [](const Operands& o) {
    harp_node *x = images(o), *w = three(o);  // separate variables, so that the nodes are created in the text parser's order
    return harp_group_norm(x, 3, w, nullptr, 1e-5);
  });
  check_same(context.get(), "instance_norm(" + x + ", bias=" + w + ")", [](const Operands& o) {
    harp_node *x = images(o), *w = three(o);  // separate variables, so that the nodes are created in the text parser's order
    return harp_instance_norm(x, nullptr, w, 1e-5);
  });
  const double scale = 0.5;
  check_same(context.get(), "scaled_dot_product_attention(f, f2, f2)",
             [](const Operands& o) { return harp_scaled_dot_product_attention(o.f, o.f2, o.f2, nullptr, 0, nullptr, 0); });
  check_same(context.get(), "scaled_dot_product_attention(d, d, d, d, is_causal=true, scale=0.5)",
             [&](const Operands& o) { return harp_scaled_dot_product_attention(o.d, o.d, o.d, o.d, 1, &scale, 0); });
  const harp_dim sizes[] = {5, 4};
  const double scales[] = {1.5, 2};
  check_same(context.get(), "interpolate(d, size=[5, 4])",
             [&](const Operands& o) { return harp_interpolate(o.d, 2, sizes, 0, nullptr, nullptr, nullptr, nullptr, -0.75); });
  check_same(context.get(), "interpolate(d, size=[5, 4], scales=[1.5, 2], mode=cubic, coordinates=asymmetric, cubic_coeff_a=-0.5)",
             [&](const Operands& o) { return harp_interpolate(o.d, 2, sizes, 2, scales, "cubic", "asymmetric", nullptr, -0.5); });
}

TEST_CASE("G22: losses and running extremes") {
  const Context context = make_context();
  check_same(context.get(), "huber_loss(f, f2, delta=2, reduction=\"sum\")",
             [](const Operands& o) { return harp_huber_loss(o.f, o.f2, 2, "sum"); });
  check_same(context.get(), "binary_cross_entropy(f, f2, weight=f)",
             [](const Operands& o) { return harp_binary_cross_entropy(o.f, o.f2, o.f, nullptr); });
  check_same(context.get(), "binary_cross_entropy_with_logits(f, f2, pos_weight=f)",
             [](const Operands& o) { return harp_binary_cross_entropy_with_logits(o.f, o.f2, nullptr, o.f, nullptr); });
  check_same(context.get(), "cross_entropy(d, argmax(d, axis=1), ignore_index=2, label_smoothing=0.5)",
             [](const Operands& o) { return harp_cross_entropy(o.d, harp_argmax(o.d, 1, 0), HARP_AXIS_NONE, nullptr, 2, 0.5, nullptr); });
  check_same(context.get(), "nll_loss(d, argmax(d, axis=1), ignore_index=-1)",
             [](const Operands& o) { return harp_nll_loss(o.d, harp_argmax(o.d, 1, 0), HARP_AXIS_NONE, nullptr, -1, nullptr); });
  const Graph g = make_graph(context.get());
  const Operands o = declare(g.get());
  for (const auto function : {harp_cummax_with_indices, harp_cummin_with_indices}) {
    harp_node *extremes = nullptr, *indices = nullptr;
    REQUIRE(function(o.f, 1, &extremes, &indices) == HARP_OK);
    CHECK(harp_node_dtype(extremes) == HARP_F32);
    CHECK(harp_node_dtype(indices) == HARP_I64);
    CHECK(harp_node_rank(indices) == 2);
  }
}
