// Tests gradients of windows: the sums of shifted rows are additions of padded rows (schedule/shifted_rows.h), with the same bits.
#include "support/backends_run.h"

using namespace capi_test;

namespace {

std::string listed(const std::vector<std::string>& sizes) {
  std::string text;
  for (const std::string& size : sizes) text += (text.empty() ? "" : ", ") + size;
  return text;
}

}  // namespace

TEST_CASE("G19.every_op/c X2: gradients of windows have the bits of the sums in the graph, for every number of rows, gap and size") {
  const Backends backends;
  const auto run = [&](const std::string& call, const std::vector<int64_t>& x) {
    CAPTURE(call);
    for (const bool symbolic : {false, true}) {
      std::vector<std::string> sizes;
      for (size_t i = 0; i < x.size(); ++i)
        sizes.push_back(!symbolic || i == 1 ? std::to_string(x[i]) : "n" + std::to_string(i) + (i == 0 ? "" : " in 7..99"));
      // The second gradient adds zeros with both signs.
      backends.run("graph g(x: f32[" + listed(sizes) + "]) {\n  y = " + call +
                       "\n  d = grad(sum(y * y), x)\n  return d, z = grad(y, x, grad_output=y * 0), s = sum(d * d)\n}",
                   rough(x, 1));
    }
  };
  for (const char* windows :
       {"axes=[2], size=3", "axes=[3], size=2", "axes=[2, 3], size=[3, 5]", "axes=[2, 3], size=[2, 3], dilation=[2, 3]",
        "axes=[2, 3], size=[3, 3], stride=[2, 2]", "axes=[2, 3], size=[5, 4], stride=[1, 3]",
        "axes=[2, 3], size=[3, 3], stride=[2, 3], dilation=[2, 1]", "axes=[2, 3], size=[3, 3], stride=[2, 2], dilation=[2, 2]",
        "axes=[3], size=7, stride=3, dilation=2", "axes=[3], size=16", "axes=[3], size=17", "axes=[2, 3], size=[7, 7]"})
    run("unfold(x, " + std::string(windows) + ")", {2, 3, 9, 21});
  run("max_pool(x, [2, 2], stride=1)", {2, 3, 9, 21});
  run("max_pool(x, [3, 3], stride=2, padding=1)", {2, 3, 9, 21});
  run("avg_pool(x, [3, 3], stride=1)", {2, 3, 9, 37});
  run("max_pool(x, [3], stride=1)", {2, 3, 40});
  run("unfold(cast(x, dtype=f64), axes=[2, 3], size=[3, 3])", {1, 2, 8, 19});
  run("cast(unfold(cast(x, dtype=f16), axes=[3], size=3), dtype=f32)", {1, 2, 8, 19});
}

TEST_CASE("G19.every_op/c: the gradient of windows stores no sums of windows along one axis only") {
  const Backends backends;
  const auto kernels = [&](const std::string& size, const std::string& h, const std::string& l, const std::vector<int64_t>& sizes) {
    const std::string lines = h + " + " + size + " - 1", pixels = l + " + " + size + " - 1";
    return backends
        .cost("graph g(g: f32[2, 16, " + h + ", " + l + ", " + size + ", " + size + "], x: f32[2, 16, " + lines + ", " + pixels +
                  "]) {\n  return d = grad(unfold(x, axes=[2, 3], size=[" + size + ", " + size + "]), x, grad_output=g)\n}",
              sizes)
        .kernels;
  };
  CHECK(kernels("3", "9", "27", {}) == 1);
  CHECK(kernels("4", "9", "27", {}) == 1);
  CHECK(kernels("3", "h", "l", {9, 27}) == 1);
  // A single expression for the sum over the windows would be too large, so the sums along one axis are stored.
  CHECK(kernels("7", "9", "27", {}) == 2);
  const Context context = make_context();
  const Graph graph = parse(context.get(),
                            "harp 1\ngraph g(g: f32[2, 16, 9, 27, 3, 3], x: f32[2, 16, 11, 29]) {\n"
                            "  return d = grad(unfold(x, axes=[2, 3], size=[3, 3]), x, grad_output=g)\n}");
  CHECK(source_for("x86-64-v4", graph.get()).find("elementwise over [2, 16, 11, 29]") != std::string::npos);
}

TEST_CASE("G19.windows/c L6.packed_convolution/c: the gradient of the input of a convolution is one kernel") {
  const Backends backends;
  const auto kernels = [&](const std::string& kernel, const std::string& h, const std::string& l, const std::vector<int64_t>& sizes) {
    const std::string lines = h + " + " + kernel + " - 1", pixels = l + " + " + kernel + " - 1";
    return backends
        .cost("graph g(g: f32[2, 24, " + h + ", " + l + "], w: f32[24, 16, " + kernel + ", " + kernel + "], x: f32[2, 16, " + lines + ", " +
                  pixels + "]) {\n  return d = grad(conv2d(x, w), x, grad_output=g)\n}",
              sizes)
        .kernels;
  };
  CHECK(kernels("3", "9", "27", {}) == 1);
  CHECK(kernels("3", "h", "l", {9, 27}) == 1);
  CHECK(kernels("7", "9", "27", {}) == 1);
  CHECK(
      backends
          .cost("graph g(x: f32[2, 16, 11, 29], w: f32[16, 1, 3, 3]) {\n  y = conv2d(x, w, groups=16)\n  return d = grad(sum(y * y), x)\n}",
                {})
          .kernels == 2);
}
