// Tests argmax and argmin (lower/arg_extreme.cpp) for every way of computing them: blocks of several vectors along a row, an axis divided
// among threads, interleaved rows, and columns, each with a remainder. If an extreme value occurs several times, the result is the index of
// its first occurrence. A NaN counts as more extreme than all other values. Kernels detect NaN by the sum of the elements. This sum can
// also be NaN without a NaN among the elements, because of infinities of both signs.
#include <limits>

#include "base/text.h"
#include "graph/text.h"
#include "pipeline.h"
#include "support/backends_run.h"
#include "support/machine.h"

using namespace capi_test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

/// Returns an array with few different values, so that the extreme occurs several times. `special` lists positions and the elements to put
/// there.
Values<float> few(std::vector<int64_t> dims, std::vector<std::pair<int64_t, float>> special = {}) {
  Values<float> x{{}, std::move(dims)};
  int64_t count = 1;
  for (const int64_t size : x.dims) count *= size;
  for (int64_t i = 0; i < count; ++i) x.items.push_back(static_cast<float>(i * 2654435761 % 1000003 % 41) - 20);
  for (const auto& [at, value] : special)
    if (at < count) x.items[static_cast<size_t>(at)] = value;
  return x;
}

std::string both(std::string_view x, std::string_view axis) {
  return harp::cat("  return a = argmax(", x, ", axis=", axis, "), b = argmin(", x, ", axis=", axis, ")\n}");
}

std::string source_of(std::string_view text) {
  harp::PipelineOptions options;
  options.target = harp::testing::row("x86-64-v3");
  return harp::generate(*harp::parse_graph(text), options).source;
}

size_t kernels_of(std::string_view text) {
  const std::string source = source_of(text);
  size_t count = 0;
  for (size_t at = 0; (at = source.find(")) void kernel_", at)) != source.npos; ++at) ++count;
  return count;
}

}  // namespace

TEST_CASE("G3.argmax,argmin X2/interp,c: along rows of every length, the first of equals") {
  const Backends backends;
  for (const int64_t n : {1, 2, 15, 17, 33, 48, 64, 65, 100, 1000, 4096 + 7}) {
    CAPTURE(n);
    backends.run(harp::cat("graph g(x: f32[3, n]) {\n", both("x", "1")), few({3, n}));
    backends.run(harp::cat("graph g(x: f32[5, ", n, "]) {\n", both("x", "1")), few({5, n}));
    backends.run(harp::cat("graph g(x: f32[m, ", n, "]) {\n", both("x", "none")), few({7, n}));
  }
  // These numbers of rows are below and above the number of interleaved rows, and some are not multiples of it.
  for (const int64_t m : {1, 2, 9, 10, 33}) {
    CAPTURE(m);
    backends.run("graph g(x: f32[m, 1024]) {\n" + both("x * 2 - 1", "1"), few({m, 1024}));
  }
}

TEST_CASE("G3.argmax,argmin X2/interp,c: down columns of every number, the first of equals") {
  const Backends backends;
  for (const int64_t columns : {1, 2, 7, 16, 17, 64, 100, 1000, 1024, 1030})
    for (const int64_t rows : {1, 2, 8, 9, 30}) {
      CAPTURE(columns);
      backends.run(harp::cat("graph g(x: f32[m, ", columns, "]) {\n", both("x", "0")), few({rows, columns}));
      if (rows == 9) backends.run(harp::cat("graph g(x: f32[2, ", rows, ", k]) {\n", both("x", "1")), few({2, rows, columns}));
    }
}

TEST_CASE("G3.argmax,argmin X2/interp,c: NaN, infinities of both signs, zeros of both") {
  const Backends backends;
  const std::vector<std::vector<std::pair<int64_t, float>>> contents = {
      {{5, kNan}},
      {{900, kNan}, {70, kNan}, {71, 1000}},
      {{0, kInf}, {300, kNan}},
      // The sum of these elements is NaN, because it adds infinities of both signs, but no element is NaN.
      {{3, kInf}, {200, -kInf}, {2000, -kInf}},
      {{2047, kNan}},
      {{100, std::numeric_limits<float>::max()}, {101, std::numeric_limits<float>::max()}, {1500, -kInf}},
  };
  for (const auto& special : contents) {
    for (const auto& shape : {std::vector<int64_t>{2, 1024}, std::vector<int64_t>{64, 32}, std::vector<int64_t>{2048, 1}}) {
      backends.run("graph g(x: f32[m, k]) {\n" + both("x", "1"), few(shape, special));
      backends.run("graph g(x: f32[m, k]) {\n" + both("x", "0"), few(shape, special));
      backends.run("graph g(x: f32[m, k]) {\n" + both("x", "none"), few(shape, special));
    }
    backends.run("graph g(x: f32[2, 1024]) {\n" + both("x", "1"), few({2, 1024}, special));
    backends.run("graph g(x: f32[64, 32]) {\n" + both("x", "0"), few({64, 32}, special));
  }
  Values<float> same{std::vector<float>(2048, -kInf), {2, 1024}};
  backends.run("graph g(x: f32[m, 1024]) {\n" + both("x", "1"), same);
  backends.run("graph g(x: f32[m, 1024]) {\n" + both("x", "0"), same);
  same.items.assign(2048, kNan);
  backends.run("graph g(x: f32[m, 1024]) {\n" + both("x", "1"), same);
  backends.run("graph g(x: f32[m, 1024]) {\n" + both("x", "0"), same);
  for (size_t i = 0; i < same.items.size(); ++i) same.items[i] = i % 300 == 299 ? 0.0f : -0.0f;
  // +0 is the maximum of the zeros, so the result is the index of the first +0.
  for (const char* axis : {"0", "1"}) {
    backends.run(harp::cat("graph g(x: f32[m, 1024]) {\n  return v = max(x, axes=[", axis, "]), i = argmax(x, axis=", axis, ")\n}"), same);
    backends.run(
        harp::cat("graph g(x: f32[m, 1024]) {\n  y = -x\n  return v = min(y, axes=[", axis, "]), i = argmin(y, axis=", axis, ")\n}"), same);
  }
  backends.run("graph g(x: f32[m, 1024]) {\n" + both("x", "1"), same);
  backends.run("graph g(x: f32[m, 1024]) {\n" + both("x", "0"), same);
}

