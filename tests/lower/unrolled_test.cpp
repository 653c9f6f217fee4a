// Tests kernels with axes of a few elements. The lanes of a vector are indices of another axis, and the short axes are unrolled
// (lower/unrolled.cpp). Loads and stores are therefore interleaved accesses (ir/interleaved_accesses.cpp).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "support/backends_run.h"
#include "support/schedule_mistake.h"

using namespace capi_test;

namespace {

std::string graph_of(const std::string& inputs, const std::string& results) {
  return "graph g(" + inputs + ") {\n  return " + results + "\n}";
}

/// Returns the C code generated for a graph and a machine row (an entry of harp's table of CPUs).
std::string source_of(const std::string& text, const char* row = "x86-64-v4") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  return source_for(row, graph.get());
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Random numbers, mixed with zeros of both signs, infinities and NaN.
Values<float> special(std::vector<int64_t> dims, uint32_t seed) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kSpecial[] = {0.0f, -0.0f, 1.5f, -2.25f, kInfinity, -kInfinity, kNan, 1e-40f, -1e-40f, 3e38f};
  Values<float> values = whole<float>(std::move(dims), seed);
  std::mt19937 random(seed);
  for (float& x : values.items) x = random() % 3 == 0 ? kSpecial[random() % std::size(kSpecial)] : -0.0f;
  return values;
}

}  // namespace

TEST_CASE("G3.sum/interp,c G3.prod/interp,c G3.max/interp,c G3.min/interp,c L6: rows of a few elements have the bits of the law's trees") {
  const Backends backends;
  for (const int columns : {2, 3, 4, 5, 7, 8, 13, 16}) {
    const std::string shape = "[n, " + std::to_string(columns) + "]";
    const std::string text = graph_of("x: f32" + shape,
                                      "a = sum(x, axes=[1]), b = prod(x, axes=[1]), c = max(x, axes=[1]), d = min(x, axes=[1]), "
                                      "e = sum(x * x, axes=[1]), g = any(x > 0.5, axes=[1])");
    for (const int64_t rows : {1, 15, 16, 17, 70}) {
      backends.run(text, rough({rows, columns}, 1));
      backends.run(text, special({rows, columns}, 2));
      backends.run(graph_of("x: f32" + shape, "a = sum(cast(x, dtype=f16), axes=[1])"), rough({rows, columns}, 3));
    }
  }
  // Tests rows of one element. A sum adds +0.0 to the only term, and the argmax is 0.
  for (const int64_t rows : {1, 16, 37}) {
    const char* const results =
        "a = sum(x, axes=[1]), b = prod(x, axes=[1]), c = max(x, axes=[1]), d = sum(x * x, axes=[1]), e = argmax(x, axis=1), "
        "g = sum(x, axes=[1]) * 2.0";
    backends.run(graph_of("x: f32[n, 1]", results), special({rows, 1}, 2));
    backends.run(graph_of("x: f32[n, 1], z: f32[20, 1]",
                          "y = sum(square(expand(reshape(x, shape=[n, 1, 1]), shape=[n, 20, 1]) - expand(reshape(z, shape=[1, 20, 1]), "
                          "shape=[n, 20, 1])), axes=[2])"),
                 special({rows, 1}, 3), special({20, 1}, 4));
  }
  backends.run(graph_of("x: f32[n, 0, 1]", "a = sum(x, axes=[2])"), rough({7, 0, 1}, 5));
  backends.run(graph_of("x: f32[6, 5, 3, 2]", "a = sum(x, axes=[2, 3]), b = sum(x, axes=[3])"), rough({6, 5, 3, 2}, 3));
  backends.run(graph_of("x: i8[n, 3]", "a = sum(x, axes=[1]), b = prod(x, axes=[1])"), whole<int8_t>({200, 3}, 4));
}

TEST_CASE("G3.argmax/interp,c G3.argmin/interp,c L6: the first NaN or extreme of rows of a few elements") {
  const Backends backends;
  for (const int columns : {2, 3, 10, 16}) {
    const std::string text = graph_of("x: f32[n, " + std::to_string(columns) + "]",
                                      "a = argmax(x, axis=1), b = argmin(x, axis=1), c = max(x, axes=[1]), d = min(x, axes=[1])");
    for (const int64_t rows : {1, 16, 37}) {
      backends.run(text, special({rows, columns}, 5));
      backends.run(text, whole<float>({rows, columns}, 6));
    }
  }
  for (const int columns : {4, 8, 16})
    for (const char* const dtype : {"i8", "i16", "f64"})
      backends.run("graph g(x: i8[n, " + std::to_string(columns) + "]) {\n  z = cast(x, dtype=" + dtype +
                       ")\n  return a = argmax(z, axis=1), b = argmin(z, axis=1)\n}",
                   whole<int8_t>({130, columns}, 7));
}

