// Tests fusion: counts the kernels in the generated source. The results of the fused program must be bit-identical to the interpreter's.
#include "base/text.h"
#include "support/backends_run.h"

using namespace capi_test;

namespace {

/// Returns the number of kernels in the C code generated for a graph.
size_t kernels_in_source(harp_context* context, const std::string& text) {
  const Graph graph = parse(context, "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  const std::string c = source_for("x86-64-v4", graph.get());
  constexpr const char* kDefinition = "noinline)) void kernel_";
  size_t count = 0;
  for (size_t at = c.find(kDefinition); at != c.npos; at = c.find(kDefinition, at + 1)) ++count;
  return count;
}

void check_fused(const char* body, size_t kernels = 1) {
  INFO(body);
  const Backends backends;
  const std::string text = harp::cat("graph g(x: f32[24, 37], w: f32[24, 37], r: f32[37]) {\n", body, "\n}");
  CHECK(kernels_in_source(backends.context(), text) == kernels);
  backends.run(text, rough({24, 37}, 1), rough({24, 37}, 2), rough({37}, 3));
}

}  // namespace

TEST_CASE("G17.elementwise/c: chains through every kind of view are one kernel") {
  check_fused("  return y = relu(x * w + 1.0) * 2.0");
  check_fused("  return y = exp(x * 1e-3) + tanh(w), z = x * w, c = x < w");
  check_fused("  return y = transpose(x) * 2.0 + transpose(w)");
  check_fused("  return y = flip(x) + roll(w, shift=[3], axis=[1])");
  check_fused("  return y = slice(x, start=[1, 2], step=[2, 3]) * slice(w, start=[1, 2], step=[2, 3])");
  check_fused("  return y = x * expand(reshape(r, shape=[1, 37]), shape=[24, 37])");
  check_fused("  return y = pad(x, before=[1, 0], after=[0, 2], value=0.5) * 3.0");
  check_fused("  return y = concat([x * 2.0, w + 1.0], axis=1) * 0.5");
  check_fused("  return y = where(x < w, sqrt(abs(x)), w * w)");
  check_fused("  return y = reshape(x + w, shape=[37, 24]) * 2.0");
  check_fused("  return y = cast(cast(x, dtype=i32) * 3, dtype=f32) - w");
  check_fused("  return y = repeat(x, repeats=2, axis=0) + 1.0");
}

TEST_CASE("G17.into_reduce/c G15.matmul/c: products of the same unknown sizes are separate kernels, so that they have register tiles") {
  const Backends backends;
  for (const char* text : {"graph g(a: f32[n, 20], b: f32[20, 40], c: f32[20, 40]) {\n  return y = a @ b, z = a @ c\n}",
                           "graph g(a: f32[m, k], b: f32[k, n], c: f32[k, n]) {\n  return y = a @ b, z = a @ c\n}"}) {
    CAPTURE(text);
    const Graph graph = parse(backends.context(), std::string("harp 1\n") + text);
    REQUIRE(graph != nullptr);
    for (const char* row : {"x86-64", "x86-64-v3", "x86-64-v4"})
      CHECK(source_for(row, graph.get()).find("contraction [") != std::string::npos);
    for (const int64_t rows : {1, 4, 50}) backends.run(text, rough({rows, 20}, 1), rough({20, 40}, 2), rough({20, 40}, 3));
  }
  const Graph complex = parse(backends.context(), "harp 1\ngraph g(a: complex64[m, k], b: complex64[k, n]) {\n  return y = a @ b\n}");
  REQUIRE(complex != nullptr);
  CHECK(source_for("x86-64-v4", complex.get()).find("contraction [") != std::string::npos);
  // products that never have enough columns for tiles, or enough terms for tiles along their many rows, still share a kernel
  CHECK(kernels_in_source(backends.context(), "graph g(a: f32[n, 12], b: f32[12, 3], c: f32[12, 3]) {\n  return y = a @ b, z = a @ c\n}") ==
        1);
  CHECK(kernels_in_source(backends.context(), "graph g(a: f32[9, 20], b: f32[20, 3], c: f32[20, 3]) {\n  return y = a @ b, z = a @ c\n}") ==
        1);
}

TEST_CASE("G17.elementwise/c: outputs that share nearly all of what they compute are one kernel, however many operations that are") {
  std::string steps;
  const auto name = [](const char* letter, int i) { return letter + std::to_string(i); };
  // Each step has six operations. Each output depends on all steps, so it alone needs more than half of the operations that a kernel may
  // have.
  constexpr int kSteps = 110;
  steps += "  u0 = x + w\n  v0 = x - w\n";
  for (int i = 0; i < kSteps; ++i) {
    const std::string u = name("u", i), v = name("v", i);
    steps += "  " + name("u", i + 1) + " = " + u + " * 0.5 + " + v + "\n";
    steps += "  " + name("v", i + 1) + " = " + v + " * 0.25 - " + u + "\n";
  }
  check_fused((steps + "  return y = " + name("u", kSteps) + ", z = " + name("v", kSteps)).c_str());
}

TEST_CASE("G17.into_reduce/c: what a reduction reads is computed in its kernel, over any axes, several reductions together") {
  for (const char* axes : {"[0]", "[1]", "[0, 1]"}) {
    INFO(axes);
    const auto with = [axes](std::string body) {
      for (size_t at = body.find("AXES"); at != body.npos; at = body.find("AXES")) body.replace(at, 4, axes);
      return body;
    };
    check_fused(with("  return y = sum(exp(x * 1e-3) * w, axes=AXES)").c_str());
    check_fused(with("  return y = max(abs(flip(x) - w), axes=AXES)").c_str());
    // Joined or padded along axes that are flattened, each element would be loaded by itself, so a kernel stores the pad or concat first.
    const size_t kernels = axes == std::string_view("[0, 1]") ? 2 : 1;
    check_fused(with("  return y = sum(pad(x, before=[1, 1], after=[1, 1], value=2.0) * 0.5, axes=AXES)").c_str(), kernels);
    check_fused(with("  return y = sum(concat([x, w], axis=1) * 2.0, axes=AXES)").c_str(), kernels);
    check_fused(with("  return y = sum(where(x < w, x, w), axes=AXES)").c_str());
    check_fused(with("  return y = sum(x * w, axes=AXES), z = max(x, axes=AXES), m = min(w, axes=AXES)").c_str());
  }
}

TEST_CASE("G17.into_reduce/c: the sum over a field that is stored loads the field, and the arrays it is made of are not stored") {
  // A sum over both axes cannot compute the shifted arrays itself: each element would need a division to find its index.
  for (const char* const shape : {"[100, 90]", "[h, w]"}) {
    INFO(shape);
    const Backends backends;
    const std::string text = harp::cat("graph g(u: f32", shape, ") {\n",
                                       "  l = roll(u, shift=1, axis=0) + roll(u, shift=-1, axis=0) + roll(u, shift=1, axis=1) - 3.0 * u\n",
                                       "  return y = l, e = sum(l * l), m = max(l)\n}");
    CHECK(kernels_in_source(backends.context(), text) == 2);
    backends.run(text, rough({100, 90}, 1));
  }
}

TEST_CASE("G17.epilogue/c: what is computed from a reduction alone is in its kernel") {
  check_fused("  return y = sqrt(sum(x * x, axes=[1]) + 1.0)");
  check_fused("  return y = relu(sum(x, axes=[0]) + r) * 2.0");
  check_fused("  return y = tanh(matmul(x, transpose(w)) * 1e-6 + 0.5)");
}

TEST_CASE("G17.epilogue/c: a product stores the activation that another product reads, however cheap it is") {
  const Backends backends;
  const std::string layers = "graph g(x: f32[40, 96], w: f32[96, 192], b: f32[192], v: f32[192, 64]) flags=[broadcast] {\n";
  // The text of relu of one element. The kernels compute whole vectors, which call a function of another name.
  const auto computes_single = [&](const std::string& text) {
    const Graph graph = parse(backends.context(), "harp 1\n" + text);
    REQUIRE(graph != nullptr);
    return source_for("x86-64-v4", graph.get()).find("<= 0.0f ? 0.0f") != std::string::npos;
  };
  const auto run = [&](const std::string& text) {
    backends.run(text, rough({40, 96}, 1), rough({96, 192}, 2), rough({192}, 3), rough({192, 64}, 4));
  };
  const std::string stored = layers + "  return y = relu(x @ w + b) @ v\n}";
  CHECK_FALSE(computes_single(stored));
  CHECK(backends.cost(stored, {}).kernels == 2);
  CHECK(backends.cost(stored, {}).workspace == 40 * 192 * 4);
  run(stored);
  // If the sums are an output, too, storing the activation would need a second buffer, so the second product computes it.
  const std::string both = layers + "  h = x @ w + b\n  return y = relu(h) @ v, h = h\n}";
  CHECK(backends.cost(both, {}).kernels == 2);
  CHECK(backends.cost(both, {}).workspace == 0);
  run(both);
  // If a consumer needs the conversion of a value to a larger dtype, the value itself is stored, not its conversion.
  const std::string narrow =
      "graph g(x: i8[40, 96], w: i8[96, 192], v: i8[192, 64]) {\n  h = cast(cast(x, dtype=i32) @ cast(w, dtype=i32), dtype=i8)\n"
      "  return y = cast(h, dtype=i32) @ cast(v, dtype=i32)\n}";
  CHECK(backends.cost(narrow, {}).workspace == 40 * 192);
  backends.run(narrow, whole<int8_t>({40, 96}, 1), whole<int8_t>({96, 192}, 2), whole<int8_t>({192, 64}, 3));
  // An activation of the sums of two products needs both of them, so it is not part of one product.
  run(layers + "  return y = relu(x @ w - (x * 0.5) @ w) @ v\n}");
}

TEST_CASE("G17.softmax/c: reductions over the same rows and what is between them are one kernel, over any axes") {
  for (const char* axes : {"[0]", "[1]", "[0, 1]"}) {
    INFO(axes);
    const auto with = [axes](std::string body) {
      for (size_t at = body.find("AXES"); at != body.npos; at = body.find("AXES")) body.replace(at, 4, axes);
      return body;
    };
    check_fused(with("  e = exp(x - expand(max(x, axes=AXES, keepdims=true), shape=[24, 37]))\n"
                     "  return y = e / expand(sum(e, axes=AXES, keepdims=true), shape=[24, 37])")
                    .c_str());
    // A graph with operations before the first reduction, with an array (e) that is also an output, and with outputs that have one element
    // for each row.
    check_fused(
        with("  v = tanh(x * 1e-3) + w\n  m = max(v, axes=AXES, keepdims=true)\n  e = exp(v - expand(m, shape=[24, 37]))\n"
             "  s = sum(e, axes=AXES, keepdims=true)\n  return y = e / expand(s, shape=[24, 37]), e = e, m = m * 2.0, l = log(s) + m")
            .c_str());
    check_fused(with("  return y = x - expand(sum(x, axes=AXES, keepdims=true), shape=[24, 37]), z = sum(x, axes=AXES)").c_str());
    check_fused(with("  return y = logsumexp(x * 1e-3, axes=AXES)").c_str());
    check_fused(with("  return y = sqrt(var(x, axes=AXES)), z = mean(x, axes=AXES)").c_str());
  }
  check_fused("  return y = softmax(x * 1e-3, axis=1)");
  check_fused("  return y = softmax(x * 1e-3, axis=0)");
  check_fused("  return y = log_softmax(x * 1e-3, axis=-1)");
  check_fused("  return y = norm(x, axes=[1]), z = x / expand(norm(x, axes=[1], keepdims=true), shape=[24, 37])");
}

TEST_CASE("G17.softmax/c G16: row-wise kernels of any size, short rows and long ones, few columns and many") {
  const Backends backends;
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{1, 1}, {0, 5}, {5, 0}, {3, 700}, {300, 5}, {513, 300}, {7, 4099}, {2, 70000}}) {
    for (const char* axis : {"0", "1"}) {
      const std::string body = harp::cat("  return y = softmax(x * 1e-3, axis=", axis, "), z = layer_norm(tanh(x), axes=[", axis, "])\n}");
      INFO(body);
      backends.run("graph g(x: f32[n, m]) {\n" + body, rough({shape[0], shape[1]}, 3));
      if (shape[0] > 0 && shape[1] > 0)  // a row is known to be short enough to be kept between passes only if sizes are constants
        backends.run(harp::cat("graph g(x: f32[", shape[0], ", ", shape[1], "]) {\n", body), rough({shape[0], shape[1]}, 3));
    }
  }
}

