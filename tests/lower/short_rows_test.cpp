// Tests rows that are shorter than a vector, or that are parts of such rows: narrower vectors, arrays that are stacked along a last axis,
// and elements that are rolled within a row. Each is compared with the interpreter, and the generated text is searched for the vectors.
#include <array>
#include <initializer_list>
#include <utility>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

std::string graph_of(const std::string& inputs, const std::string& results) {
  return "graph g(" + inputs + ") {\n  return " + results + "\n}";
}

/// Returns the C code generated for a graph and a CPU with AVX-512.
std::string source_of(const std::string& text) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  return source_for("x86-64-v4", graph.get());
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("L2: rows that are shorter than a vector have narrower vectors") {
  const Backends backends;
  for (const std::string dtype : {"u8", "i8", "bool", "f16", "bf16", "i16", "f32", "i64", "f64"})
    for (const int64_t columns : {2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 31, 33}) {
      CAPTURE(dtype);
      CAPTURE(columns);
      // Tests rows of a wider array, so that the rows are not merged into one loop; every second element; and columns of a transposed
      // array.
      const auto to = [](int64_t stop) { return std::to_string(stop) + "]"; };
      backends.run(
          "graph g(x: f32[21, " + to(2 * columns + 1) +
              ") {\n  t = " + (dtype == "bool" ? std::string("x > 0.0") : "cast(x, dtype=" + dtype + ")") + "\n  a = t[:, :" + to(columns) +
              "\n  b = t[:, 2:" + to(columns + 2) + "\n  less = x[:, :" + to(columns) + " < x[:, 1:" + to(columns + 1) +
              "\n  return less = less, y = where(less, a, b), z = contiguous(t[:, 1::2]), w = contiguous(transpose(t)[:" + to(columns) +
              ")\n}",
          rough({21, 2 * columns + 1}, static_cast<uint32_t>(columns)));
    }
  // The factors are the same for all rows, so that the rows are not merged into one loop.
  for (const int64_t columns : {4, 5, 7, 12, 15})
    backends.run(graph_of("x: f32[n, " + std::to_string(columns) + "], s: f32[1, " + std::to_string(columns) + "]",
                          "y = exp(x) * expand(s, shape=[n, " + std::to_string(columns) + "])"),
                 rough({30, columns}, 1), rough({1, columns}, 2));
  // A row of 16 bytes is one vector, although the machine's vectors have 64 elements of a byte.
  CHECK(contains(source_of(graph_of("x: u8[50, 40]", "y = x[:, 3:19] + u8(1)")), "u8x16"));
  CHECK(contains(source_of(graph_of("x: u8[50, 40]", "y = contiguous(x[:, 3:35:2])")), "u8x16"));
  CHECK(contains(source_of(graph_of("x: f32[50, 40]", "y = exp(x[:, 3:16])")), "f32x8"));
}