TEST_CASE("G17.softmax,layer_norm/c L2: passes over rows of a few elements") {
  const Backends backends;
  for (const int columns : {2, 3, 6, 10}) {
    const std::string shape = "f32[n, " + std::to_string(columns) + "]";
    for (const char* const op : {"softmax(x, axis=1)", "log_softmax(x, axis=1)", "layer_norm(x, eps=1e-5)", "norm(x, axes=[1])"})
      for (const int64_t rows : {3, 33}) backends.run(graph_of("x: " + shape, std::string("y = ") + op), rough({rows, columns}, 8));
  }
}

TEST_CASE("L1 L2: elementwise kernels with a short last axis, or a short axis that is interleaved in an operand") {
  const Backends backends;
  backends.run(graph_of("x: f32[n, 3], w: f32[3]", "y = exp(x) * expand(reshape(w, shape=[1, 3]), shape=[n, 3])"), rough({50, 3}, 1),
               rough({3}, 2));
  backends.run(graph_of("x: f32[n, 5]", "y = contiguous(permute(x, axes=[1, 0]))"), rough({67, 5}, 3));
  backends.run(graph_of("x: f32[5, n]", "y = contiguous(permute(x, axes=[1, 0]))"), rough({5, 67}, 4));
  backends.run(graph_of("x: i8[n, 2]", "y = contiguous(permute(x, axes=[1, 0]))"), whole<int8_t>({661, 2}, 5));
  backends.run(graph_of("x: f32[7, n, 4]", "y = contiguous(permute(x, axes=[0, 2, 1]))"), rough({7, 40, 4}, 6));
  backends.run(graph_of("x: f32[n, 3], z: f32[n, 2]", "y = concat(x, z, axis=1)"), rough({45, 3}, 7), rough({45, 2}, 8));
}

TEST_CASE("G15.matmul/c L2: products with few columns and few terms") {
  const Backends backends;
  for (const auto& [terms, columns] : {std::pair{2, 3}, {5, 1}, {5, 7}, {16, 2}, {4, 4}, {1, 3}})
    for (const int64_t rows : {4, 16, 100})
      backends.run(
          graph_of("a: f32[m, " + std::to_string(terms) + "], b: f32[" + std::to_string(terms) + ", " + std::to_string(columns) + "]",
                   "y = matmul(a, b)"),
          rough({rows, terms}, 9), rough({terms, columns}, 10));
  backends.run(graph_of("a: f32[l, 4, 4], b: f32[l, 4, 4]", "y = batch_matmul(a, b)"), rough({33, 4, 4}, 11), rough({33, 4, 4}, 12));
}

TEST_CASE("G15.batch_matmul/interp,c L2: batches of small matrices") {
  const Backends backends;
  const auto matrices = [](const char* dtype, int64_t rows, int64_t columns) {
    return std::string(dtype) + "[l, " + std::to_string(rows) + ", " + std::to_string(columns) + "]";
  };
  for (const auto& [rows, terms, columns] :
       {std::array<int64_t, 3>{2, 2, 2}, {3, 3, 3}, {4, 4, 4}, {1, 4, 3}, {3, 4, 1}, {1, 16, 1}, {5, 5, 5}}) {
    const std::string text = graph_of("a: " + matrices("f32", rows, terms) + ", b: " + matrices("f32", terms, columns),
                                      "y = batch_matmul(a, b), z = relu(batch_matmul(a, b)) * 2.0");
    for (const int64_t count : {1, 15, 16, 70}) backends.run(text, rough({count, rows, terms}, 1), rough({count, terms, columns}, 2));
    backends.run(text, special({33, rows, terms}, 3), special({33, terms, columns}, 4));
  }
  backends.run(graph_of("a: i8[l, 3, 3], b: i8[l, 3, 3]", "y = batch_matmul(a, b)"), whole<int8_t>({40, 3, 3}, 5),
               whole<int8_t>({40, 3, 3}, 6));
  for (const char* const dtype : {"f16", "bf16", "f64"}) {
    const std::string cast = std::string(", dtype=") + dtype + ")";
    backends.run(graph_of("a: f32[l, 4, 3], b: f32[l, 3, 3]", "y = batch_matmul(cast(a" + cast + ", cast(b" + cast + ")"),
                 rough({37, 4, 3}, 7), rough({37, 3, 3}, 8));
  }
  // The matrices of a are transposed, and the rows of the matrices of b are in reverse order.
  backends.run(graph_of("a: f32[l, 3, 3], b: f32[l, 3, 3]", "y = batch_matmul(permute(a, axes=[0, 2, 1]), flip(b, axes=[1]))"),
               rough({50, 3, 3}, 9), rough({50, 3, 3}, 10));
}