TEST_CASE("G17.softmax/c G17.layer_norm/c L2: with few columns, vectors of kernels of their own run along the rows") {
  const Backends backends;
  const auto kernels = [&](const std::string& type, const std::string& y, const std::string& before = "") {
    return kernels_in_source(backends.context(), "graph g(x: " + type + ") {\n" + before + "  return y = " + y + "\n}");
  };
  // Four kernels compute the max; exp; the sum and its reciprocal; and the product.
  CHECK(kernels("f32[1300, 3]", "softmax(x, axis=0)") == 4);
  CHECK(kernels("f64[n, 5]", "softmax(x, axis=0)") == 4);
  CHECK(kernels("f32[2, 1300]", "log_softmax(z, axis=0)", "  z = permute(x, axes=[1, 0])\n") == 4);
  CHECK(kernels("f32[1300, 2]", "logsumexp(x, axes=[0])") == 3);
  // One kernel is enough if the columns fill at least half of the vectors, if there are few elements, if columns are short, or if
  // there is a further axis besides the rows and the columns.
  CHECK(kernels("f32[1300, 8]", "softmax(x, axis=0)") == 1);
  CHECK(kernels("f32[100, 3]", "softmax(x, axis=0)") == 1);
  CHECK(kernels("f32[16, 3]", "softmax(x, axis=0)") == 1);
  CHECK(kernels("f32[n, 1300, 3]", "softmax(x, axis=1)") == 1);
  // A product of two arrays that are both expanded is not stored, because it has more elements than the arrays.
  CHECK(kernels_in_source(backends.context(),
                          "graph g(x: f32[n, 1], w: f32[1, 3]) {\n  return y = sum(exp(expand(x, shape=[n, 3]) - expand(w, shape=[n, 3])), "
                          "axes=[0])\n}") == 1);

  for (const char* const y :
       {"softmax(x * 0.001, axis=0)", "log_softmax(x * 0.001, axis=0)", "layer_norm(x, axes=[0])", "prod(tanh(x), axes=[0])"}) {
    CAPTURE(y);
    for (const auto& [dtype, columns] : {std::pair<const char*, int64_t>{"f32", 1}, {"f32", 2}, {"f32", 13}, {"f64", 5}, {"f16", 3}}) {
      const std::string body = harp::cat("  x = cast(s, dtype=", dtype, ")\n  return y = ", y, "\n}");
      backends.run(harp::cat("graph g(s: f32[n, ", columns, "]) {\n", body), rough({700, columns}, 1));
      backends.run(harp::cat("graph g(t: f32[", columns, ", 600]) {\n  s = permute(t, axes=[1, 0])\n", body), rough({columns, 600}, 2));
    }
    // The sizes at run time may be small.
    for (const int64_t rows : {0, 2, 9})
      backends.run(harp::cat("graph g(s: f32[n, 3]) {\n  x = s * 2.0\n  return y = ", y, "\n}"), rough({rows, 3}, 3));
  }
}