TEST_CASE("G3.argmax,argmin X2/interp,c: every dtype, and the extreme and its index in one kernel") {
  const Backends backends;
  for (const char* dtype : {"bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f64"})
    for (const char* axis : {"0", "1", "none"}) {
      CAPTURE(dtype);
      backends.run(harp::cat("graph g(x: f32[m, 130]) {\n  y = cast(abs(x), dtype=", dtype, ")\n", both("y", axis)), few({70, 130}));
    }
  for (const char* axis : {"0", "1"}) {
    const std::string text =
        harp::cat("graph g(x: f32[m, 1024]) {\n  return v = max(x, axes=[", axis, "]), i = argmax(x, axis=", axis, ")\n}");
    CHECK(kernels_of(text) == 1);
    backends.run(text, few({9, 1024}, {{4000, kNan}, {1, 0.0f}, {2, -0.0f}}));
    backends.run(text, few({9, 1024}, {{4000, kInf}, {4002, -kInf}}));
  }
  // The index of one extreme and the value of the other are in separate kernels, whichever comes first.
  for (const char* results : {"i = argmin(x, axis=1), v = max(x, axes=[1])", "v = max(x, axes=[1]), i = argmin(x, axis=1)",
                              "i = argmax(x, axis=0), v = min(x, axes=[0])", "v = min(x, axes=[0]), i = argmax(x, axis=0)"}) {
    const std::string text = harp::cat("graph g(x: f32[9, 40]) {\n  return ", results, "\n}");
    CHECK(kernels_of(text) == 2);
    backends.run(text, few({9, 40}));
  }
  // Operations on the index are fused into the kernel of the argmax. A second argmax or argmin gets a kernel of its own.
  CHECK(kernels_of("graph g(x: f32[m, 1024]) {\n  return i = cast(argmax(x, axis=1) * 2, dtype=f32)\n}") == 1);
  CHECK(kernels_of("graph g(x: f32[m, 1024]) {\n  return i = argmax(x, axis=1), j = argmin(x, axis=1), m = max(x, axes=[1])\n}") == 2);
}

TEST_CASE("G3.argmax,argmin L5/interp,c: a long axis is shared by several threads' kernels") {
  const Backends backends;
  for (const std::string x : {"f32[70001]", "f32[69632]", "f32[3, 70001]"}) {
    const bool is_row = x[4] != '3';
    const std::vector<int64_t> shape = is_row ? std::vector<int64_t>{x == "f32[70001]" ? 70001 : 69632} : std::vector<int64_t>{3, 70001};
    const std::string text = harp::cat("graph g(x: ", x, ") {\n", both("x", is_row ? "0" : "1"));
    CHECK(kernels_of(text) > 2);
    backends.run(text, few(shape));
    backends.run(text, few(shape, {{69999, kNan}, {70000, kNan}}));
  }
  backends.run("graph g(x: f32[70001, 3]) {\n" + both("x", "0"), few({70001, 3}, {{150001, 100}, {150004, 100}}));
}

TEST_CASE("G3.argmax,argmin X2/interp,c: bools of none, and of parts that are none") {
  const Backends backends;
  for (const char* axis : {"0", "1"}) {
    const std::string text = harp::cat("graph g(x: f32[n, m]) {\n  y = x > 0\n  return v = max(y, axes=[", axis, "]), w = min(y, axes=[",
                                       axis, "]), i = argmax(y, axis=", axis, "), j = argmin(y, axis=", axis, ")\n}");
    for (const auto& dims : {std::vector<int64_t>{3, 0}, std::vector<int64_t>{0, 3}, std::vector<int64_t>{20, 20}})
      backends.run(text, few(dims));
  }
  for (const int64_t n : {69632, 70000})
    backends.run(
        "shape n in 66000..200000\ngraph g(x: f32[n]) {\n  y = x > 30\n  return v = max(y), w = min(y), i = argmax(y), j = argmin(y)\n}",
        few({n}));
}