TEST_CASE("G3.sum/interp,c G3.max/interp,c L2: reductions of a short axis in front of another one") {
  const Backends backends;
  for (const auto& [terms, columns] : {std::pair{4, 3}, {2, 7}, {5, 3}, {3, 5}, {16, 3}})
    for (const int64_t rows : {1, 16, 40}) {
      const std::string type = "f32[n, " + std::to_string(terms) + ", " + std::to_string(columns) + "]";
      const std::string text = graph_of("x: " + type, "a = sum(x, axes=[1]), b = prod(x, axes=[1]), c = max(x, axes=[1])");
      backends.run(text, rough({rows, terms, columns}, 1));
      backends.run(text, special({rows, terms, columns}, 2));
    }
}

TEST_CASE("G3.sum/interp,c G3.prod/interp,c G3.max/interp,c L6: blocks of a few rows and columns (downsampling)") {
  const Backends backends;
  for (const auto& block : {std::pair{2, 2}, {2, 3}, {3, 2}, {4, 4}, {2, 8}, {5, 3}, {16, 1}, {1, 7}})
    for (const auto& [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {3, 16}, {5, 37}}) {
      const int rows = block.first, columns = block.second;
      CAPTURE(rows);
      CAPTURE(columns);
      const std::string r = std::to_string(rows), c = std::to_string(columns);
      const auto text = [&](const std::string& h, const std::string& w) {
        return "graph g(x: f32[" + r + "*" + h + ", " + c + "*" + w + "]) {\n  b = reshape(x, shape=[" + h + ", " + r + ", " + w + ", " +
               c +
               "])\n  return s = sum(b, axes=[1, 3]), p = prod(b, axes=[1, 3]), h = max(b, axes=[1, 3]), k = any(b > 0.5, axes=[1, 3]), " +
               "t = sum(b * b, axes=[1, 3]), f = sum(cast(b, dtype=f16), axes=[1, 3]), i = sum(cast(b, dtype=u8), axes=[1, 3]), " +
               "v = var(b, axes=[1, 3])\n}";
      };
      backends.run(text("h", "w"), rough({rows * m, columns * n}, 1));
      backends.run(text("h", "w"), special({rows * m, columns * n}, 2));
      backends.run(text(std::to_string(m), std::to_string(n)), rough({rows * m, columns * n}, 3));
    }
  // In the first sum, each result adds three runs of 4 adjacent elements. The axis of 11, between the reduced axes, is kept.
  backends.run(graph_of("x: f32[7, 3, 11, 2, 2]", "s = sum(x, axes=[1, 3, 4]), t = sum(x, axes=[0, 1, 3]), u = sum(x, axes=[1, 4])"),
               rough({7, 3, 11, 2, 2}, 4));
  const std::string unrolled = "elementwise [thread, sequential simd=16, reduce]";
  CHECK(contains(source_of(graph_of("x: f32[h, 2, w, 2]", "y = sum(x, axes=[1, 3])")), unrolled));
  CHECK(contains(source_of(graph_of("x: f32[h, 4, w, 4]", "y = mean(x, axes=[1, 3])")), unrolled));
  // Runs that fill vectors are not unrolled.
  CHECK_FALSE(contains(source_of(graph_of("x: f32[h, 1, w, 16]", "y = sum(x, axes=[1, 3])")), unrolled));
}

TEST_CASE("L2: rows of a few elements, combined with an element for each row or for each column") {
  const Backends backends;
  for (const int columns : {2, 3, 5, 7, 12}) {
    const std::string shape = "[n, " + std::to_string(columns) + "]", of_columns = "[" + std::to_string(columns) + "]";
    const std::string text = graph_of("x: f32" + shape + ", s: f32" + of_columns + ", c: f32[n, 1]",
                                      "y = x * expand(reshape(s, shape=[1, " + std::to_string(columns) + "]), shape=" + shape +
                                          "), z = x - expand(c, shape=" + shape + ")");
    for (const int64_t rows : {1, 15, 16, 33, 100})
      backends.run(text, special({rows, columns}, 1), rough({columns}, 2), rough({rows, 1}, 3));
  }
  // Elements of each size are stored by whole vectors.
  for (const int columns : {2, 3, 6, 9, 16})
    for (const char* const dtype : {"f64", "f16", "bf16", "i8", "i16", "i32", "bool"}) {
      const std::string shape = "[n, " + std::to_string(columns) + "]";
      backends.run(
          graph_of("x: f32" + shape + ", c: f32[n, 1]", "y = cast(exp(x * 0.01) + expand(c, shape=" + shape + "), dtype=" + dtype + ")"),
          whole<float>({150, columns}, 6), whole<float>({150, 1}, 7));
    }
  // Pixels of bytes are scaled by channel. The lines of the picture are cut, so that they are not contiguous.
  backends.run(graph_of("x: i8[2, 5, 41, 3], s: f32[3]",
                        "y = cast(slice(x, stop=[2, 5, 40, 3]), dtype=f32) * expand(reshape(s, shape=[1, 1, 1, 3]), shape=[2, 5, 40, 3])"),
               whole<int8_t>({2, 5, 41, 3}, 4), rough({3}, 5));
}