TEST_CASE("G17.layer_norm/c: normalised rows with weight and bias are one kernel") {
  check_fused("  return y = layer_norm(x, axes=[1], weight=r, bias=r * 2.0)");
  check_fused("  return y = rms_norm(x, axes=[1], weight=r)");
  check_fused("  return y = layer_norm(x, axes=[0])");
  check_fused("  return y = layer_norm(x, axes=[0, 1])");
  check_fused("  return y = softmax(layer_norm(x, axes=[1]), axis=1), z = layer_norm(relu(x), axes=[1])");
}

TEST_CASE("G17.softmax/c G19: softmax and cross entropy, forwards and backwards, are at most 4 kernels") {
  const Backends backends;
  const std::string text =
      "graph g(x: f32[n, 100], t: i32[n]) {\n  l = cross_entropy(x * 1e-3, t)\n  dx = grad(l, x)\n  return l = l, dx = dx\n}";
  CHECK(kernels_in_source(backends.context(), text) <= 4);
  Values<int32_t> classes{{0, 99, 5, -1, 100, 50, 7}, {7}};
  backends.run(text, rough({7, 100}, 1), classes);
}

TEST_CASE("G17.softmax/c: attention holds one array of scores, in which softmax works in place") {
  const Backends backends;
  const std::string text =
      "graph g(q: f32[2, 4, n, 32], k: f32[2, 4, n, 32], v: f32[2, 4, n, 32]) flags=[broadcast] {\n"
      "  s = matmul(q, moveaxis(k, -1, -2)) * 0.1767767\n  return y = matmul(softmax(s, axis=-1), v)\n}";
  const auto cost = backends.cost(text, {100});
  CHECK(cost.kernels == 3);
  CHECK(cost.workspace == 2 * 4 * 100 * 100 * 4);
  backends.run(text, rough({2, 4, 21, 32}, 1), rough({2, 4, 21, 32}, 2), rough({2, 4, 21, 32}, 3));
}

