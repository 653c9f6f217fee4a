// Tests convolutions and pools: results equal those of plain loops, on every backend; the array of all windows is never stored; and every
// misuse is reported with the right message. (oracle_test.py compares all combinations of arguments with NumPy.)
#include <cmath>
#include <limits>

#include "support/backends_run.h"
#include "support/misuse.h"

using namespace capi_test;

namespace {

/// Computes conv2d by its definition. Sums in the order that docs/semantics.md prescribes: one chain of fused multiply-adds over kernel
/// rows, kernel columns and channels, in this nesting. Correct for at most 256 terms, because longer sums are divided into blocks.
std::vector<float> conv2d(const Values<float>& x, const Values<float>& w, int64_t stride, int64_t padding) {
  const int64_t n = x.dims[0], c = x.dims[1], h = x.dims[2], l = x.dims[3], o = w.dims[0], kh = w.dims[2], kw = w.dims[3];
  const int64_t oh = (h + 2 * padding - kh) / stride + 1, ow = (l + 2 * padding - kw) / stride + 1;
  std::vector<float> y;
  for (int64_t b = 0; b < n; ++b)
    for (int64_t f = 0; f < o; ++f)
      for (int64_t i = 0; i < oh; ++i)
        for (int64_t j = 0; j < ow; ++j) {
          float acc = 0;
          for (int64_t p = 0; p < kh; ++p)
            for (int64_t q = 0; q < kw; ++q)
              for (int64_t ch = 0; ch < c; ++ch) {
                const int64_t row = i * stride + p - padding, column = j * stride + q - padding;
                const bool inside = row >= 0 && row < h && column >= 0 && column < l;
                const float value = inside ? x.items[static_cast<size_t>(((b * c + ch) * h + row) * l + column)] : 0.0f;
                acc = std::fma(w.items[static_cast<size_t>(((f * c + ch) * kh + p) * kw + q)], value, acc);
              }
          y.push_back(acc + 0.0f);
        }
  return y;
}

}  // namespace

TEST_CASE("G15.conv2d,conv_stride,conv_padding/interp,c X2 G16: the chain over kernel and channels, for every size of one program") {
  const Backends backends;
  for (const auto& [n, h, l] : {std::array<int64_t, 3>{2, 9, 19}, {1, 3, 4}, {1, 30, 33}}) {
    const Values<float> x = rough({n, 5, h, l}, 1), w = rough({7, 5, 3, 3}, 2);
    for (const auto& [stride, padding] : {std::pair{1, 1}, std::pair{2, 0}}) {
      const std::string call = "conv2d(x, w, stride=" + std::to_string(stride) + ", padding=" + std::to_string(padding) + ")";
      const auto outputs =
          backends.run("graph g(x: f32[n, 5, h in 3..99, l in 3..99], w: f32[7, 5, 3, 3]) {\n  return y = " + call + "\n}", x, w);
      CHECK(values<float>(outputs[0].get()) == conv2d(x, w, stride, padding));
    }
  }
}

TEST_CASE(
    "G15.conv1d,conv2d,conv3d,conv_stride,conv_padding,conv_dilation/interp,c: each is the next one with an axis of size 1, also in "
    "integers") {
  const Backends backends;
  const auto outputs = backends.run(
      "graph g(x: i32[n, c, l], w: i32[6, c, 3], b: i32[6]) {\n"
      "  y = conv1d(x, w, b, stride=2, padding=[[1, 2]], dilation=2)\n"
      "  z = conv2d(unsqueeze(x, axes=[2]), unsqueeze(w, axes=[2]), b, stride=[1, 2], padding=[[0, 0], [1, 2]], dilation=[1, 2])\n"
      "  u = conv3d(unsqueeze(x, axes=[2, 3]), unsqueeze(w, axes=[2, 3]), b, stride=[1, 1, 2], padding=[0, 0, [1, 2]], dilation=[1, 1, "
      "2])\n"
      "  return a = y, d = squeeze(z, axes=[2]), e = squeeze(u, axes=[2, 3])\n}",
      whole<int32_t>({2, 4, 11}, 1), whole<int32_t>({6, 4, 3}, 2), whole<int32_t>({6}, 3));
  for (size_t i = 1; i < 3; ++i) CHECK(values<int32_t>(outputs[i].get()) == values<int32_t>(outputs[0].get()));
}

TEST_CASE("G15.conv_groups,conv2d/interp,c: every group is a convolution of its own; depthwise") {
  const Backends backends;
  const auto outputs = backends.run(
      "graph g(x: f32[n, 4, h in 3..99, l in 3..99], w: f32[6, 2, 3, 3], d: f32[4, 1, 3, 3]) {\n"
      "  first, second = split(x, sections=2, axis=1)\n  top, bottom = split(w, sections=2)\n"
      "  return y = conv2d(x, w, groups=2, padding=1), z = concat(conv2d(first, top, padding=1), conv2d(second, bottom, padding=1), "
      "axis=1),"
      " u = conv2d(x, d, groups=4)\n}",
      rough({2, 4, 6, 7}, 1), rough({6, 2, 3, 3}, 2), rough({4, 1, 3, 3}, 3));
  CHECK(values<float>(outputs[0].get()) == values<float>(outputs[1].get()));
  CHECK(dims(outputs[2].get()) == std::vector<int64_t>{2, 4, 4, 5});
}

