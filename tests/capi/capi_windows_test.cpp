// Tests parameters that consist of a list and its count, such as strides and padding. The list is empty (for the default value), or has one
// number for all axes, one number for each axis, or two numbers for each axis (the padding before and after it). Also tests every invalid
// count.
#include "support/capi_same_graph.h"

using namespace capi_test;

namespace {

const int64_t kTwo[] = {2}, kOneTwo[] = {1, 2}, kThrees[] = {3, 3, 3};
const harp_dim kWindow[] = {2, 3}, kThree[] = {3}, kPairs[] = {1, 0, 2, 1}, kOne[] = {1}, kOneAnAxis[] = {1, 2};

/// Returns an array of ones of type f64 with these sizes.
harp_node* ones(const Operands& o, const std::vector<harp_dim>& dims) {
  return harp_broadcast_to(harp_constant(o.g, HARP_F64, 1), static_cast<int32_t>(dims.size()), dims.data());
}
harp_node* image(const Operands& o) {
  const harp_dim dims[] = {1, 1, 6, 6};
  return harp_reshape(o.d, 4, dims);
}

/// Checks that `build` fails with this code, and that its message begins with `op` and contains `words`.
void check_fails(const char* op, harp_status code, const char* words, const std::function<void(const Operands&)>& build) {
  CAPTURE(words);
  static const Context context = make_context();
  const Graph g = make_graph(context.get());
  const Operands o = declare(g.get());
  build(o);
  const harp_error* error = harp_graph_error(g.get());
  REQUIRE(error != nullptr);
  const std::string message = harp_error_message(error);
  INFO(message);
  CHECK(harp_error_code(error) == code);
  CHECK(message.starts_with(std::string(op) + ": "));
  CHECK(message.find(words) != std::string::npos);
}

}  // namespace

TEST_CASE("G5 G15: one number goes for every axis, no number is the default") {
  const Context context = make_context();
  const int32_t axes[] = {0, 1};
  check_same(context.get(), "unfold(d, axes=[0, 1], size=3, stride=2)",
             [&](const Operands& o) { return harp_unfold(o.d, 2, axes, 1, kThree, 1, kTwo, 0, nullptr); });
  check_same(context.get(), "unfold(d, axes=[0, 1], size=[2, 3], dilation=[1, 2])",
             [&](const Operands& o) { return harp_unfold(o.d, 2, axes, 2, kWindow, 0, nullptr, 2, kOneTwo); });
  check_same(context.get(), "unfold2d(d, size=3, padding=1)",
             [&](const Operands& o) { return harp_unfold2d(o.d, 1, kThree, 0, nullptr, 0, nullptr, 1, kOne); });
  check_same(context.get(), "unfold2d(d, size=3, padding=[[1, 1], [2, 2]])",
             [&](const Operands& o) { return harp_unfold2d(o.d, 1, kThree, 0, nullptr, 0, nullptr, 2, kOneAnAxis); });
  check_same(context.get(), "unfold2d(d, size=3, padding=[[1, 0], [2, 1]])",
             [&](const Operands& o) { return harp_unfold2d(o.d, 1, kThree, 0, nullptr, 0, nullptr, 4, kPairs); });
  check_same(context.get(), "unfold1d(d, size=3, padding=[[1, 2]])",
             [&](const Operands& o) { return harp_unfold1d(o.d, 1, kThree, 0, nullptr, 0, nullptr, 2, kOneAnAxis); });
  // If the list of axes is empty, the operation does nothing, whatever number is given for all axes.
  const Graph g = make_graph(context.get());
  const Operands o = declare(g.get());
  CHECK(harp_unfold(o.d, 0, nullptr, 0, nullptr, 1, kTwo, 0, nullptr) == o.d);
  CHECK(harp_graph_error(g.get()) == nullptr);
}