TEST_CASE("G3.argmax/c: an extreme that its rows are computed with stays in their kernel") {
  CHECK(kernels_of("graph g(x: f32[n, 1024]) {\n  return y = softmax(x, axis=1), i = argmax(x, axis=1)\n}") == 2);
  const std::string source = source_of("graph g(x: f32[n, 1024]) {\n  return y = softmax(x, axis=1), i = argmax(x, axis=1)\n}");
  CHECK(source.find("rowwise over [n] · max of") != source.npos);
}

TEST_CASE("G3.argmin/c X2: all lanes of the law as one vector") {
  const Backends backends;
  const Graph graph = parse(backends.context(), "harp 1\ngraph g(x: f32[n, m]) {\n  return y = argmin(x, axis=0)\n}");
  const Program program = compile(graph.get(), "c", [](harp_compile_options& o) {
    o.schedule = "kernel_0: reduce [thread simd=64, reduce unroll=8] partition overlap";
  });
  REQUIRE(program != nullptr);
  const Program expected = compile(graph.get(), "interp");
  Values<float> x = few({9, 150});
  const Buffer input = wrap(backends.context(), x.items, x.dims);
  CHECK(same_bits(run(program.get(), {input.get()})[0].get(), run(expected.get(), {input.get()})[0].get()));
}

TEST_CASE("G3.argmax/c: more rows than are numbered in one go") {
  // Every column is 0, 1, 2, ... and is computed in the kernel, so that only the result is in memory.
  const Backends backends;
  const Graph graph = parse(backends.context(),
                            "harp 1\ngraph g(x: i32[m, 0]) {\n  rows = expand(reshape(arange(n=m), shape=[m, 1]), shape=[m, 16])\n"
                            "  return y = argmax(rows, axis=0)\n}");
  REQUIRE(graph != nullptr);
  const Program program = compile(graph.get(), "c");
  REQUIRE(program != nullptr);
  const int64_t rows = (int64_t{1} << 30) + 5;
  std::vector<int32_t> nothing;
  const Buffer x = wrap(backends.context(), nothing, {rows, 0});
  const std::vector<Buffer> outputs = run(program.get(), {x.get()});
  REQUIRE(outputs.size() == 1);
  for (int i = 0; i < 16; ++i) CHECK(static_cast<const int64_t*>(harp_buffer_const_data(outputs[0].get()))[i] == rows - 1);
}

TEST_CASE("G3.argmax,argmin X2/interp,c: tiles of short rows are copied, transposed") {
  const Backends backends;
  const std::string text = "graph g(x: f32[m, 30]) {\n" + both("x", "1");
  CHECK(source_of(text).find("transpose_f32(") != std::string::npos);
  for (const int64_t rows : {1, 16, 33, 96}) {
    CAPTURE(rows);
    backends.run(text, few({rows, 30}));
    backends.run(text, few({rows, 30}, {{31, kNan}, {33, kInf}, {35, kNan}, {450, kNan}, {rows * 30 - 1, kNan}}));
    backends.run(text, few({rows, 30}, {{3, kInf}, {31, kInf}, {32, -kInf}, {rows * 30 - 2, -kInf}}));
    // Values that are computed, not only loaded, are stored in a copy first. The rows of the second array are all the same.
    backends.run("graph g(x: f32[m, 23]) {\n  y = (x + 1) * x\n" + both("y", "1"), few({rows, 23}, {{24, kNan}}));
    backends.run(harp::cat("graph g(x: f32[", rows, ", 48]) {\n", both("x", "1")), few({rows, 48}, {{50, kNan}}));
  }
  for (const char* dtype : {"bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f64"}) {
    CAPTURE(dtype);
    backends.run(harp::cat("graph g(x: f32[50, 19]) {\n  y = cast(abs(x), dtype=", dtype, ")\n  z = contiguous(y)\n",
                           "  return i = argmax(y, axis=1), j = argmin(z, axis=1)\n}"),
                 few({50, 19}));
  }
  // The extreme itself, with the sign of its zero; rows that are far apart or backwards; several axes before the rows.
  backends.run("graph g(x: f32[m, 20]) {\n  y = x * 0\n  return v = max(y, axes=[1]), i = argmax(y, axis=1), w = y\n}", few({70, 20}));
  backends.run("graph g(x: f32[m, 40]) {\n  y = slice(x, step=[2, -1])\n" + both("y", "1"), few({150, 40}, {{100, kNan}}));
  backends.run("graph g(x: f32[3, m, 24]) {\n" + both("x", "2"), few({3, 70, 24}, {{100, kNan}}));
  backends.run("graph g(x: f32[m, 70]) {\n  y = slice(x, start=[0, 3], stop=[none, 29])\n" + both("y", "1"), few({70, 70}));
}
