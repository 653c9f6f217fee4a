// Tests scans along rows of an unknown number of elements, possibly only a few or one: vectors run across the rows (lower/scan_short.cpp).
#include <cmath>
#include <utility>

#include "base/text.h"
#include "support/backends_run.h"
#include "support/schedule_mistake.h"

using namespace capi_test;

namespace {

const std::pair<int64_t, int64_t> kSizes[] = {{0, 5},  {16, 0}, {1, 1},   {7, 1},   {100, 1},  {16, 2},  {17, 3}, {31, 4}, {64, 5},
                                              {65, 8}, {33, 9}, {40, 12}, {48, 13}, {130, 16}, {20, 17}, {15, 3}, {3, 70}};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("G4.cumsum,cumprod,cummax,cummin/c X2: scans of a few elements, of which the number is unknown") {
  const Backends backends;
  for (const auto& [n, m] : kSizes) {
    backends.run("graph g(x: f32[n, m]) {\n  return s = cumsum(x, axis=1), r = cumsum(x * 2.0, axis=1, reverse=true)\n}", rough({n, m}, 1));
    // Values that are the same for all rows and values of a row beside the scan; several scans in one kernel; a batch.
    backends.run(
        "graph g(x: f32[2, n, m], w: f32[m], v: f32[n]) flags=[broadcast] {\n  a = x * w + reshape(v, shape=[n, 1])\n"
        "  s = cumsum(a, axis=2)\n  return y = s * w - x, t = cummax(a, axis=2), u = exp(s)\n}",
        rough({2, n, m}, 2), rough({m}, 3), rough({n}, 4));
    // Rows that are not adjacent in memory.
    backends.run("graph g(z: f32[n, 3, m]) {\n  return p = cummin(permute(z, axes=[1, 0, 2]), axis=2)\n}", rough({n, 3, m}, 5));
  }
}

TEST_CASE("G4.cumsum,cumprod,cummax/interp,c G22.logcumsumexp/interp,c X2: scans of a few elements of every kind of dtype") {
  const Backends backends;
  for (const std::string dtype : {"f64", "f16", "bf16", "i8", "u8", "i16", "i32", "i64"})
    for (const auto& [n, m] : {std::pair<int64_t, int64_t>{9, 1}, {37, 5}, {70, 13}}) {
      CAPTURE(dtype);
      backends.run(harp::cat("graph g(x: f32[n, m]) {\n  a = cast(x, dtype=", dtype,
                             ")\n  return s = cumsum(a, axis=1), p = cumprod(a, axis=1), m = cummax(a, axis=1)\n}"),
                   whole<float>({n, m}, 1));
    }
  for (const auto& [n, m] : {std::pair<int64_t, int64_t>{20, 1}, {21, 6}}) {
    Values<float> special = rough({n, m}, 1);
    special.items[3] = NAN, special.items[8] = INFINITY, special.items[14] = -INFINITY;
    for (size_t i = 16; i < 20; ++i) special.items[i] = -0.0f;
    backends.run(
        "graph g(x: f32[n, m]) {\n  return s = cumsum(x, axis=1), p = cumprod(x, axis=1), m = cummax(x, axis=1), b = cumsum(x, axis=1) > "
        "1.0\n}",
        special);
    backends.run("graph g(x: f32[n, m]) {\n  return l = logcumsumexp(x, axis=1)\n}", special);
  }
}

TEST_CASE("L5.simd_width/c: scans of rows of an unknown number of elements have variants for few elements and for one") {
  const Context context = make_context();
  const auto source = [&](const char* row, const std::string& text) {
    const Graph graph = parse(context.get(), "harp 1\n" + text);
    REQUIRE(graph != nullptr);
    return source_for(row, graph.get());
  };
  for (const char* row : {"x86-64-v3", "x86-64-v4", "aarch64"}) {
    CAPTURE(row);
    const std::string text = source(row, "graph g(x: f32[n, m]) {\n  return y = cumsum(x, axis=1)\n}");
    CHECK(contains(text, "variant 2 of"));
    CHECK(contains(text, "[thread simd="));
    CHECK(contains(text, "transpose_"));
    // A single row, rows of known length and columns have no such variants.
    for (const char* other : {"x: f32[1, m]) {\n  return y = cumsum(x, axis=1)", "x: f32[n, 700]) {\n  return y = cumsum(x, axis=1)",
                              "x: f32[n, m]) {\n  return y = cumsum(x, axis=0)"})
      CHECK_FALSE(contains(source(row, harp::cat("graph g(", other, "\n}")), "[thread simd="));
  }
}

TEST_CASE("L5.simd_width/c X2: scans with vectors across the rows give the same bits with every width") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\nshape m in 0..13\ngraph g(x: f32[n, m]) {\n  return y = cumsum(x, axis=1)\n}");
  REQUIRE(graph != nullptr);
  for (const auto& [n, m] : {std::pair<int64_t, int64_t>{45, 6}, {10, 13}, {3, 1}}) {
    Values<float> x = rough({n, m}, 1);
    const Buffer rows = wrap(context.get(), x.items, x.dims);
    const std::vector<harp_buffer*> handles = {rows.get()};
    const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), handles);
    for (const char* axes : {"[thread simd=16, scan]", "[thread simd=4, scan]", "[thread, scan simd=8]"}) {
      CAPTURE(axes);
      const std::string line = std::string("kernel_0: scan ") + axes;
      const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) {
        o.schedule = line.c_str();
        compile_quickly(o);
      });
      REQUIRE(program != nullptr);
      CHECK(same_bits(run(program.get(), handles)[0].get(), expected[0].get()));
    }
  }
}