TEST_CASE("G15: lists of convolutions and pools") {
  const Context context = make_context();
  const std::string x = "reshape(d, shape=[1, 1, 6, 6])", w = "broadcast_to(f64(1), shape=[4, 1, 2, 2])";
  check_same(context.get(), "conv2d(" + x + ", " + w + ", stride=2, padding=1)", [](const Operands& o) {
    // Separate statements, because the nodes must be created in the same order as by the text's parser.
    harp_node *x = image(o), *w = ones(o, {4, 1, 2, 2});
    return harp_conv2d(x, w, nullptr, 1, kTwo, 1, kOne, 0, nullptr, 1);
  });
  check_same(context.get(), "conv2d(" + x + ", " + w + ", padding=[1, 2], dilation=[1, 2])", [](const Operands& o) {
    harp_node *x = image(o), *w = ones(o, {4, 1, 2, 2});
    return harp_conv2d(x, w, nullptr, 0, nullptr, 2, kOneAnAxis, 2, kOneTwo, 1);
  });
  check_same(context.get(), "conv_transpose2d(" + x + ", broadcast_to(f64(1), shape=[1, 4, 2, 2]), stride=2, output_padding=1)",
             [](const Operands& o) {
               harp_node *x = image(o), *w = ones(o, {1, 4, 2, 2});
               const int64_t one[] = {1};
               return harp_conv_transpose2d(x, w, nullptr, 1, kTwo, 0, nullptr, 1, one, 1, 0, nullptr);
             });
  harp_pool_options options = HARP_POOL_OPTIONS_INIT;
  options.n_stride = 1, options.stride = kTwo;
  options.n_padding = 1, options.padding = kOne;
  check_same(context.get(), "max_pool(d, size=[2, 3], stride=2, padding=1)",
             [&](const Operands& o) { return harp_max_pool(o.d, 2, kWindow, &options); });
  const Graph g = make_graph(context.get());
  const Operands o = declare(g.get());
  harp_node *values = nullptr, *indices = nullptr;
  REQUIRE(harp_max_pool_with_indices(o.d, 2, kWindow, &options, &values, &indices) == HARP_OK);
  CHECK(harp_node_dtype(values) == HARP_F64);
  CHECK(harp_node_dtype(indices) == HARP_I64);
}

TEST_CASE("C1: a list of another count says what came and what may come") {
  const int32_t axes[] = {0, 1};
  check_fails("unfold", HARP_ERROR_SHAPE, "size has 0 numbers, expected 1 or 2",
              [&](const Operands& o) { harp_unfold(o.d, 2, axes, 0, nullptr, 0, nullptr, 0, nullptr); });
  check_fails("unfold", HARP_ERROR_SHAPE, "stride has 3 numbers, expected 0, 1 or 2",
              [&](const Operands& o) { harp_unfold(o.d, 2, axes, 2, kWindow, 3, kThrees, 0, nullptr); });
  check_fails("unfold1d", HARP_ERROR_SHAPE, "size has 2 numbers, expected 1",
              [](const Operands& o) { harp_unfold1d(o.d, 2, kWindow, 0, nullptr, 0, nullptr, 0, nullptr); });
  check_fails("unfold1d", HARP_ERROR_SHAPE, "padding has 4 numbers, expected 0, 1 or 2",
              [](const Operands& o) { harp_unfold1d(o.d, 1, kThree, 0, nullptr, 0, nullptr, 4, kPairs); });
  check_fails("unfold2d", HARP_ERROR_SHAPE, "dilation has -1 numbers, expected 0, 1 or 2",
              [](const Operands& o) { harp_unfold2d(o.d, 2, kWindow, 0, nullptr, -1, kTwo, 0, nullptr); });
  check_fails("unfold2d", HARP_ERROR_INVALID_ARGUMENT, "stride is NULL, but its count is 2",
              [](const Operands& o) { harp_unfold2d(o.d, 2, kWindow, 2, nullptr, 0, nullptr, 0, nullptr); });
  check_fails("conv2d", HARP_ERROR_SHAPE, "padding has 3 numbers, expected 0, 1, 2 or 4", [](const Operands& o) {
    harp_conv2d(image(o), ones(o, {1, 1, 2, 2}), nullptr, 0, nullptr, 3, kThrees, 0, nullptr, 1);
  });
  check_fails("conv_transpose2d", HARP_ERROR_SHAPE, "output_padding has 3 numbers, expected 0, 1 or 2", [](const Operands& o) {
    harp_conv_transpose2d(image(o), ones(o, {1, 1, 2, 2}), nullptr, 0, nullptr, 0, nullptr, 3, kThrees, 1, 0, nullptr);
  });
  harp_pool_options options = HARP_POOL_OPTIONS_INIT;
  options.n_dilation = 3, options.dilation = kThrees;
  check_fails("avg_pool", HARP_ERROR_SHAPE, "dilation has 3 numbers, expected 0, 1 or 2",
              [&](const Operands& o) { harp_avg_pool(o.d, 2, kWindow, &options); });
  check_fails("max_unpool", HARP_ERROR_SHAPE, "output_size has 1 numbers, expected 0 or 2",
              [](const Operands& o) { harp_max_unpool(o.d, harp_cast(o.d, HARP_I32), 2, kWindow, nullptr, 1, kThree); });
  const double scale[] = {1.5};
  check_fails("interpolate", HARP_ERROR_SHAPE, "scales has 1 numbers, expected 0 or 2",
              [&](const Operands& o) { harp_interpolate(o.d, 2, kWindow, 1, scale, nullptr, nullptr, nullptr, -0.75); });
  check_fails("fft2", HARP_ERROR_SHAPE, "s has 1 numbers, expected 0 or 2",
              [](const Operands& o) { harp_fft2(o.d, 1, kThree, 0, nullptr, nullptr); });
  check_fails("irfft2", HARP_ERROR_SHAPE, "axes has 1 numbers, expected 0 or 2",
              [&](const Operands& o) { harp_irfft2(o.d, 0, nullptr, 1, axes, nullptr); });
  check_fails("rfft2", HARP_ERROR_INVALID_ARGUMENT, "axes is NULL",
              [](const Operands& o) { harp_rfft2(o.d, 0, nullptr, 2, nullptr, nullptr); });
}