TEST_CASE("G17.softmax/c: attention of many heads holds the scores of one, in the memory of a worker") {
  const Backends backends;
  const std::string text =
      "graph g(q: f32[8, 256, 16], k: f32[8, 256, 16], v: f32[8, 256, 16]) {\n"
      "  s = matmul(q, moveaxis(k, -1, -2)) * 0.25\n  return y = matmul(softmax(s, axis=-1), v)\n}";
  const auto cost = backends.cost(text, {});
  CHECK(cost.kernels == 3);
  CHECK(cost.workspace == 0);
  CHECK(cost.scratch >= 256 * 256 * 4);
  CHECK(cost.scratch < 2 * 256 * 256 * 4);
  backends.run(text, rough({8, 256, 16}, 1), rough({8, 256, 16}, 2), rough({8, 256, 16}, 3));
}

TEST_CASE("G17.into_reduce/c: what two products read as a larger array is stored as it is, not as large as they read it") {
  const Backends backends;
  const std::string text =
      "graph g(z: f32[128, 10], h: f32[128, 256], w: f32[256, 10]) flags=[broadcast] {\n"
      "  e = exp(z * 1e-3) / sqrt(abs(z) + 1.0)\n  g = expand(unsqueeze(e, axes=[1]), shape=[128, 256, 10])\n"
      "  return a = sum(g * unsqueeze(h, axes=[2]), axes=[0]), b = sum(g * unsqueeze(w, axes=[0]), axes=[2])\n}";
  const auto cost = backends.cost(text, {});
  CHECK(cost.kernels == 3);
  CHECK(cost.workspace == 128 * 10 * 4);
  backends.run(text, rough({128, 10}, 1), rough({128, 256}, 2), rough({256, 10}, 3));
}

