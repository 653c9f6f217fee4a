// Tests row-wise kernels and reductions whose rows have an unknown number of elements, possibly only a few: tiles of such rows are copied,
// transposed, so that vectors run across the rows (lower/transposed_rows.h).
#include <cmath>
#include <utility>

#include "base/text.h"
#include "support/backends_run.h"
#include "support/schedule_mistake.h"

using namespace capi_test;

namespace {

const std::pair<int64_t, int64_t> kSizes[] = {{0, 5},  {1, 3},  {7, 2},  {8, 2},   {9, 1},   {16, 16}, {17, 4},
                                              {40, 7}, {48, 9}, {65, 5}, {100, 3}, {131, 8}, {33, 15}, {50, 17}};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("G17.softmax,layer_norm/c X2: several passes over rows of a few elements, of which the number is unknown") {
  const Backends backends;
  for (const auto& [n, m] : kSizes) {
    backends.run("graph g(x: f32[n, m]) {\n  return y = softmax(x, axis=1)\n}", rough({n, m}, 1));
    // Values that are the same for all rows, values of a row, and results of rows beside results of elements.
    backends.run(
        "graph g(x: f32[n, m], w: f32[m], v: f32[n]) flags=[broadcast] {\n  a = x * w + reshape(v, shape=[n, 1])\n"
        "  y = layer_norm(a, axes=[1])\n  return y = y, z = y * 2.0 - x, s = var(a, axes=[1]), t = sum(y, axes=[1])\n}",
        rough({n, m}, 1), rough({m}, 2), rough({n}, 3));
    // Rows of the second-to-last axis of a batch, and rows that are not adjacent in memory.
    backends.run(
        "graph g(x: f32[2, n, m], z: f32[n, 3, m]) {\n  return y = softmax(x, axis=2), p = softmax(permute(z, axes=[1, 0, 2]), axis=2)\n}",
        rough({2, n, m}, 4), rough({n, 3, m}, 5));
    // An array whose elements of neighbouring rows are adjacent is not copied.
    backends.run(
        "graph g(t: f32[m, n], x: f32[n, m]) flags=[broadcast] {\n  a = transpose(t)\n"
        "  return y = a - x / (sum(a * x, axes=[1], keepdims=true) + 3.0)\n}",
        rough({m, n}, 6), rough({n, m}, 7));
  }
}

TEST_CASE("G3.sum,max,min,prod/interp,c X2: rows of a few elements of every kind of dtype, of which the number is unknown") {
  const Backends backends;
  for (const std::string dtype : {"f64", "f16", "bf16", "i8", "u8", "i16", "i32", "i64"})
    for (const auto& [n, m] : {std::pair<int64_t, int64_t>{9, 2}, {37, 5}, {70, 13}}) {
      CAPTURE(dtype);
      backends.run(harp::cat("graph g(x: f32[n, m]) flags=[broadcast] {\n  a = cast(x, dtype=", dtype,
                             ")\n  b = a - max(a, axes=[1], keepdims=true)\n",
                             "  return b = b, s = sum(b, axes=[1]), p = prod(a, axes=[1]), least = min(a, axes=[1])\n}"),
                   whole<float>({n, m}, 1));
    }
  for (const auto& [n, m] : kSizes)
    if (m > 0)
      backends.run(
          "graph g(x: f32[n, m]) flags=[broadcast] {\n  a = x > 0.0\n  return y = a ^ any(a, axes=[1], keepdims=true), z = all(a, "
          "axes=[1])\n}",
          rough({n, m}, 1));
  // NaN, infinities and zeros of both signs; rows of a tile that do not exist are zeros in the copies.
  Values<float> special = rough({21, 6}, 1);
  special.items[3] = NAN, special.items[8] = INFINITY, special.items[14] = -INFINITY, special.items[20] = -0.0f;
  for (size_t i = 24; i < 30; ++i) special.items[i] = -0.0f;
  backends.run(
      "graph g(x: f32[n, m]) flags=[broadcast] {\n  s = sum(x, axes=[1], keepdims=true)\n  return y = 1.0 / x / s, m = max(x, axes=[1]), s "
      "= s\n}",
      special);
}

TEST_CASE("G17.softmax/c H5 X2: short rows overwrite the array from which they are computed") {
  const Backends backends;
  for (const auto& [n, m] : kSizes)
    backends.run("graph g(x: f32[n, 20], w: f32[20, m], v: f32[m, 30]) {\n  return y = matmul(softmax(matmul(x, w), axis=1), v)\n}",
                 rough({n, 20}, 1), rough({20, m}, 2), rough({m, 30}, 3));
}

TEST_CASE("L5.simd_width/c: tiles of short rows are transposed, and their vectors are loaded and stored whole") {
  const Context context = make_context();
  const auto source = [&](const char* row, const std::string& text) {
    const Graph graph = parse(context.get(), "harp 1\n" + text);
    REQUIRE(graph != nullptr);
    return source_for(row, graph.get());
  };
  const std::string softmax = "graph g(x: f32[n, m]) {\n  return y = softmax(x, axis=1)\n}";
  for (const char* row : {"x86-64-v3", "x86-64-v4", "aarch64"}) {
    CAPTURE(row);
    CHECK(contains(source(row, softmax), "variant 3 of 3 by size"));
    CHECK_FALSE(contains(source(row, softmax), "load_strided"));
    CHECK(contains(source(row, softmax), "transpose_"));
    // Known lengths have no such variant.
    CHECK_FALSE(contains(source(row, "graph g(x: f32[1000, 700]) {\n  return y = softmax(x, axis=1)\n}"), "by size"));
  }
  CHECK(contains(source("x86-64-v4", softmax), "transpose_parts_f32"));
}

TEST_CASE("L5.simd_width/c X2: row-wise kernels with vectors across the rows give the same bits with every tile") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\ngraph g(x: f32[n, m]) {\n  return y = softmax(x, axis=1)\n}");
  REQUIRE(graph != nullptr);
  for (const auto& [n, m] : {std::pair<int64_t, int64_t>{45, 6}, {10, 16}, {70, 40}, {5, 300}}) {
    Values<float> x = rough({n, m}, 1);
    const Buffer rows = wrap(context.get(), x.items, x.dims);
    const std::vector<harp_buffer*> handles = {rows.get()};
    const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), handles);
    for (const char* axes : {"[thread tile=16 simd=16, reduce]", "[thread tile=5 simd=4, reduce]", "[thread tile=64 simd=8, reduce]"}) {
      CAPTURE(axes);
      const std::string line = std::string("kernel_0: rowwise ") + axes;
      const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) {
        o.schedule = line.c_str();
        compile_quickly(o);
      });
      REQUIRE(program != nullptr);
      CHECK(same_bits(run(program.get(), handles)[0].get(), expected[0].get()));
    }
  }
  CHECK(contains(schedule_mistake(graph.get(), "kernel_0: rowwise [thread tile=100 simd=8, reduce]"), "at most 64 are allowed"));
}