TEST_CASE(
    "G15.conv_groups/c L6.packed_convolution/c X2: groups are products of their own, and the bias and what follows stay in their kernel") {
  const Backends backends;
  const auto text = [](const std::string& shape) {
    return "graph g(x: f32[" + shape +
           "], w: f32[24, 4, 3, 3], b: f32[24]) {\n  y = relu(conv2d(x, w, b, groups=3, padding=1))\n"
           "  return y, z = sum(y, axes=[2, 3]), d = grad(sum(y * y), w)\n}";
  };
  backends.run(text("n, 12, h in 3..99, l in 3..99"), rough({2, 12, 5, 19}, 1), rough({24, 4, 3, 3}, 2), rough({24}, 3));
  backends.run(text("2, 12, 9, 20"), rough({2, 12, 9, 20}, 1), rough({24, 4, 3, 3}, 2), rough({24}, 3));
  const std::string forward =
      "harp 1\ngraph g(x: f32[2, 12, 9, 20], w: f32[24, 4, 3, 3], b: f32[24]) {\n  return y = relu(conv2d(x, w, b, groups=3))\n}";
  const Context context = make_context();
  const Graph graph = parse(context.get(), forward);
  const std::string source = source_for("x86-64-v4", graph.get());
  CHECK(source.find("contraction") != source.npos);
  CHECK(source.find("kernel_1") == source.npos);
}

TEST_CASE("L6.packed_convolution/c: no division finds the channel of a term, nor the line of a pixel where lines are contiguous") {
  const Context context = make_context();
  const auto source = [&](const std::string& text) { return source_for("x86-64-v3", parse(context.get(), "harp 1\n" + text).get()); };
  // three channels, of which runs of terms consist
  const std::string known = source("graph g(x: f32[2, 3, 17, 17], w: f32[20, 3, 5, 5]) {\n  return y = conv2d(x, w)\n}");
  CHECK(known.find("% 3") == std::string::npos);
  CHECK(known.find("/ 3;") == std::string::npos);
  // a 1 x 1 convolution's gradient for x multiplies matrices whose columns are all pixels of an image
  const std::string unknown = source(
      "shape H in 1..999, W in 1..999\n"
      "graph g(x: f32[N, 8, H, W], w: f32[24, 8, 1, 1], g: f32[N, 24, H, W]) {\n  y = conv2d(x, w)\n"
      "  dx = grad(y, x, grad_output=g)\n  return dx\n}");
  CHECK(unknown.find("% shape") == std::string::npos);
}
TEST_CASE("L6.packed_convolution/c L6.packed_matmul/c X2: the gradient of a 1 x 1 convolution is two plain products") {
  const Backends backends;
  const auto text = [](const std::string& shape) {
    return "graph g(x: f32[" + shape + "], w: f32[20, 16, 1, 1], g: f32[" + shape.substr(0, shape.find(",")) + ", 20" +
           shape.substr(shape.find(",", shape.find(",") + 1)) +
           "]) {\n  y = conv2d(x, w)\n"
           "  dx, dw = grad(y, x, w, grad_output=g)\n  return dx, dw, r = relu(dx)\n}";
  };
  backends.run(text("2, 16, 9, 13"), rough({2, 16, 9, 13}, 1), rough({20, 16, 1, 1}, 2), rough({2, 20, 9, 13}, 3));
  backends.run(text("n, 16, h, l"), rough({2, 16, 7, 19}, 1), rough({20, 16, 1, 1}, 2), rough({2, 20, 7, 19}, 3));
  const Context context = make_context();
  const Graph graph = parse(context.get(),
                            "harp 1\ngraph g(x: f32[1, 16, 9, 13], w: f32[20, 16, 1, 1], g: f32[1, 20, 9, 13]) {\n  y = conv2d(x, w)\n"
                            "  dx, dw = grad(y, x, w, grad_output=g)\n  return dx, dw\n}");
  const std::string source = source_for("x86-64-v4", graph.get());
  CHECK(source.find("contraction over [16, 117]") != source.npos);
  CHECK(source.find("kernel_2") == source.npos);
}

TEST_CASE("L6.packed_matmul/c X2: a product with the pixels of a cut or thinned picture copies them, if rows are short or unknown") {
  const Backends backends;
  const auto text = [](const std::string& shape, const std::string& rows, const std::string& cut) {
    return "graph g(x: f32[" + shape + "], w: f32[" + rows + ", 32]) {\n  return y = einsum(w, x[" + cut + "], spec=\"oc,nchw->nohw\")\n}";
  };
  for (const char* cut : {":, :, 1:-1, 1:-1", ":, :, ::2, ::2", ":, :, ::-1, 2:5"})
    for (const char* shape : {"2, 32, 9, 9", "n, 32, h in 5..99, l in 5..99"})
      backends.run(text(shape, "20", cut), rough({2, 32, 9, 9}, 1), rough({20, 32}, 2));
  const auto has_merged = [&](const std::string& graph) {
    const Context context = make_context();
    const Graph parsed = parse(context.get(), "harp 1\n" + graph);
    return source_for("x86-64-v4", parsed.get()).find("contraction over [20, 49]") != std::string::npos;
  };
  CHECK(has_merged(text("1, 32, 9, 9", "20", ":, :, 1:-1, 1:-1")));
  CHECK(has_merged(text("1, 32, 14, 14", "20", ":, :, ::2, ::2")));
  // If the pixels of a row fill tiles, the kernel reads them without a copy. It also reads them without a copy if there are few filters.
  const std::string wide = text("1, 32, 30, 30", "20", ":, :, 1:-1, 1:-1"), few = text("1, 32, 9, 9", "8", ":, :, 1:-1, 1:-1");
  CHECK(backends.cost(wide, {}).workspace == 0);
  CHECK(backends.cost(few, {}).workspace == 0);
  CHECK(backends.cost(text("1, 32, 9, 9", "20", ":, :, 1:-1, 1:-1"), {}).workspace == 32 * 49 * sizeof(float));
}