TEST_CASE(
    "G14.concat,stack/interp,c L2: arrays that are stacked along a new last axis, or joined in short rows, are stored by one kernel") {
  const Backends backends;
  const auto text = [](const std::string& dtype, int parts, const std::string& shape, const std::string& join) {
    std::string list, casts;
    for (int part = 0; part < parts; ++part) {
      casts += "  p" + std::to_string(part) + " = cast(x" + std::to_string(part % 3) + " + " + std::to_string(part) + ".0, dtype=" + dtype +
               ")\n";
      list += (part == 0 ? "p" : ", p") + std::to_string(part);
    }
    return "graph g(x0: f32" + shape + ", x1: f32" + shape + ", x2: f32" + shape + ") {\n" + casts + "  return y = " + join + "(" + list +
           ", axis=" + (join == "stack" ? "2" : "1") + ")\n}";
  };
  for (const char* const dtype : {"u8", "f16", "f32", "i64"})
    for (const int parts : {2, 3, 5, 7, 16, 17}) {
      CAPTURE(dtype);
      CAPTURE(parts);
      for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{1, 5}, {9, 13}, {40, 2}})
        backends.run(text(dtype, parts, "[n, m]", "stack"), rough({rows, columns}, 1), rough({rows, columns}, 2),
                     rough({rows, columns}, 3));
      backends.run(text(dtype, parts, "[9, 13]", "stack"), rough({9, 13}, 1), rough({9, 13}, 2), rough({9, 13}, 3));
      backends.run(text(dtype, parts, "[n, 2]", "concat"), rough({70, 2}, 1), rough({70, 2}, 2), rough({70, 2}, 3));
    }
  CHECK(backends.cost("graph g(a: f32[n, m], b: f32[n, m], c: f32[n, m]) {\n  return y = stack(a, b, c, axis=2)\n}", {5, 6}).kernels == 1);
  CHECK(backends.cost("graph g(a: f32[n, 2], b: f32[n, 2], c: f32[n, 2]) {\n  return y = concat(a, b, c, axis=1)\n}", {5}).kernels == 1);
  // Long rows consist of whole cache lines, so separate kernels may store the parts of the concatenation.
  CHECK(backends.cost("graph g(a: f32[n, 64], b: f32[n, 64]) {\n  return y = concat(a, b, axis=1)\n}", {5}).kernels == 2);
  CHECK(contains(source_of(graph_of("a: f32[2048, 13], b: f32[2048, 13], c: f32[2048, 13]", "y = stack(a, b, c, axis=2)")),
                 "store_3_interleaved_f32x16("));
  CHECK(contains(source_of(graph_of("a: f16[2048, 13], b: f16[2048, 13], c: f16[2048, 13]", "y = stack(a, b, c, axis=2)")),
                 "store_3_interleaved_f16x16("));
}

TEST_CASE(
    "G14.concat,roll/interp,c L2: short rows that are rolled or joined: each element is read from the array and column that the law says") {
  const Backends backends;
  for (const int64_t columns : {2, 3, 4, 5, 8, 13, 16})
    for (const char* const dtype : {"u8", "f16", "f32", "f64"}) {
      CAPTURE(columns);
      CAPTURE(dtype);
      const std::string n = std::to_string(columns), half = std::to_string(columns / 2);
      const std::string text = "  t = cast(x, dtype=" + std::string(dtype) +
                               ")\n  r = roll(t, shift=[1], axis=[1])\n  return r = r, s = roll(t, shift=[" + half +
                               "], axis=[1]) + r, f = concat(t[:, " + half + ":], flip(t, axes=[1]), axis=1), p = transpose(r)\n}";
      for (const int64_t rows : {1, 7, 16, 50}) backends.run("graph g(x: f32[n, " + n + "]) {\n" + text, rough({rows, columns}, 1));
      backends.run("graph g(x: f32[33, " + n + "]) {\n" + text, rough({33, columns}, 2));
      backends.run("graph g(x: f32[3, 9, " + n + "]) {\n  return r = roll(x, shift=[1], axis=[2]), s = roll(x, shift=[2], axis=[1])\n}",
                   rough({3, 9, columns}, 3));
    }
  const std::string rolled = source_of(graph_of("x: f32[1024, 4]", "y = roll(x, shift=[3], axis=[1])"));
  CHECK(contains(rolled, "elementwise [thread simd=16, sequential]"));
  CHECK(contains(rolled, "store_4_interleaved_f32x16("));
  CHECK(contains(rolled, "load_part1_of_4_f32x16("));
  // Rows that are joined one after the other, and long rows, keep vectors along the rows.
  CHECK_FALSE(contains(source_of(graph_of("x: f32[1024, 4]", "y = roll(x, shift=[3], axis=[0])")), "[thread simd=16"));
  CHECK_FALSE(contains(source_of(graph_of("x: f32[1024, 40]", "y = roll(x, shift=[3], axis=[1])")), "[thread simd=16"));
}

