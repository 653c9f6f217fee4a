// Tests products whose rows are several axes, as in x[batch, step, feature] @ w[feature, unit]: the kernel joins these axes, so that short
// batches fill register tiles (schedule/product_axes.h).
#include "support/backends_run.h"

using namespace capi_test;

TEST_CASE("L6.packed_matmul/c X2: rows of several axes, for every size of a program") {
  const Backends backends;
  const auto run = [&](const std::string& x, const std::string& call, const std::vector<int64_t>& shape, const std::vector<int64_t>& w) {
    CAPTURE(call);
    std::string sizes;
    for (const int64_t size : w) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    backends.run("graph g(x: f32[" + x + "], w: f32[" + sizes + "], b: f32[" + std::to_string(w[1]) +
                     "]) flags=[broadcast] {\n  y = " + call + "\n  return y, z = relu(y + b), g = grad(sum(y * y), w)\n}",
                 rough(shape, 1), rough(w, 2), rough({w[1]}, 3));
  };
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{9, 3, 40}, {1, 1, 40}, {3, 70, 40}, {2, 1, 40}}) {
    for (const char* x : {"n, m, 40", "n in 1..9, m, 40", ""})
      run(*x != 0 ? x : std::to_string(shape[0]) + ", " + std::to_string(shape[1]) + ", 40", "x @ w", shape, {40, 33});
    run("n, m, 40", "x[:, ::-1] @ w", shape, {40, 33});  // the rows are not linear
    run("n, m, 40", "x[:, :, :20] @ w[:20]", shape, {40, 33});
  }
  run("n, 3, m, 40", "x @ w", {2, 3, 5, 40}, {40, 33});
  run("n, 3, m, 40", "permute(x, axes=[1, 0, 2, 3]) @ w", {2, 3, 5, 40}, {40, 33});
  run("n, m, 40", "permute(x, axes=[1, 0, 2]) @ w", {5, 3, 40}, {40, 33});
  run("n, 6, 40", "x[:, 1] @ w + x[:, 2] @ w + tanh(x[:, 3] @ w)", {7, 6, 40}, {40, 33});
  run("n, m, 40", "x @ w", {0, 3, 40}, {40, 33});
}

TEST_CASE("L6.packed_matmul/c: the rows of all batches are one axis, with known and with symbolic sizes") {
  const Context context = make_context();
  const auto schedule_of = [&](const std::string& x, const std::string& y) {
    const Graph graph =
        parse(context.get(), "harp 1\ngraph g(x: f32[" + x + ", 256], w: f32[256, 512]) flags=[broadcast] {\n  return y = " + y + "\n}");
    harp_compile_options options = HARP_COMPILE_OPTIONS_INIT;
    options.target = "x86-64-v3";
    ErrorSlot err;
    harp_string* schedule = harp_graph_emit(graph.get(), &options, "schedule", err);
    REQUIRE_MESSAGE(schedule != nullptr, err.message());
    return take(schedule);
  };
  const auto rows = [&](const std::string& x, const std::string& y = "x @ w") {
    const std::string text = schedule_of(x, y);
    const size_t begin = text.find("over [") + 6;
    return text.substr(begin, text.find(',', begin) - begin);
  };
  CHECK(rows("9, 5") == "45");
  CHECK(rows("9, n") == "9*n");
  CHECK(rows("n, 9") == "9*n");
  CHECK(rows("b, n") == "b*n");
  CHECK(rows("b, 2, n") == "2*b*n");
  CHECK(rows("b, 2", "stack(x[:, 0] @ w, exp(x[:, 1] @ w))") == "2*b");
  CHECK(rows("9, 200") == "9");  // each batch has enough rows
  // a softmax of the product is one kernel, and so is a product with the elementwise operations on it
  CHECK(schedule_of("9, 5", "softmax(x @ w, axis=-1)").find("2 kernels") != std::string::npos);
  CHECK(schedule_of("9, 5", "relu(x @ w + 1)").find("1 kernels") != std::string::npos);
}