TEST_CASE(
    "L6.packed_convolution/c X2: phases of a transposed convolution are rows of tiles, whatever the stride, groups and what follows") {
  const Backends backends;
  for (const char* call : {"conv_transpose2d(x, w, stride=2)", "relu(conv_transpose2d(x, w, stride=3, padding=1))",
                           "conv_transpose2d(x, w, stride=[1, 2], groups=2)"})
    for (const char* shape : {"2, 16, 6, 14", "n, 16, h in 3..99, l in 3..99"})
      backends.run(std::string("graph g(x: f32[") + shape + "], w: f32[16, 9, 3, 3]) {\n  return y = " + call + "\n}",
                   rough({2, 16, 6, 14}, 1), rough({16, 9, 3, 3}, 2));
  const Context context = make_context();
  const Graph graph = parse(
      context.get(), "harp 1\ngraph g(x: f32[2, 16, 6, 14], w: f32[16, 9, 3, 3]) {\n  return y = conv_transpose2d(x, w, stride=2)\n}");
  CHECK(source_for("x86-64-v4", graph.get()).find("contraction over") != std::string::npos);
}

TEST_CASE("G15: a transposed convolution is the adjoint of the convolution") {
  // <conv(x, w), y> equals <x, conv_transpose(y, w)> exactly, because the numbers are integers.
  const Backends backends;
  for (const char* arguments :
       {"", ", stride=2, padding=1", ", stride=3", ", dilation=2, padding=[[2, 1], [0, 3]]", ", stride=[2, 1], dilation=[3, 2]"}) {
    const std::string given = arguments;
    const auto outputs =
        backends.run("graph g(x: i64[2, 4, 13, 10], w: i64[6, 4, 3, 2]) {\n  y = conv2d(x, w" + given +
                         ")\n  z = y * y - 7\n  back = conv_transpose2d(z, w" + given + ")\n  return a = sum(y * z), b = back\n}",
                     whole<int64_t>({2, 4, 13, 10}, 1), whole<int64_t>({6, 4, 3, 2}, 2));
    const auto back = dims(outputs[1].get());
    const Values<int64_t> x = whole<int64_t>({2, 4, 13, 10}, 1);
    const std::vector<int64_t> got = values<int64_t>(outputs[1].get());
    int64_t total = 0;  // the convolution does not use rows and columns of x beyond the last window, so `back` may be smaller than x
    for (int64_t i = 0; i < 8; ++i)
      for (int64_t r = 0; r < back[2]; ++r)
        for (int64_t c = 0; c < back[3]; ++c)
          total += x.items[static_cast<size_t>((i * 13 + r) * 10 + c)] * got[static_cast<size_t>((i * back[2] + r) * back[3] + c)];
    CAPTURE(given);
    CHECK(total == values<int64_t>(outputs[0].get())[0]);
  }
}

TEST_CASE("G15.max_pool,avg_pool/interp,c G16: windows of the last axes, padding that never wins or does not count") {
  const Backends backends;
  const Values<float> x{{1, -2, 3, 4, -5, 6, 7, 8, -9, -1, -2, -3}, {3, 4}};
  const auto outputs = backends.run(
      "graph g(x: f32[h in 2..9, w in 2..9]) {\n  return a = max_pool(x, [2, 2]), b = max_pool(x, [3, 3], stride=2, padding=1), c = "
      "avg_pool(x, "
      "[2]), d = avg_pool(x, [3, 3], stride=2, padding=1, count_include_pad=false), e = max_pool(cast(x, dtype=i32), [2, 3], stride=1)\n}",
      x);
  using F = std::vector<float>;
  CHECK(values<float>(outputs[0].get()) == F{6, 8});
  CHECK(values<float>(outputs[1].get()) == F{6, 8, 6, 8});
  CHECK(values<float>(outputs[2].get()) == F{-0.5, 3.5, 0.5, 7.5, -5, -2.5});
  CHECK(values<float>(outputs[3].get()) == F{0, (-2.0f + 3 + 4 + 6 + 7 + 8) / 6, (-5.0f + 6 - 9 - 1) / 4, (6.0f + 7 + 8 - 1 - 2 - 3) / 6});
  CHECK(values<int32_t>(outputs[4].get()) == std::vector<int32_t>{7, 8, 7, 8});
}