TEST_CASE("G14.repeat/interp,c G5.reshape/interp,c L2: a reshape of a rearranged array is stored over the axes of that array") {
  const Backends backends;
  const auto check = [&](const std::string& shape, const std::string& y, std::vector<int64_t> dims) {
    CAPTURE(y);
    CAPTURE(shape);
    backends.run(graph_of("x: f32" + shape, "y = " + y), rough(dims, 1));
    backends.run(graph_of("x: f32" + shape, "y = cast(" + y + ", dtype=u8), z = exp(" + y + ") + 1.0"), rough(dims, 2));
  };
  for (const std::string shape : {"[37, 13]", "[n, 13]", "[n, m]"})
    for (const char* y : {"tile(x, repeats=[1, 7])", "tile(x, repeats=[3, 2])", "repeat(x, repeats=3, axis=1)",
                          "repeat(x, repeats=16, axis=1)", "repeat(x, repeats=2, axis=0)", "tile(exp(x), repeats=[1, 3]) * 2.0"})
      check(shape, y, {37, 13});
  for (const std::string shape : {"[4, 30, 20]", "[n, 30, m]", "[n, k, m]"})
    check(shape, "reshape(permute(x, axes=[0, 2, 1]), shape=[" + shape.substr(1, shape.find(',') - 1) + ", -1])", {4, 30, 20});
  // Tests a permuted array with several consumers, a reshape with several consumers, and a value that is stored in two shapes.
  backends.run(
      "graph g(x: f32[8, 6, 10], b: f32[10]) {\n  t = permute(x, axes=[0, 2, 1])\n  r = reshape(t, shape=[8, 60])\n"
      "  c = reshape(x + expand(reshape(b, shape=[1, 1, 10]), shape=[8, 6, 10]), shape=[8, 60])\n"
      "  return r, c = c, s = sum(r * c, axes=[1]), t = contiguous(t), d = reshape(r * 2.0, shape=[480]), f = r + c\n}",
      rough({8, 6, 10}, 1), rough({10}, 2));
  const std::string tiled = source_of(graph_of("x: f32[37, 13]", "y = tile(x, repeats=[1, 7])"));
  CHECK(contains(tiled, "elementwise over [37, 7, 13]"));
  CHECK_FALSE(contains(tiled, "% 13"));
  // The reshape after a Kronecker product joins the first axes, too. The loops are over the axes before the reshape, unless the first of
  // these would be too short to be divided among threads.
  const auto kronecker = [](const std::string& m, const std::string& p, const std::string& n, const std::string& q) {
    const std::string shape = "[" + m + ", " + p + ", " + n + ", " + q + "]";
    return "graph g(a: f32[" + m + ", " + n + "], b: f32[" + p + ", " + q + "]) {\n  x = expand(reshape(a, shape=[" + m + ", 1, " + n +
           ", 1]), shape=" + shape + ")\n  z = expand(reshape(b, shape=[1, " + p + ", 1, " + q + "]), shape=" + shape +
           ")\n  return y = reshape(x * z, shape=[" + m + "*" + p + ", " + n + "*" + q + "])\n}";
  };
  for (const auto& [m, p, n, q] :
       std::initializer_list<std::array<int64_t, 4>>{{9, 4, 5, 3}, {2, 30, 1, 17}, {20, 1, 3, 1}, {1, 1, 40, 2}}) {
    const auto text = [](int64_t size) { return std::to_string(size); };
    backends.run(kronecker("m", "p", "n", "q"), rough({m, n}, 1), rough({p, q}, 2));
    backends.run(kronecker(text(m), text(p), text(n), text(q)), rough({m, n}, 1), rough({p, q}, 2));
  }
  CHECK(contains(source_of(kronecker("m", "p", "n", "q")), "elementwise over [m, p, n, q]"));
  CHECK(contains(source_of(kronecker("30", "20", "30", "20")), "elementwise over [30, 20, 30, 20]"));
  CHECK(contains(source_of(kronecker("2", "20", "30", "20")), "elementwise over [40, 600]"));
  CHECK(
      contains(source_of(graph_of("x: f32[40, 30, 20]", "y = reshape(permute(x, axes=[0, 2, 1]), shape=[40, 600])")), "over [40, 20, 30]"));
  CHECK(contains(source_of(graph_of("x: f32[40, 30, 20]", "y = reshape(exp(x), shape=[40, 600])")), "over [40, 600]"));
}