TEST_CASE("G17.softmax/c: what is read of another batch is there, and what may be overwritten is not") {
  const Backends backends;
  const auto workspace = [&](std::string_view body) {
    return backends.cost(harp::cat("graph g(x: f32[8, 256, 256]) {\n  r = softmax(x, axis=2)\n", body, "\n}"), {}).workspace;
  };
  constexpr size_t kWhole = 8 * 256 * 256 * 4;
  CHECK(workspace("  return y = softmax(r, axis=1)") == 0);
  CHECK(workspace("  return y = softmax(flip(r, axes=[0]), axis=1)") == kWhole);
  CHECK(workspace("  return y = softmax(permute(r, axes=[1, 0, 2]), axis=0)") >= kWhole);
  // the workspace has only one array: y may overwrite x in the same buffer, although both kernels read x
  CHECK(workspace("  return y = softmax(r, axis=1) + x") == kWhole);
}

TEST_CASE("G17.softmax/c: what is not of the row at hand ends a row-wise kernel") {
  check_fused("  e = exp(x * 1e-3)\n  return y = flip(e, axes=[1]) / expand(sum(e, axes=[1], keepdims=true), shape=[24, 37])", 2);
  check_fused(
      "  v = x / expand(max(x, axes=[1], keepdims=true), shape=[24, 37])\n"
      "  return y = flip(v, axes=[1]) / expand(sum(v, axes=[1], keepdims=true), shape=[24, 37])",
      2);
  check_fused(
      "  v = x / expand(max(x, axes=[1], keepdims=true), shape=[24, 37])\n"
      "  return y = v / expand(max(v, axes=[0], keepdims=true), shape=[24, 37])",
      2);
  // The column sums c depend on the row maxima m, and the row sums z depend on c, so m and z cannot be computed by one kernel.
  check_fused(
      "  m = max(x, axes=[1], keepdims=true)\n  c = sum(x / expand(m, shape=[24, 37]), axes=[0], keepdims=true)\n"
      "  return y = x - expand(m, shape=[24, 37]) + expand(c, shape=[24, 37]), z = sum(x * expand(c, shape=[24, 37]), axes=[1])",
      3);
}