TEST_CASE("G4.cumsum/interp,c G4.cumprod/interp,c G4.cummax/interp,c G4.cummin/interp,c L2: scans of rows of a few elements") {
  const Backends backends;
  for (const int columns : {2, 3, 4, 5, 8, 9, 13, 16}) {
    const std::string shape = "[n, " + std::to_string(columns) + "]";
    const std::string text = graph_of("x: f32" + shape,
                                      "a = cumsum(x, axis=1), b = cumprod(x, axis=1), c = cummax(x, axis=1), d = cummin(x, axis=1), "
                                      "e = cumsum(x, axis=1, reverse=true), g = cumsum(x * 2.0, axis=1) - x, "
                                      "h = cumsum(x, axis=1, exclusive=true)");
    for (const int64_t rows : {1, 16, 37}) {
      backends.run(text, rough({rows, columns}, 1));
      backends.run(text, special({rows, columns}, 2));
    }
    backends.run(graph_of("x: f32" + shape, "a = cumsum(cast(x, dtype=f16), axis=1), b = cumsum(cast(x, dtype=f64), axis=1)"),
                 rough({33, columns}, 3));
    backends.run(graph_of("x: i8" + shape, "a = cumsum(x, axis=1), b = cumprod(x, axis=1), c = cummax(x > 0, axis=1)"),
                 whole<int8_t>({70, columns}, 4));
    for (const char* const flags : {"", ", reverse=true", ", order=chain"})
      backends.run(graph_of("x: f32" + shape, std::string("a = logcumsumexp(x, axis=1") + flags + ")"), special({37, columns}, 5));
    backends.run(graph_of("x: f32" + shape, "a = cumsum(x, axis=1, order=chain), b = cumprod(x, axis=1, order=chain)"),
                 special({37, columns}, 6));
  }
  // A sum starts from +0.0, so no element is -0.0; a maximum of -0.0 is.
  const Values<float> zeros{std::vector<float>(3 * 20, -0.0f), {20, 3}};
  const auto of_zeros =
      backends.run(graph_of("x: f32[n, 3]", "a = cumsum(x, axis=1), b = logcumsumexp(x * 0.0, axis=1), c = cummax(x, axis=1)"), zeros);
  CHECK(std::ranges::none_of(values<float>(of_zeros[0].get()), [](float x) { return std::signbit(x); }));
  CHECK(std::ranges::none_of(values<float>(of_zeros[1].get()), [](float x) { return std::signbit(x); }));
  CHECK(std::ranges::all_of(values<float>(of_zeros[2].get()), [](float x) { return std::signbit(x); }));
  // Tests scans along an axis in front of the last one, arrays with two short axes, and rows of which only a part is scanned.
  backends.run(graph_of("x: f32[n, 4, 3]", "a = cumsum(x, axis=1), b = cumsum(x, axis=2), c = cummax(x, axis=1, reverse=true)"),
               special({40, 4, 3}, 5));
  backends.run(graph_of("x: f32[n, 8, 3]", "a = cumsum(x, axis=2), b = cumsum(x, axis=1), c = sum(x, axes=[2]), d = softmax(x, axis=2)"),
               rough({21, 8, 3}, 7));
  backends.run(graph_of("x: f32[2, n, 3, 1, 2]", "a = cumsum(x, axis=2, reverse=true), b = cumsum(x, axis=2, order=tree)"),
               rough({2, 19, 3, 1, 2}, 8));
  for (const char* const rows : {"slice(x, stop=[n, 3])", "flip(x, axes=[1])", "expand(slice(x, stop=[n, 1]), shape=[n, 6])",
                                 "slice(x, stop=[n, 7], step=[1, 3])", "pad(x, before=[2, 1], after=[1, 1], value=0.5)"})
    backends.run(graph_of("x: f32[n, 7]", std::string("y = cumsum(") + rows + ", axis=1)"), rough({50, 7}, 6));
  backends.run(graph_of("x: f32[n, 3], w: f32[n, 3]",
                        "y = concat(cumsum(x, axis=1), cumprod(w, axis=1, exclusive=true), axis=1), "
                        "z = cumsum(exp(x * w * 0.000001), axis=1) * w + x"),
               rough({50, 3}, 9), rough({50, 3}, 10));
}