TEST_CASE("C1: what is written has to have room of the right size") {
  check_fails("unstack", HARP_ERROR_SHAPE, "room for 3 parts, but axis 1", [](const Operands& o) {
    harp_node* parts[4] = {};
    CHECK(harp_unstack(o.f, 1, 3, parts) == HARP_ERROR_SHAPE);
    CHECK(parts[0] == nullptr);
  });
  check_fails("unstack", HARP_ERROR_SHAPE, "must be constant", [](const Operands& o) {
    harp_node* parts[4] = {};
    harp_unstack(o.f, 0, 4, parts);
  });
  check_fails("unstack", HARP_ERROR_INVALID_ARGUMENT, "array of results is NULL",
              [](const Operands& o) { harp_unstack(o.f, 1, 4, nullptr); });
  check_fails("constant_array", HARP_ERROR_SHAPE, "data has 20 bytes, but f32[2, 3] has 24", [](const Operands& o) {
    const float data[6] = {};
    harp_constant_array(o.g, HARP_F32, 2, kWindow, 20, data);
  });

  const Context context = make_context();
  const Graph g = make_graph(context.get());
  const Operands o = declare(g.get());
  harp_dim dims[2] = {-5, -5};
  ErrorSlot err;
  CHECK(harp_node_dims(o.d, 1, dims, err) == HARP_ERROR_SHAPE);
  CHECK(err.message().find("rank is 1, but") != std::string::npos);
  CHECK(dims[0] == -5);
  const harp_dim none[] = {0, 2};
  harp_node* empty = harp_input(g.get(), "empty", HARP_F32, 2, none);
  CHECK(harp_unstack(empty, 0, 0, nullptr) == HARP_OK);
}

TEST_CASE("C1: of a pair of results either may be unwanted, not both") {
  const Context context = make_context();
  const Graph g = make_graph(context.get());
  const Operands o = declare(g.get());
  harp_node *values = nullptr, *indices = nullptr, *alone = nullptr;
  REQUIRE(harp_topk(o.d, 2, 0, 1, &values, &indices) == HARP_OK);
  CHECK(harp_node_dtype(values) == HARP_F64);
  CHECK(harp_node_dtype(indices) == HARP_I64);
  REQUIRE(harp_topk(o.d, 2, 0, 1, &alone, nullptr) == HARP_OK);
  CHECK(alone == values);
  REQUIRE(harp_topk(o.d, 2, 0, 1, nullptr, &alone) == HARP_OK);
  CHECK(alone == indices);
  REQUIRE(harp_cummax_with_indices(o.d, 0, nullptr, &indices) == HARP_OK);
  REQUIRE(harp_cummin_with_indices(o.d, 0, &values, nullptr) == HARP_OK);
  check_fails("topk", HARP_ERROR_INVALID_ARGUMENT, "both NULL", [](const Operands& o) { harp_topk(o.d, 2, 0, 1, nullptr, nullptr); });
  check_fails("cummax_with_indices", HARP_ERROR_INVALID_ARGUMENT, "both NULL",
              [](const Operands& o) { harp_cummax_with_indices(o.d, 0, nullptr, nullptr); });
  check_fails("topk", HARP_ERROR_SHAPE, "", [](const Operands& o) {
    harp_node *v = o.f, *i = o.i;
    CHECK(harp_topk(o.d, 7, 0, 1, &v, &i) == HARP_ERROR_SHAPE);
    CHECK(v == o.f);  // unchanged
    CHECK(i == o.i);
  });
}
