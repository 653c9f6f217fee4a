// Tests products whose axes are each too short for columns (the axis that kernels compute in vectors), so the kernels join the last axes to
// one that is long enough. Such products are the gradients of the weights of convolutions with few channels, and convolutions of small
// pictures (schedule/product_axes.h).
#include <regex>

#include "support/backends_run.h"

using namespace capi_test;

TEST_CASE("L6.packed_convolution/c X2: kernel rows, kernel columns and channels together are columns, for every size of a program") {
  const Backends backends;
  const auto run = [&](const std::string& call, const std::vector<int64_t>& x, const std::vector<int64_t>& w) {
    const auto listed = [](const std::vector<int64_t>& sizes, size_t symbolic) {
      std::string text;
      for (size_t i = 0; i < sizes.size(); ++i) {
        text += text.empty() ? "" : ", ";
        text += i < symbolic && i != 1 ? "n" + std::to_string(i) + (i == 0 ? "" : " in 9..99") : std::to_string(sizes[i]);
      }
      return text;
    };
    CAPTURE(call);
    for (const size_t symbolic : {size_t{0}, x.size()})
      backends.run("graph g(x: f32[" + listed(x, symbolic) + "], w: f32[" + listed(w, 0) + "]) {\n  y = " + call +
                       "\n  dw = grad(sum(y * y), w)\n  return dw, e = w - 0.5 * dw\n}",
                   rough(x, 1), rough(w, 2));
  };
  run("conv2d(x, w)", {2, 3, 11, 20}, {8, 3, 3, 3});
  run("conv2d(x, w, padding=1, stride=2)", {3, 3, 13, 20}, {8, 3, 3, 3});
  run("conv2d(x, w, padding=1)", {2, 7, 9, 18}, {4, 7, 3, 3});
  // the filters are enough to fill vectors, so the windows are the rows of the product
  run("conv2d(x, w, dilation=2)", {1, 2, 11, 19}, {31, 2, 3, 5});
  run("conv2d(cast(x, f64), cast(w, f64), padding=2)", {1, 3, 9, 10}, {5, 3, 5, 5});
  run("conv2d(x, w, padding=1)", {2, 8, 9, 18}, {33, 8, 3, 3});  // this product would have tiles even if its axes were not joined
  run("conv1d(x, w, padding=1)", {3, 2, 70}, {6, 2, 7});
}

TEST_CASE("L6.packed_convolution/c G15.conv2d/c X2: the pixels of all small pictures of a batch are columns") {
  const Backends backends;
  const auto run = [&](const std::string& x, const std::string& call, std::vector<int64_t> x_shape, std::vector<int64_t> w_shape) {
    CAPTURE(call);
    std::string w;
    for (const int64_t size : w_shape) w += (w.empty() ? "" : ", ") + std::to_string(size);
    backends.run("graph g(x: f32[" + x + "], w: f32[" + w + "]) {\n  y = " + call + "\n  return y, z = 0.5 * y\n}", rough(x_shape, 1),
                 rough(w_shape, 2));
  };
  run("3, 5, 5, 5", "conv2d(x, w)", {3, 5, 5, 5}, {17, 5, 3, 3});
  run("n, 5, 5, 5", "conv2d(x, w)", {3, 5, 5, 5}, {17, 5, 3, 3});
  run("3, 5, n, n", "conv2d(x, w, padding=1)", {3, 5, 5, 5}, {17, 5, 3, 3});
  run("4, 6, 7, 7", "conv2d(x, w, stride=2, padding=1)", {4, 6, 7, 7}, {32, 6, 3, 3});
  run("4, 6, 7, 7", "conv2d(x, w, padding=2, dilation=2)", {4, 6, 7, 7}, {16, 6, 3, 3});
  run("4, 6, 7, 7", "conv2d(x, w, groups=2)", {4, 6, 7, 7}, {40, 3, 3, 3});
  run("2, 3, 5, 7, 7", "conv3d(x, w, stride=2)", {2, 3, 5, 7, 7}, {19, 3, 3, 3, 3});
}

TEST_CASE("L6.packed_convolution/c: the gradient of the weights of a convolution with few channels has register tiles") {
  const Context context = make_context();
  const auto source = [&](const std::string& text) {
    const Graph graph = parse(context.get(), "harp 1\n" + text);
    return source_for("x86-64-v4", graph.get());
  };
  const auto contains = [](const std::string& text, std::string_view part) { return text.find(part) != text.npos; };
  const std::string gradient = source(
      "graph g(x: f32[4, 3, 16, 30], w: f32[8, 3, 3, 3], g: f32[4, 8, 14, 28]) {\n  return dw = grad(conv2d(x, w), w, grad_output=g)\n}");
  CHECK(contains(gradient, "contraction over [8, 27]"));
  // If the 8 channels alone were the columns, the gradient of the pixels would be packed 9 times, once for each kernel element. So kernel
  // elements and channels are joined to 72 columns.
  CHECK(contains(source("graph g(x: f32[4, 8, 16, 30], w: f32[32, 8, 3, 3], g: f32[4, 32, 14, 28]) {\n  return dw = grad(conv2d(x, w), w, "
                        "grad_output=g)\n}"),
                 "contraction over [32, 72]"));
  // The 36 pairs of a kernel element and a channel are one block of columns, so that the gradient of the pixels is packed only once.
  CHECK(contains(source("graph g(x: f32[50, 4, 32, 32], w: f32[32, 4, 3, 3], g: f32[50, 32, 32, 32]) {\n  return dw = grad(conv2d(x, w, "
                        "padding=1), w, grad_output=g)\n}"),
                 "sequential tile=36 "));
  const std::string line =
      source("graph g(x: f32[4, 2, 70], w: f32[6, 2, 7], g: f32[4, 6, 64]) {\n  return dw = grad(conv1d(x, w), w, grad_output=g)\n}");
  CHECK(contains(line, "contraction over [6, 14]"));
  // Two or three filters are enough for tiles if there are many terms.
  CHECK(contains(source("graph g(x: f32[1, 32, 12, 34], w: f32[3, 32, 3, 3]) {\n  return y = conv2d(x, w)\n}"),
                 "contraction over [3, 10, 32]"));
  // Each element of a windows' column is copied by a loop that computes no indices: along the columns the windows are not evenly spaced, so
  // the loop runs along the pixels.
  CHECK(std::regex_search(gradient, std::regex("for \\(int64_t ridx[^\n]*\\{\n *row[0-9]\\[[^\n]*= input0_row[0-9]*\\[[^\n]*;\n *\\}")));
  // With 16 filters or more, the pixels of all small pictures are the columns. With fewer, copying the windows would take longer than the
  // products.
  CHECK(
      contains(source("graph g(x: f32[4, 64, 5, 5], w: f32[16, 64, 3, 3]) {\n  return y = conv2d(x, w)\n}"), "contraction over [16, 36]"));
  CHECK(!contains(source("graph g(x: f32[4, 64, 5, 5], w: f32[8, 64, 3, 3]) {\n  return y = conv2d(x, w)\n}"), "contraction over [8, 36]"));
  // The picture is so small that all its pixels together are the columns.
  CHECK(contains(source("graph g(x: f32[1, 5, 5, 5], w: f32[6, 5, 3, 3]) {\n  return y = conv2d(x, w)\n}"), "contraction over [6, 9]"));
}