TEST_CASE("L6: the results of rows of a few elements are stored by whole vectors, of every dtype and width") {
  const auto writes = [](const std::string& inputs, const std::string& result, const char* row, const char* call) {
    return contains(source_of(graph_of(inputs, "y = " + result), row), call);
  };
  CHECK(writes("x: f32[n, 2]", "softmax(x, axis=1)", "x86-64", "  store_2_interleaved_f32x4("));
  CHECK(writes("x: f32[n, 3]", "softmax(x, axis=1)", "x86-64-v4", "  store_3_interleaved_f32x16("));
  CHECK(writes("x: f32[n, 7]", "softmax(x, axis=1)", "x86-64-v3", "  store_7_interleaved_f32x8("));
  CHECK(writes("x: f32[n, 12]", "softmax(x, axis=1)", "x86-64-v3", "  store_12_interleaved_f32x8("));
  CHECK(writes("x: f64[n, 5]", "softmax(x, axis=1)", "x86-64-v4", "  store_5_interleaved_f64x8("));
  CHECK(writes("x: f32[n, 3]", "softmax(x, axis=1) > 0.25", "x86-64-v4", "  store_3_interleaved_u8x16("));
  const std::string scaled = "x: f32[n, 3], s: f32[3]", bytes = "cast(x * expand(reshape(s, shape=[1, 3]), shape=[n, 3]), dtype=i8)";
  CHECK(writes(scaled, bytes, "x86-64-v4", "  store_3_interleaved_i8x16("));
  // Stores are not interleaved if vectors have less than 16 bytes, or if the machine needs many instructions to exchange elements of 2
  // bytes.
  CHECK_FALSE(writes(scaled, bytes, "x86-64-v3", "  store_3_interleaved"));
  CHECK_FALSE(writes("x: i16[n, 3]", "cumsum(x, axis=1)", "x86-64", "  store_3_interleaved"));
  // Storing two interleaved vectors needs no instructions that exchange elements of 2 bytes.
  CHECK(writes("x: i16[n, 2]", "cumsum(x, axis=1)", "x86-64", "  store_2_interleaved_i16x8("));
  // There may be more elements in a row than lanes in a vector.
  constexpr Way kWidths[] = {{"interp", 0}, {"c", 0, 2}, {"c", 0, 4}, {"c", 0, 8}};
  const Context context = make_context();
  for (const int columns : {3, 4, 5, 12}) {
    const std::string text =
        graph_of("x: f32[n, " + std::to_string(columns) + "]", "y = softmax(x, axis=1), z = softmax(x, axis=1) > 0.25");
    const Graph graph = parse(context.get(), "harp 1\n" + text);
    REQUIRE(graph != nullptr);
    Values<float> x = rough({37, columns}, 1);
    const Buffer input = wrap(context.get(), x.items, x.dims);
    run_everywhere(graph.get(), {input.get()}, true, kWidths);
  }
  const Backends backends;
  for (const char* const dtype : {"f16", "bf16", "f64", "i8", "i64"}) {
    const std::string rows = std::string("cast(x, dtype=") + dtype + ")";
    backends.run(graph_of("x: f32[n, 3]", "y = " + rows + " - expand(max(" + rows + ", axes=[1], keepdims=true), shape=[n, 3])"),
                 rough({70, 3}, 2));
  }
}

TEST_CASE("L2: short axes are unrolled where vectors along them would be almost empty") {
  const std::string unrolled = "elementwise [thread simd=16, reduce] partition overlap";
  CHECK(contains(source_of(graph_of("x: f32[n, 3]", "y = sum(x, axes=[1])")), unrolled));
  CHECK(contains(source_of(graph_of("x: f32[n, 15]", "y = softmax(x, axis=1)")), unrolled));
  CHECK(contains(source_of(graph_of("x: f32[n, 1]", "y = sum(x * x, axes=[1])")), unrolled));
  CHECK_FALSE(contains(source_of(graph_of("x: f32[n, 16]", "y = softmax(x, axis=1)")), unrolled));
  // Rows that fill a single vector are reduced along the row. Only argmax and argmin unroll such rows.
  CHECK(contains(source_of(graph_of("x: f32[n, 16]", "y = argmax(x, axis=1)")), unrolled));
  CHECK(contains(source_of(graph_of("x: u8[n, 16]", "y = argmin(x, axis=1)")), "load_part15_of_16_u8x16("));
  CHECK_FALSE(contains(source_of(graph_of("x: f32[n, 16]", "y = max(x, axes=[1])")), unrolled));
  CHECK_FALSE(contains(source_of(graph_of("x: f32[n, 32]", "y = argmax(x, axis=1)")), unrolled));
  CHECK_FALSE(contains(source_of(graph_of("x: f32[n, m]", "y = sum(x, axes=[1])")), unrolled));
  // The elements of 16 rows of 3 elements, one row for each lane, are loaded and stored as whole vectors.
  const std::string text = source_of(graph_of("x: f32[n, 3]", "y = softmax(x, axis=1)"));
  CHECK(contains(text, "load_part2_of_3_f32x16("));
  // Rows of 3 elements with an axis of size 8 in front of them are 24 adjacent elements, which cannot be loaded by whole vectors. So the
  // axis of size 8 and the one before it become one loop, unless an operand has the same elements for all indices of the axis of size 8.
  const std::string rows_of_8 = "elementwise [thread, sequential simd=16, reduce] partition overlap";
  CHECK(contains(source_of(graph_of("x: f32[n, 8, 3]", "y = sum(x, axes=[2])")), rows_of_8));
  const std::string softmax = source_of(graph_of("x: f32[n, 8, 3]", "y = softmax(x, axis=2)"));
  CHECK(contains(softmax, rows_of_8));
  CHECK(contains(softmax, "store_3_interleaved_f32x16("));
  CHECK(contains(source_of(graph_of("x: f32[n, 8, 3], c: f32[n, 1, 3]", "y = sum(x * expand(c, shape=[n, 8, 3]), axes=[2])")),
                 "elementwise [thread simd=16, sequential, reduce]"));
  CHECK(contains(source_of(graph_of("x: f32[n, 4, 3]", "y = sum(x, axes=[2])")), "elementwise [thread simd=16, sequential, reduce]"));
  // Contiguous axes are merged into one loop, even if the last axis is short.
  CHECK(contains(source_of(graph_of("x: f32[n, 3]", "y = exp(x)")), "elementwise [thread, sequential simd=16]"));
}