TEST_CASE("G15.max_pool_indices,max_unpool/interp,c G16: where the greatest elements stand, and the way back") {
  const Backends backends;
  constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  const Values<float> x{{1, 5, 5, 2, 5, 0, -kInf, -kInf, 3, kNan, -kInf, kNan, 7, 8, 9}, {3, 5}};
  const std::string graph =
      "graph g(x: f32[h in 2..9, w in 2..9]) {\n  v, i = max_pool_with_indices(x, [2, 2], ceil_mode=true)\n"
      "  p, j = max_pool_with_indices(x, [2, 2], stride=3, padding=1)\n"
      "  return v = v, i = i, j = j, u = max_unpool(v, i, [2, 2], output_size=[h, w]), "
      "t = max_unpool(v, i * 0 + 3, [2, 2], stride=1, padding=0)\n}";
  const auto outputs = backends.run(graph, x);
  const auto same = [](const std::vector<float>& found, const std::vector<float>& expected) {
    return same_numbers<float>(found.data(), expected.data(), expected.size() * sizeof(float)) && found.size() == expected.size();
  };
  CHECK(same(values<float>(outputs[0].get()), {5, 5, kNan, kNan, 8, 9}));
  CHECK(values<int64_t>(outputs[1].get()) == std::vector<int64_t>{1, 2, 9, 11, 13, 14});
  // All elements of the third window are -inf. Its index is that of one of these elements (10), because an index never refers to the
  // padding.
  CHECK(values<int64_t>(outputs[2].get()) == std::vector<int64_t>{0, 2, 10, 13});
  CHECK(same(values<float>(outputs[3].get()), {0, 5, 5, 0, 0, 0, 0, 0, 0, kNan, 0, kNan, 0, 8, 9}));
  // The maximum of every window is given the index 3, so all maxima are stored at the same position. That of the last window, 9, remains.
  CHECK(same(values<float>(outputs[4].get()), {0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_CASE("G15.conv2d G15.max_pool G5.zero_copy: one kernel, no workspace: nothing is unfolded in memory") {
  const Backends backends;
  const std::string x = "x: f32[n, 8, h in 5..500, w in 5..500]";
  for (const std::string call :
       {"relu(conv2d(x, k, b, padding=1))", "conv2d(x, k, stride=2, dilation=2)", "max_pool(x, [3, 3], stride=2, padding=1)",
        "avg_pool(x, [2, 2])", "unfold2d(x, [3, 3])", "conv2d(x, d, groups=8)", "conv2d(x, e, groups=2)",
        "conv_transpose2d(x, t, groups=4)", "conv_transpose2d(x, t)", "conv_transpose2d(x, t, padding=1)"}) {
    const auto cost = backends.cost(
        "graph g(" + x + ", k: f32[16, 8, 3, 3], b: f32[16], d: f32[8, 1, 3, 3], e: f32[6, 4, 3, 3], t: f32[8, 4, 3, 3]) {\n  return y = " +
            call + "\n}",
        {2, 100, 100});
    CAPTURE(call);
    CHECK(cost.kernels == 1);
    CHECK(cost.workspace == 0);
    // Scratch memory holds a copy of the part of x that the windows for some rows read. A copy for all rows would have 2.9 MB.
    CHECK(cost.scratch < 300'000);
  }
  // A strided transposed convolution is computed as one convolution for each residue of the output position modulo the stride. Interleaving
  // these partial results copies the result once.
  const auto cropped =
      backends.cost("graph g(" + x + ", t: f32[8, 4, 3, 3]) {\n  return y = conv_transpose2d(x, t, stride=2, padding=1)\n}", {1, 10, 10});
  CHECK(cropped.kernels == 2);
  CHECK(cropped.workspace <= 4 * 4 * 22 * 22 + 64);
}

TEST_CASE("L6.packed_convolution/c G15.conv2d/c G15.conv1d/c G15.conv3d/c: windows are read from a copy of what they read together") {
  const Backends backends;
  const auto run = [&](const std::string& dtype, const std::string& call, const std::vector<int64_t>& x, const std::vector<int64_t>& k) {
    std::string shape_of_x, shape_of_k;
    for (size_t i = 0; i < x.size(); ++i) shape_of_x += (i > 0 ? ", n" : "n") + std::to_string(i);
    for (size_t i = 0; i < k.size(); ++i) shape_of_k += (i > 0 ? ", " : "") + std::to_string(k[i]);
    for (const bool symbolic : {true, false}) {
      std::string sizes = shape_of_x;
      if (!symbolic) {
        sizes.clear();
        for (size_t i = 0; i < x.size(); ++i) sizes += (i > 0 ? ", " : "") + std::to_string(x[i]);
      } else {
        sizes = "n0, " + std::to_string(x[1]) + sizes.substr(std::string("n0, n1").size());
      }
      CAPTURE(call);
      backends.run("graph g(x: f32[" + sizes + "], k: f32[" + shape_of_k + "]) {\n  a = cast(x, dtype=" + dtype +
                       ")\n  b = cast(k, dtype=" + dtype + ")\n  return y = cast(" + call + ", dtype=f32)\n}",
                   rough(x, 1), rough(k, 2));
    }
  };
  // The 270 terms are more than one block of 256, and the border between the blocks is within a run of 30 channels.
  run("f32", "conv2d(a, b, padding=1)", {2, 30, 11, 37}, {9, 30, 3, 3});
  run("f32", "relu(conv2d(relu(a), b, padding=1)) + conv2d(relu(a), b, padding=1)", {1, 16, 9, 9}, {16, 16, 3, 3});
  run("f64", "conv2d(a, b, padding=2, stride=2, dilation=2)", {1, 5, 30, 41}, {6, 5, 3, 3});
  run("f32", "conv2d(a, b)", {1, 30, 9, 53}, {3, 30, 3, 3});  // few filters
  run("f32", "conv2d(a, b, padding=1, stride=2)", {3, 33, 9, 27}, {2, 33, 3, 3});
  run("i32", "conv2d(a, b, padding=1)", {1, 17, 6, 70}, {5, 17, 3, 3});
  run("i16", "conv2d(a, b)", {2, 4, 7, 21}, {8, 4, 3, 3});
  run("f16", "conv2d(a, b, padding=1)", {1, 4, 7, 21}, {8, 4, 3, 3});
  run("f32", "conv2d(a, b, padding=1, groups=6)", {2, 6, 13, 29}, {6, 1, 3, 3});  // depthwise
  run("f32", "conv2d(a, b, padding=2, stride=3, groups=6)", {1, 6, 13, 150}, {12, 1, 5, 5});
  run("f64", "conv1d(a, b, padding=3, groups=3)", {2, 3, 200}, {3, 1, 7});
  run("f32", "conv1d(a, b, padding=3)", {2, 19, 90}, {8, 19, 7});
  run("f32", "conv3d(a, b, padding=1)", {1, 16, 5, 6, 21}, {8, 16, 3, 3, 3});
  // If there are enough filters to fill vectors, the filters are the columns of the matrix product. The cases cover whole and partial tiles
  // of pixels, whole and partial vectors of filters, and one or more blocks of terms.
  run("f32", "relu(conv2d(a, b, padding=1) + 1.0)", {2, 16, 9, 13}, {32, 16, 3, 3});
  run("f32", "conv2d(a, b, padding=1)", {1, 40, 7, 13}, {33, 40, 3, 3});
  run("f32", "conv2d(a, b, padding=3, stride=2)", {1, 3, 20, 21}, {40, 3, 7, 7});
  run("f64", "conv2d(a, b, padding=[[2, 0], [0, 1]], dilation=2)", {1, 5, 12, 19}, {17, 5, 3, 3});
  run("i32", "conv2d(a, b, groups=2)", {1, 8, 7, 21}, {48, 4, 3, 3});
  run("f32", "conv2d(a, b)", {2, 30, 5, 7}, {24, 30, 1, 1});
  run("f32", "conv2d(relu(a), b, stride=2)", {2, 30, 5, 17}, {24, 30, 2, 2});
  run("f32", "conv3d(a, b, padding=1)", {1, 8, 4, 5, 14}, {16, 8, 3, 3, 3});
  run("f32", "conv2d(a, b, stride=2)", {2, 30, 7, 7}, {33, 30, 3, 3});  // the rows of the result have three pixels
  run("f32", "conv3d(a, b)", {2, 9, 4, 4, 3}, {16, 9, 3, 3, 3});        // the rows of the result have one pixel
  // Without padding, the part of the input that the windows read is copied row by row; contiguous rows are copied together. The cases have
  // windows over part of the array and over all of it.
  run("f32", "conv2d(a, b)", {2, 16, 9, 40}, {24, 16, 3, 3});
  run("f32", "conv2d(a, b)", {1, 16, 70, 67}, {16, 16, 3, 3});
  run("f32", "conv2d(a, b, stride=2)", {2, 7, 21, 47}, {9, 7, 3, 5});
  run("f32", "conv2d(a, b, groups=4)", {1, 4, 33, 60}, {4, 1, 3, 3});
  run("f32", "conv3d(a, b)", {1, 8, 6, 7, 24}, {16, 8, 3, 3, 3});
  run("f32", "conv1d(a, b)", {3, 12, 300}, {16, 12, 5});
  // From one term of a sum to the next, a transposed convolution reads descending positions of its input. The cases have filters as rows
  // and as columns, windows that are partly or wholly padding, one or more blocks of terms, strides and gaps.
  run("f32", "conv_transpose2d(a, b)", {2, 16, 9, 40}, {16, 24, 3, 3});
  run("f32", "conv_transpose2d(a, b, padding=1)", {2, 30, 11, 37}, {30, 9, 3, 3});
  run("f32", "conv_transpose2d(relu(a), b)", {1, 40, 7, 5}, {40, 33, 5, 5});
  run("f64", "conv_transpose2d(a, b, padding=[[2, 1], [0, 3]], dilation=2)", {1, 8, 12, 19}, {8, 17, 3, 3});
  run("f32", "conv_transpose2d(a, b, stride=2, padding=1)", {2, 16, 9, 21}, {16, 32, 4, 4});
  run("i32", "conv_transpose2d(a, b, groups=2)", {1, 8, 7, 21}, {8, 20, 3, 3});
  run("f32", "conv_transpose1d(a, b)", {2, 19, 90}, {19, 16, 7});
  const auto scratch = [&](const std::string& call) {
    return backends.cost("graph g(x: f32[2, 16, 9, 40], k: f32[24, 16, 3, 3], t: f32[16, 24, 3, 3]) {\n  return y = " + call + "\n}", {})
        .scratch;
  };
  CHECK(scratch("conv_transpose2d(x, t)") == scratch("conv2d(x, k, padding=2)"));
  backends.run(
      "graph g(x: f32[1, 11, 15, 6], k: f32[32, 6, 3, 3]) {\n"
      "  return y = permute(conv2d(permute(x, axes=[0, 3, 1, 2]), k, padding=1), axes=[0, 2, 3, 1])\n}",
      rough({1, 11, 15, 6}, 1), rough({32, 6, 3, 3}, 2));
}

TEST_CASE(
    "L6.packed_convolution/c: windows without padding are copied, and sums turned to where they are stored, by a function of the "
    "source's") {
  const auto count = [](const std::string& call, std::string_view part) {
    const Context context = make_context();
    const Graph graph =
        parse(context.get(), "harp 1\ngraph g(x: f32[1, 16, 20, 34], k: f32[16, 16, 3, 3]) {\n  return y = " + call + "\n}");
    const std::string source = source_for("x86-64-v4", graph.get());
    size_t found = 0;
    for (size_t at = source.find(part); at != source.npos; at = source.find(part, at + 1)) ++found;
    return found;
  };
  const std::string_view copy = " copy_f32(", turned = " transpose_f32(output0";
  CHECK(count("conv2d(x, k)", copy) == 2);  // two matches: the definition of the function and its call
  CHECK(count("conv2d(x, k)", turned) == 1);
  CHECK(count("conv2d(x, k) + 1", copy) == 2);
  // The kernel adds 1 to the sums before it stores them, so it does not store them with transpose_f32().
  CHECK(count("conv2d(x, k) + 1", turned) == 0);
  // With padding, the part of the input that the windows read is not copied with copy_f32().
  CHECK(count("conv2d(x, k, padding=1)", copy) == 0);
  CHECK(count("conv2d(x, k, padding=1)", turned) == 1);
  CHECK(count("conv2d(x + 1, k, padding=1) + 1", copy) == 0);
}

TEST_CASE("G15.conv_groups/c L6.packed_convolution/c X2: depthwise windows of many terms, for lines of every length") {
  const Backends backends;
  const auto text = [](const std::string& sizes, const std::string& weights, const std::string& call) {
    return "graph g(x: f32[" + sizes + "], w: f32[" + weights + "]) flags=[broadcast] {\n  return y = " + call + "\n}";
  };
  const auto run = [&](const std::string& call, const std::vector<int64_t>& x, const std::vector<int64_t>& w) {
    std::string sizes, weights;
    for (const int64_t size : x) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    for (const int64_t size : w) weights += (weights.empty() ? "" : ", ") + std::to_string(size);
    CAPTURE(sizes);
    backends.run(text("n, " + std::to_string(x[1]) + ", h in 1..99, l in 1..999", weights, call), rough(x, 1), rough(w, 2));
    backends.run(text(sizes, weights, call), rough(x, 1), rough(w, 2));
  };
  // The image rows are shorter than a vector, one or several vectors, one tile of 8 vectors (of 4, 8 or 16 lanes), or several tiles long.
  for (const int64_t length : {1, 3, 7, 16, 33, 56, 129, 300}) run("conv2d(x, w, padding=2, groups=3)", {1, 3, 4, length}, {3, 1, 5, 5});
  run("conv2d(x, w, padding=[[0, 3], [5, 1]], groups=2, stride=[1, 2])", {2, 2, 9, 75}, {4, 1, 5, 7});
  run("relu(conv2d(x, w, padding=4, groups=2, dilation=2)) + 1", {1, 2, 6, 41}, {2, 1, 5, 5});
  run("conv2d(x, w, padding=8, groups=2)", {1, 2, 17, 37}, {2, 1, 17, 17});  // the sum has more than one block of terms
  run("avg_pool(x, [5, 5], stride=1, padding=2) + w", {2, 2, 9, 37}, {1});
  run("max_pool(x, [5, 5], stride=1, padding=2) + w", {1, 2, 9, 37}, {1});
  const auto check_text = [&](const char* row, const std::string& tile) {
    const auto source = [&](const std::string& sizes) {
      const Context context = make_context();
      const Graph graph = parse(context.get(), "harp 1\n" + text(sizes, "32, 1, 5, 5", "conv2d(x, w, padding=2, groups=32)"));
      return source_for(row, graph.get());
    };
    const std::string unknown = source("1, 32, h, w");
    CAPTURE(row);
    CHECK(unknown.find("reduce [thread, sequential, sequential " + tile + ", reduce unroll=8] partition overlap") != unknown.npos);
    // There is one variant for all sizes: windows are read from a copy that stays in a cache, not from memory.
    CHECK(unknown.find("kernel_1") == unknown.npos);
    CHECK(unknown.find("load_masked") == unknown.npos);  // the copy contains the padding, so no load needs a mask
    const std::string lines = source("1, 32, h, 56");
    CHECK(lines.find("row0[") != lines.npos);  // windows are read from the copy row0 even if only the number of image rows is unknown
  };
  check_text("x86-64-v3", "tile=64 simd=8");
  check_text("x86-64-v4", "tile=128 simd=16");
  check_text("x86-64-v4-one-load", "tile=128 simd=16");
}

TEST_CASE("L6.packed_convolution/c G15.conv_groups/c: blocks of a convolution whose sizes are unknown") {
  const auto schedule = [](const std::string& sizes, const std::string& weights, const std::string& more) {
    const Context context = make_context();
    const Graph graph = parse(context.get(), "harp 1\ngraph g(x: f32[" + sizes + "], w: f32[" + weights +
                                                 "]) {\n  return y = conv2d(x, w, padding=1" + more + ")\n}");
    return source_for("x86-64-v4", graph.get());
  };
  const auto has = [](const std::string& source, const std::string& axes) {
    return source.find("contraction [" + axes + ", reduce] partition overlap") != source.npos;
  };
  // Image rows of unknown length may be short, so a block may contain several of them. A row of known length fills the block.
  CHECK(has(schedule("1, 32, h, w", "64, 8, 3, 3", ", groups=4"),
            "thread, sequential tile=16 simd=16 pack, sequential tile=4, sequential tile=112 unroll=16 pack"));
  CHECK(has(schedule("1, 32, 56, 56", "64, 8, 3, 3", ", groups=4"),
            "thread, sequential tile=16 simd=16 pack, sequential tile=8, sequential tile=56 unroll=14 pack"));
  // With many channels, the windows for fewer pixels already fill the second-level cache.
  CHECK(has(schedule("1, 512, h, w", "512, 512, 3, 3", ""),
            "thread tile=192 unroll=2 simd=16 pack, sequential tile=2, sequential tile=28 unroll=14 pack"));
  // If there are few filters, the filters are the rows of the matrix product and the pixels of an image row are its columns. Tiles then
  // have few vectors.
  CHECK(has(schedule("1, 128, h, w", "128, 4, 3, 3", ", groups=32"),
            "thread, sequential tile=4 unroll=4 pack, sequential tile=4, sequential tile=128 unroll=2 simd=16"));
  CHECK(has(schedule("1, 64, h, w", "8, 64, 3, 3", ""), "thread tile=8 unroll=8 pack, sequential tile=4, sequential tile=112 simd=16"));
  CHECK(has(schedule("1, 64, h, w", "4, 64, 3, 3", ""),
            "thread tile=4 unroll=4 pack, sequential tile=4, sequential tile=128 unroll=2 simd=16"));
  CHECK(has(schedule("1, 64, 56, 56", "8, 64, 3, 3", ""),
            "thread tile=8 unroll=8 pack, sequential tile=9, sequential tile=512 unroll=2 simd=16"));
  const Backends backends;
  for (const int64_t length : {3, 14, 15, 113, 130})
    backends.run("graph g(x: f32[n, 8, h in 1..99, l in 1..999], w: f32[8, 4, 3, 3]) {\n  return y = conv2d(x, w, padding=1, groups=2)\n}",
                 rough({1, 8, 6, length}, 1), rough({8, 4, 3, 3}, 2));
  for (const int64_t length : {3, 14, 15, 113, 130})
    backends.run("graph g(x: f32[n, 8, h in 1..99, l in 1..999], w: f32[32, 4, 3, 3]) {\n  return y = conv2d(x, w, padding=1, groups=2)\n}",
                 rough({1, 8, 6, length}, 1), rough({32, 4, 3, 3}, 2));
  backends.run("graph g(x: f32[n, 500, h in 1..99, l in 1..999], w: f32[16, 500, 3, 3]) {\n  return y = conv2d(x, w, padding=1)\n}",
               rough({1, 500, 4, 31}, 1), rough({16, 500, 3, 3}, 2));
}

TEST_CASE("L6.packed_convolution/c G15.conv1d,conv2d,conv3d/interp,c X2: lines of an unknown number of pixels, of every short length") {
  const Backends backends;
  const auto run = [&](const std::string& x, const std::string& call, std::vector<int64_t> x_shape, std::vector<int64_t> w_shape) {
    CAPTURE(call);
    std::string w;
    for (const int64_t size : w_shape) w += (w.empty() ? "" : ", ") + std::to_string(size);
    const std::string text = "graph g(x: f32[" + x + "], w: f32[" + w + "]) {\n  y = " + call + "\n  return y, z = 0.5 * y\n}";
    for (const int64_t length : {1, 2, 3, 5, 7, 8, 9}) {
      x_shape.back() = length;
      backends.run(text, rough(x_shape, 1), rough(w_shape, 2));
    }
  };
  for (const int64_t filters : {3, 8, 12, 24}) {
    run("n, 5, h in 1..99, l in 1..99", "conv2d(x, w, padding=1)", {2, 5, 6, 0}, {filters, 5, 3, 3});
    run("n, 30, d in 1..9, h in 1..99, l in 1..99", "conv3d(x, w, padding=1, stride=2)", {1, 30, 2, 3, 0}, {filters, 30, 3, 3, 3});
  }
  run("n, 6, h in 1..99, l in 1..99", "conv2d(x, w, groups=2, padding=[2, 1])", {3, 6, 4, 0}, {16, 3, 3, 3});
  run("n, 7, l in 1..99", "conv1d(x, w, padding=2, dilation=2)", {3, 7, 0}, {16, 7, 3});
  // without any pixels
  backends.run("graph g(x: f32[n, 7, h, l], w: f32[8, 7, 3, 3]) {\n  return y = conv2d(x, w)\n}", rough({2, 7, 5, 1}, 3),
               rough({8, 7, 3, 3}, 4));
}

TEST_CASE("G15.conv1d G15.conv2d G15.conv3d G15.conv_groups: misuse") {
  const std::string inputs =
      "x: f32[2, 4, 9, 9], w: f32[6, 4, 3, 3], g: f32[6, 2, 3, 3], o: f32[5, 2, 3, 3], b: f32[5], i: i32[6, 4, 3, 3], s: f32[n, c, 9, 9]";
  const auto check = [&](const std::string& call, const char* code, const char* message) { check_misuse(inputs, call, code, message); };
  check("conv2d(x, g)", "SHAPE",
        "conv2d: x [2, 4, 9, 9] and weight [6, 2, 3, 3]: x has 4 channels, but the weight expects 2 in each of 1 group");
  check("conv2d(x, w, groups=2)", "SHAPE", "x has 4 channels, but the weight expects 4 in each of 2 groups");
  check("conv2d(x, o, groups=2)", "SHAPE", "5 output channels are not a multiple of 2 groups");
  check("conv2d(s, w)", "SHAPE", "x has c channels, but the weight expects 4");
  check("conv2d(x, w, groups=0)", "RANGE", "conv2d: groups is 0");
  check("conv2d(x, w, b)", "SHAPE", "conv2d: the bias (\"b\") has shape [5]; it must be [6], one number per output channel");
  check("conv2d(x, i)", "DTYPE", "conv2d: operands have dtypes f32 and i32");
  check("conv1d(x, w)", "SHAPE", "conv1d: \"x\" has shape [2, 4, 9, 9]; it must have 3 axes: batch, channels, and 1 spatial");
  check("conv2d(x, b)", "SHAPE", "conv2d: the weight (\"b\") has shape [5]; it must have 4 axes");
  check("conv2d(x, w, dilation=5)", "SHAPE",
        "conv2d: the window of axis 2 reaches over 11 elements (size 3, dilation 5), but \"x\" of shape [2, 4, 9, 9] has 9 there, padding "
        "included");
  check("conv2d(x, full([6, 4, 0, 3], 1, dtype=f32))", "RANGE", "conv2d: the window of axis 2 has size 0");
  check("conv2d(x, w, padding=-4)", "SHAPE",
        "conv2d: the window of axis 2 reaches over 3 elements (size 3, dilation 1), but \"x\" of shape [2, 4, 9, 9] has 1 there, padding "
        "included; padding is -4 before the axis and -4 after it, and a negative padding removes elements");
  check("conv2d(x, w, padding=[[-10, 9], 0])", "SHAPE",
        "conv2d: negative padding takes 10 elements from the start of axis 2 and 0 from its end, but \"x\" of shape [2, 4, 9, 9] has 9 "
        "there");
  check("conv2d(x, w, stride=0)", "RANGE", "conv2d: stride 0 and dilation 1 must be at least 1");
  check("conv2d(x, w, stride=[1, 1, 1])", "SHAPE", "conv2d: stride has 3 entries for 2 axes; expected one for each axis, or one for all");
  check("conv_transpose2d(x, w)", "SHAPE",
        "conv_transpose2d: x [2, 4, 9, 9] and weight [6, 4, 3, 3]: x has 4 channels, but the weight expects 6");
  check("conv_transpose2d(permute(w, axes=[1, 0, 2, 3]), w, groups=4)", "SHAPE", "6 channels are not a multiple of 4 groups");
  check("conv_transpose2d(permute(w, axes=[1, 0, 2, 3]), w, output_padding=1)", "RANGE",
        "output_padding is 1; it must be at least 0 and less than the stride (1)");
  check("conv_transpose2d(permute(w, axes=[1, 0, 2, 3]), w, padding=9)", "SHAPE", "axis 3 of the result would have -13 elements");
  check("max_pool(x, [1, 1, 1, 1, 1])", "SHAPE", "max_pool: a window of 5 axes over \"x\" of shape [2, 4, 9, 9]");
  check("max_pool(x, 10)", "SHAPE", "max_pool: the window of axis 3 reaches over 10 elements");
  check("max_pool(s, [c], padding=1)", "INVALID_ARGUMENT", "max_pool: the size c is symbolic; give a stride");
  check("avg_pool(i, 2)", "DTYPE", "avg_pool: takes");
  check("max_pool(x, 2, padding=[[-10, 9]])", "SHAPE", "max_pool: negative padding takes 10 elements from the start of axis 3");
  check("max_pool(x, 12, stride=2, ceil_mode=true)", "SHAPE", "max_pool: the window of axis 3 reaches over 12 elements");
  // negative padding takes a slice, and a mean of f16 casts to f32, but the message names the array
  for (const std::string pool : {"max_pool", "max_pool_with_indices", "avg_pool"})
    for (const std::string array : {"x", "f"})
      check_misuse("x: f32[2, 4, 9, 9], f: f16[2, 4, 9, 9]", pool + "(" + array + ", 2, padding=-4)", "SHAPE",
                   pool + ": the window of axis 3 reaches over 2 elements (size 2, dilation 1), but \"" + array +
                       "\" of shape [2, 4, 9, 9] has 1 there, padding included; padding is -4 before the axis and -4 after it, and a "
                       "negative padding removes elements");
  check("avg_pool(x, [2, 2], padding=[[0, 0], [-8, 0]], ceil_mode=true, stride=1)", "SHAPE",
        "avg_pool: the window of axis 3 reaches over 2 elements (size 2, dilation 1), but \"x\" of shape [2, 4, 9, 9] has 1 there, padding "
        "included; padding is -8 before the axis and 0 after it");
  check("max_pool(s, [2, 2], padding=[[-8, 0], [0, 0]])", "SHAPE", "but \"s\" of shape [n, c, 9, 9] has 1 there, padding included");
  check("max_unpool(x, i, 2)", "SHAPE", "max_unpool: operands have shapes [2, 4, 9, 9] and");
  check("max_unpool(x, x, 2)", "DTYPE", "max_unpool: indices must be integers, got f32");
  check("max_unpool(x, cast(x, dtype=i64), 2, output_size=[9, 9])", "SHAPE", "max_unpool: output_size [9, 9] for a window of 1 axes");
}
