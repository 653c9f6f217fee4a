// Tests products that read windows along axes that are far from contiguous, such as the gradients of the weights of convolutions with many
// channels: the array under the windows is stored with its channels last (schedule/window_channels.h).
#include "base/text.h"
#include "support/backends_run.h"

using namespace capi_test;

TEST_CASE("L6.packed_convolution/c X2: arrays under windows are stored with their channels last, for every size of a program") {
  const Backends backends;
  const auto run = [&](const std::string& call, const std::vector<int64_t>& x, const std::vector<int64_t>& w) {
    const auto listed = [](const std::vector<int64_t>& sizes, bool is_symbolic) {
      std::string text;
      for (size_t i = 0; i < sizes.size(); ++i)
        text += (i == 0 ? "" : ", ") + (is_symbolic && i != 1 ? harp::cat("n", i, i == 0 ? "" : " in 9..99") : std::to_string(sizes[i]));
      return text;
    };
    CAPTURE(call);
    for (const bool is_symbolic : {false, true})
      backends.run("graph g(x: f32[" + listed(x, is_symbolic) + "], w: f32[" + listed(w, false) + "]) {\n  y = " + call +
                       "\n  dw = grad(sum(y * y), w)\n  return dw, e = w - 0.5 * dw\n}",
                   rough(x, 1), rough(w, 2));
  };
  run("conv2d(x, w, padding=1)", {2, 17, 9, 11}, {4, 17, 3, 3});
  run("conv2d(x, w)", {2, 16, 10, 13}, {32, 16, 3, 3});  // the filters fill vectors, so the channels are the rows
  run("conv2d(relu(x), w, padding=2, dilation=2)", {1, 24, 9, 12}, {5, 24, 3, 3});
  run("conv2d(x, w, padding=2, stride=2)", {1, 33, 11, 9}, {6, 33, 5, 5});
  run("conv2d(x, w, padding=1, groups=2)", {2, 32, 9, 10}, {8, 16, 3, 3});
  run("conv2d(cast(x, f64), cast(w, f64), padding=1)", {1, 18, 9, 9}, {4, 18, 3, 3});
  run("cast(conv2d(cast(x, f16), cast(w, f16), padding=1), f32)", {1, 16, 9, 10}, {4, 16, 3, 3});
  run("conv2d(permute(x, axes=[0, 1, 3, 2]), w)", {2, 19, 9, 10}, {4, 19, 3, 3});
  run("conv1d(x, w, padding=3)", {3, 20, 40}, {6, 20, 7});
  // Lines of at least 16 pixels are packed line by line; blocks of 256 terms begin and end anywhere in a line, or with a line.
  run("conv2d(x, w, padding=1)", {2, 17, 9, 21}, {4, 17, 3, 3});
  run("conv2d(x, w, padding=1)", {1, 33, 17, 32}, {24, 33, 3, 3});
  run("conv2d(x, w)", {3, 16, 9, 39}, {48, 16, 3, 3});
}

TEST_CASE("L6.packed_convolution/c: an array under windows is stored with its channels last if the windows read it often enough") {
  const Context context = make_context();
  const auto is_stored = [&](const std::string& x, const std::string& w, const std::string& result) {
    const Graph graph =
        parse(context.get(), "harp 1\ngraph g(x: f32[2, " + x + "], w: f32[" + w + "]) {\n  y = conv2d(x, w)\n  return " + result + "\n}");
    REQUIRE(graph != nullptr);
    return source_for("x86-64-v4", graph.get()).find("over [2, 99, 32]") != std::string::npos;
  };
  const std::string dw = "dw = grad(y, w, grad_output=y)";
  CHECK(is_stored("32, 9, 11", "24, 32, 3, 3", dw));
  CHECK(is_stored("32, 9, 11", "64, 32, 3, 3", dw));
  CHECK_FALSE(is_stored("32, 9, 11", "24, 32, 1, 2", dw));   // each element is read at most twice
  CHECK_FALSE(is_stored("32, 9, 11", "24, 32, 9, 11", dw));  // there is a single window, which reads each element once
  CHECK_FALSE(is_stored("32, 9, 11", "24, 32, 3, 3", "y"));  // the tiles of the convolution itself run along the pixels
  CHECK_FALSE(is_stored("32, 9, 11", "24, 32, 3, 3", "dx = grad(y, x, grad_output=y)"));
}

TEST_CASE("L6.packed_convolution/c: the positions of packed windows are computed once for each line of pixels") {
  const Context context = make_context();
  for (const char* filters : {"24", "64"}) {
    CAPTURE(filters);
    const Graph graph = parse(context.get(), harp::cat("harp 1\ngraph g(x: f32[2, 32, 20, 40], w: f32[", filters, ", 32, 3, 3], g: f32[2, ",
                                                       filters, ", 18, 38]) {\n  return dw = grad(conv2d(x, w), w, grad_output=g)\n}"));
    REQUIRE(graph != nullptr);
    for (const char* row : {"x86-64-v3", "x86-64-v4", "aarch64"}) {
      const std::string source = source_for(row, graph.get());
      CHECK(source.find("% 38") == std::string::npos);
    }
  }
}