TEST_CASE("L2: short axes that are not reduced are unrolled where that takes fewer operations than vectors along them") {
  const auto scaled = [](const std::string& shape, const char* row = "x86-64-v4") {
    const std::string columns = shape.substr(shape.rfind(' ') + 1);  // for the shape "[n, 3]" this is "3]"
    return source_of(
        graph_of("x: f32" + shape + ", s: f32[" + columns, "y = x * expand(reshape(s, shape=[1, " + columns + "), shape=" + shape + ")"),
        row);
  };
  const std::string points = scaled("[n, 3]");
  CHECK(contains(points, "elementwise [thread simd=16, sequential] partition overlap"));
  CHECK(contains(points, "load_part2_of_3_f32x16("));
  CHECK(contains(scaled("[n, 3]", "x86-64-v3"), "elementwise [thread simd=8, sequential] partition overlap"));
  CHECK(contains(source_of(graph_of("x: f32[n, 3], c: f32[n, 1]", "y = x * expand(c, shape=[n, 3])")), "[thread simd=16, sequential]"));
  // With four lanes the shuffles do not pay, unless more is computed for each element.
  CHECK_FALSE(contains(scaled("[n, 3]", "x86-64-v2"), "[thread simd=4"));
  CHECK(contains(source_of(graph_of("x: f32[n, 3], c: f32[n, 1]", "y = exp(x) * expand(c, shape=[n, 3])"), "x86-64-v2"), "[thread simd=4"));
  // Rows of 4 and 8 elements are whole vectors, so they need no shuffles. Nine rows do not fill a vector with one row for each lane.
  CHECK_FALSE(contains(scaled("[n, 4]"), "[thread simd=16"));
  CHECK_FALSE(contains(scaled("[n, 8]"), "[thread simd=16"));
  CHECK_FALSE(contains(scaled("[9, 3]"), "[thread simd=16"));
  // For each element of c, the last two axes of x are one row of 16 adjacent elements.
  CHECK_FALSE(contains(source_of(graph_of("x: f32[n, 8, 2], c: f32[n, 1, 1]", "y = x * expand(c, shape=[n, 8, 2])")), "[thread simd=16"));

  // If there are several short axes whose elements are together too many for one iteration, vectors run along the first short axis. It may
  // be shorter than the machine's vectors; the vectors are then narrower.
  const std::string swapped = source_of(graph_of("x: f32[3, 64, 2, 13]", "y = cast(permute(x, axes=[0, 1, 3, 2]), dtype=i32)"));
  CHECK(contains(swapped, "elementwise [thread, sequential, sequential simd=16, sequential] partition overlap"));
  CHECK(contains(swapped, "store_2_interleaved_i32x8("));

  const auto product = [](const std::string& a, const std::string& b) {
    return source_of(graph_of("a: f32" + a + ", b: f32" + b, a.size() > 7 ? "y = batch_matmul(a, b)" : "y = matmul(a, b)"));
  };
  CHECK(contains(product("[n, 3]", "[3, 3]"), "elementwise [thread simd=16, sequential, reduce] partition overlap"));
  const std::string matrices = "elementwise [thread simd=16, sequential, sequential, reduce] partition overlap";
  CHECK(contains(product("[l, 3, 3]", "[l, 3, 3]"), matrices));
  CHECK_FALSE(contains(product("[l, 4, 4]", "[l, 4, 4]"), "[thread simd=16"));  // rows of 4 are vectors without shuffles
  CHECK_FALSE(contains(product("[l, 2, 9]", "[l, 9, 2]"), "[thread simd=16"));  // the lanes would be 18 elements apart
  CHECK(contains(source_of(graph_of("x: f32[n, 4, 3]", "y = sum(x, axes=[1])")), "[thread simd=16, sequential, reduce]"));
  CHECK_FALSE(contains(source_of(graph_of("x: f32[n, 8, 3]", "y = sum(x, axes=[1])")), "[thread simd=16"));
  // Tests the schedules of scans along a short axis.
  CHECK(contains(source_of(graph_of("x: f32[n, 3]", "y = cumsum(x, axis=1)")), "elementwise [thread simd=16, scan] partition overlap"));
  CHECK(contains(source_of(graph_of("x: f32[n, 4, 3]", "y = cumsum(x, axis=1)")), "elementwise [thread simd=16, scan, sequential]"));
  CHECK_FALSE(contains(source_of(graph_of("x: f32[n, 17]", "y = cumsum(x, axis=1)")), "elementwise ["));
  CHECK_FALSE(contains(source_of(graph_of("x: f32[n, 4, 16]", "y = cumsum(x, axis=1)")), "elementwise ["));
  CHECK(contains(source_of(graph_of("x: f32[n, 3]", "y = cumsum(x, axis=1)")), "store_3_interleaved_f32x16("));
  CHECK(contains(source_of(graph_of("x: f32[n, 2, 3]", "y = cumsum(x, axis=2)")), "elementwise [thread simd=16, sequential, scan]"));
  // If the axis of 8 were unrolled too, the lanes would be 24 elements apart, too far for loads and stores of whole vectors (at most
  // kMaxShortAxis). So the vectors run along that axis.
  CHECK(contains(source_of(graph_of("x: f32[n, 8, 3]", "y = cumsum(x, axis=2)")), "elementwise [thread, sequential simd=16, scan]"));
  // A scan by logaddexp of many elements would take long to compile.
  CHECK(contains(source_of(graph_of("x: f32[n, 3]", "y = logcumsumexp(x, axis=1)")), "elementwise [thread simd=16, scan]"));
  CHECK_FALSE(contains(source_of(graph_of("x: f32[n, 16]", "y = logcumsumexp(x, axis=1)")), "elementwise ["));
  // Between rows of 3 elements there is a fourth one that the kernel does not load.
  CHECK_FALSE(contains(source_of(graph_of("x: f32[n, 4], c: f32[n, 1]", "y = slice(x, stop=[n, 3]) * expand(c, shape=[n, 3])")),
                       "[thread simd=16"));
}