TEST_CASE("G15.variance/interp,c: mean and variance of rows and columns, biased and not, far from zero too") {
  const Backends backends;
  Values<double> x = whole<double>({6, 50}, 4);
  for (double& v : x.items) v += 1e8;  // with values near 1e8, computing the variance from a sum of squares would lose all digits
  const auto outputs = backends.run(
      "graph g(x: f64[n, m]) {\n  return a = var(x, axes=[1]), b = var(x, axes=[0], correction=1), c = var(x), m = mean(x, axes=[1])\n}",
      x);
  const auto reference = [&](const std::vector<double>& v, double correction) {
    double mean = 0, sum = 0;
    for (const double e : v) mean += (e - 1e8) / static_cast<double>(v.size());
    for (const double e : v) sum += (e - 1e8 - mean) * (e - 1e8 - mean);
    return sum / (static_cast<double>(v.size()) - correction);
  };
  const auto rows = values<double>(outputs[0].get()), columns = values<double>(outputs[1].get());
  for (size_t i = 0; i < 6; ++i)
    CHECK(rows[i] ==
          doctest::Approx(
              reference({x.items.begin() + static_cast<ptrdiff_t>(50 * i), x.items.begin() + static_cast<ptrdiff_t>(50 * i + 50)}, 0))
              .epsilon(1e-6));
  for (size_t j = 0; j < 50; ++j) {
    std::vector<double> column;
    for (size_t i = 0; i < 6; ++i) column.push_back(x.items[50 * i + j]);
    CHECK(columns[j] == doctest::Approx(reference(column, 1)).epsilon(1e-6));
  }
  CHECK(values<double>(outputs[2].get())[0] == doctest::Approx(reference(x.items, 0)).epsilon(1e-6));
}