TEST_CASE("L2: transposes with a short side exchange elements between whole vectors") {
  const Backends backends;
  for (const int side : {2, 3, 4, 7})
    for (const char* const dtype : {"f32", "f64", "f16", "i16", "i8", "bool"}) {
      const std::string s = std::to_string(side), cast = std::string(", dtype=") + dtype + ")))";
      const std::string text = graph_of("x: f32[n, " + s + "], z: f32[" + s + ", n]",
                                        "y = contiguous(transpose(cast(x" + cast + ", w = contiguous(transpose(cast(z" + cast);
      for (const int64_t n : {1, 17, 100}) backends.run(text, whole<float>({n, side}, 1), whole<float>({side, n}, 2));
    }
  for (const int side : {2, 3, 7}) {
    const std::string s = std::to_string(side);
    for (const int64_t n : {3, 16, 41}) {
      backends.run(graph_of("x: i8[n, " + s + "]", "y = contiguous(transpose(x))"), whole<int8_t>({n, side}, 3));
      backends.run(graph_of("x: i8[" + s + ", n]", "y = contiguous(transpose(x)), z = contiguous(transpose(flip(x)))"),
                   whole<int8_t>({side, n}, 4));
      backends.run(graph_of("x: f32[b, n, " + s + "]", "y = permute(x, axes=[0, 2, 1]) * 2.0"), rough({4, n, side}, 5));
      backends.run(graph_of("x: f32[b, " + s + ", n]", "y = exp(permute(x, axes=[0, 2, 1]))"), rough({4, side, n}, 6));
      // A slice leaves gaps between the rows, so that not all of the memory may be read.
      backends.run(graph_of("x: f32[n, 9]", "y = contiguous(transpose(slice(x, stop=[n, " + s + "])))"), rough({n, 9}, 7));
      backends.run(graph_of("x: f32[n, " + s + "], z: f32[" + s + ", n]", "y = transpose(x) + z"), rough({n, side}, 8),
                   rough({side, n}, 9));
    }
  }
  // Converts pictures of bytes with channels last to floats with channels first, and back.
  backends.run(graph_of("x: i8[2, h, w, 3]", "y = cast(permute(x, axes=[0, 3, 1, 2]), dtype=f32) * 0.5"), whole<int8_t>({2, 5, 37, 3}, 10));
  backends.run(graph_of("x: f32[2, 3, h, w]", "y = cast(permute(x, axes=[0, 2, 3, 1]), dtype=i8)"), whole<float>({2, 3, 5, 37}, 11));

  const auto transposed = [](const std::string& type, const char* row = "x86-64-v4") {
    return source_of(graph_of("x: " + type, "y = contiguous(transpose(x))"), row);
  };
  const std::string planes = "elementwise [thread unroll=3, sequential simd=16] partition overlap",
                    points = "elementwise [thread simd=16, sequential] partition overlap";
  CHECK(contains(transposed("f32[n, 3]"), planes));
  CHECK(contains(transposed("f32[n, 3]"), "load_part2_of_3_f32x16("));
  CHECK(contains(transposed("f32[3, n]"), points));
  CHECK(contains(transposed("f32[3, n]"), "  store_3_interleaved_f32x16("));
  CHECK(contains(transposed("f32[2, n]"), "  store_2_interleaved_f32x16("));
  // Arrays of narrow elements use vectors of at most 16 lanes. They are unrolled only if the machine has instructions that exchange bytes.
  CHECK(contains(transposed("u8[n, 3]"), planes));
  CHECK(contains(transposed("i16[3, n]", "x86-64-v3"), points));
  CHECK_FALSE(contains(transposed("u8[n, 3]", "x86-64"), "unroll=3"));
  CHECK_FALSE(contains(transposed("u8[3, n]", "x86-64"), "[thread simd="));
  // Columns of two elements are loaded as fast without unrolling. Arrays with 8 or more rows or columns are transposed in blocks. Elements
  // of 8 bytes and bools have the schedule of other elementwise kernels.
  CHECK_FALSE(contains(transposed("f32[n, 2]"), " unroll=2"));
  CHECK(contains(transposed("f32[n, 8]"), "transpose ["));
  CHECK(contains(transposed("f32[8, n]"), "transpose ["));
  for (const char* const type : {"f64[n, 3]", "f64[3, n]", "bool[n, 3]", "bool[3, n]"})
    CHECK(contains(transposed(type), "elementwise [thread, sequential simd="));
  // Many shuffles of vectors with few lanes take longer than loads and stores of single elements.
  CHECK_FALSE(contains(transposed("f32[n, 7]", "x86-64-v2"), "unroll=7"));
  CHECK_FALSE(contains(transposed("f32[7, n]", "x86-64-v3"), "[thread simd="));
}

TEST_CASE("L5.simd_width/c: vectors of a small product run along the rows or along the columns, but not along both") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + graph_of("a: f32[n, 3], b: f32[3, 3]", "y = matmul(a, b)"));
  REQUIRE(graph != nullptr);
  for (const char* const schedule : {"elementwise [thread, sequential simd=4, reduce]", "elementwise [thread simd=8, sequential, reduce]"})
    CHECK(contains(source_for("x86-64-v4", graph.get(), (std::string("kernel_0: ") + schedule).c_str()), schedule));
  CHECK(schedule_mistake(graph.get(), "kernel_0: elementwise [thread simd=8, sequential simd=4, reduce]")
            .find("axis 1 has simd; if short axes are unrolled, it belongs on axis 0") != std::string::npos);
  CHECK(schedule_mistake(graph.get(), "kernel_0: elementwise [thread, sequential, reduce simd=4]")
            .find("simd belongs on the last kept axis or, if short axes are unrolled, on axis 0") != std::string::npos);
}

TEST_CASE("L5: schedules of scans along short rows, and mistakes in them") {
  const Context context = make_context();
  const auto scan_of = [&](const char* type) {
    Graph graph = parse(context.get(), std::string("harp 1\n") + graph_of(std::string("x: ") + type, "y = cumsum(x, axis=1)"));
    REQUIRE(graph != nullptr);
    return graph;
  };
  const Graph short_rows = scan_of("f32[n, 3]"), rows = scan_of("f32[n, 17]");
  for (const char* const schedule : {"scan [thread, scan simd=4]", "elementwise [thread simd=8, scan]"})
    CHECK(contains(source_for("x86-64-v4", short_rows.get(), (std::string("kernel_0: ") + schedule).c_str()), schedule));
  CHECK(contains(schedule_mistake(short_rows.get(), "kernel_0: elementwise [thread, scan simd=4]"),
                 "axis 1 has simd=4; simd belongs on axis 0, the last one that is not short"));
  CHECK(contains(schedule_mistake(short_rows.get(), "kernel_0: elementwise [thread simd=8, sequential]"),
                 "axis 1 is scanned and must be of kind scan"));
  CHECK(contains(schedule_mistake(short_rows.get(), "kernel_0: elementwise [thread simd=8, scan] nontemporal"),
                 "nontemporal needs a kernel that unrolls no short axes"));
  CHECK(contains(schedule_mistake(rows.get(), "kernel_0: elementwise [thread simd=8, scan]"), "the recipe must be scan"));
}
