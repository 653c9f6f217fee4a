// Tests reductions in lanes order (64 interleaved partial results for each row) whose vectors run across the rows
// (lower/reduce_lane_columns.cpp): the product of a transposed matrix and a vector, and products of matrices whose rows have an unknown
// number of elements.
#include <cmath>
#include <complex>
#include <utility>

#include "base/text.h"
#include "support/backends_run.h"
#include "support/schedule_mistake.h"

using namespace capi_test;

namespace {

/// The text of a graph whose matrix a has m rows of k elements and is stored transposed: the elements of a row are far apart.
std::string crossed(const std::string& m, const std::string& k) {
  return harp::cat("graph g(t: f32[", k, ", ", m, "], x: f32[", k, "], b: f32[", m, "]) {\n  a = transpose(t)\n",
                   "  return y = relu(matmul(a, x) + b), z = matmul(abs(a), x), s = sum(a * a, axes=[1])\n}");
}
std::string usual(const std::string& m, const std::string& k) {
  return harp::cat("graph g(a: f32[", m, ", ", k, "], x: f32[", k, "]) {\n  return y = matmul(a, x), z = sum(a * exp(-a), axes=[1])\n}");
}

}  // namespace

TEST_CASE(
    "G15.matmul/interp,c X2: the product of a transposed matrix and a vector has vectors across the rows, for every size of a program") {
  const Backends backends;
  for (const auto& [m, k] : {std::pair<int64_t, int64_t>{33, 0},
                             {33, 1},
                             {20, 5},
                             {48, 17},
                             {130, 40},
                             {3, 70},
                             {1, 64},
                             {16, 65},
                             {300, 200},
                             {70, 4096},
                             {17, 4097},
                             {5, 9000}})
    for (const std::string& text : {crossed(std::to_string(m), std::to_string(k)), crossed("m", "k")})
      backends.run(text, rough({k, m}, 1), rough({k}, 2), rough({m}, 3));
  for (const char* dtype : {"f64", "f16", "i32"})
    backends.run(harp::cat("graph g(t: f32[k, 40], x: f32[k]) {\n  a = cast(transpose(t), dtype=", dtype, ")\n",
                           "  return y = cast(matmul(a, cast(x, dtype=", dtype, ")), dtype=f32), p = max(a * a, axes=[1])\n}"),
                 whole<float>({300, 40}, 1), whole<float>({300}, 2));
  using C = std::complex<float>;
  const std::vector<float> parts = rough({2 * 100 * 37 + 200}, 5).items;
  std::vector<C> numbers;
  for (size_t i = 0; i + 1 < parts.size(); i += 2) numbers.emplace_back(parts[i], parts[i + 1]);
  const Values<C> matrix{{numbers.begin(), numbers.begin() + 3700}, {100, 37}}, vector{{numbers.begin() + 3700, numbers.end()}, {100}};
  for (const char* sizes : {"100, 37", "k, m"})
    backends.run(harp::cat("graph g(t: complex64[", sizes, "], x: complex64[", std::string(sizes).substr(0, std::string(sizes).find(',')),
                           "]) {\n  return y = matmul(transpose(t), x), h = matmul(conj(transpose(t)), x)\n}"),
                 matrix, vector);
  // A batch of matrices times a batch of vectors; then a vector with an infinity, which the lanes without a column multiply by 0.
  backends.run("graph g(t: f32[3, k, m], x: f32[3, k]) {\n  return y = einsum(t, x, spec=\"bki,bk->bi\")\n}", rough({3, 90, 21}, 1),
               rough({3, 90}, 2));
  Values<float> infinite = rough({80}, 2);
  infinite.items[3] = INFINITY;
  backends.run("graph g(t: f32[80, m], x: f32[80]) {\n  return y = matmul(transpose(t), x)\n}", rough({80, 19}, 1), infinite);
}

TEST_CASE("G15.matmul/interp,c X2: rows of an unknown number of elements, possibly only a few, are reduced like rows of known length") {
  const Backends backends;
  for (const auto& [m, k] : {std::pair<int64_t, int64_t>{100, 0},
                             {100, 1},
                             {386, 2},
                             {48, 5},
                             {7, 7},
                             {1, 8},
                             {129, 8},
                             {129, 9},
                             {33, 64},
                             {20, 300},
                             {3, 5000}})
    backends.run(usual("m", "k"), rough({m, k}, 1), rough({k}, 2));
}

TEST_CASE("G15.softmax/interp,c X2: few short rows of an unknown number of elements share vectors for costly operations") {
  const Backends backends;
  for (const auto& [m, k] : {std::pair<int64_t, int64_t>{1, 1}, {2, 1}, {2, 2}, {3, 4}, {7, 1}, {7, 7}, {8, 8}, {9, 5}, {12, 13}, {15, 15}})
    backends.run("graph g(x: f32[2, m, k]) {\n  return y = softmax(x, axis=2)\n}", rough({2, m, k}, 1));
}

TEST_CASE("G15.matmul/interp,c X2: rows of a known number of elements: groups of lanes in registers, and zeros that are never negative") {
  const Backends backends;
  for (const auto& [m, k] : {std::pair<int64_t, int64_t>{41, 3}, {41, 9}, {25, 31}, {40, 79}, {20, 128}, {22, 250}, {33, 256}, {33, 257}})
    backends.run(crossed(std::to_string(m), std::to_string(k)), rough({k, m}, 1), rough({k}, 2), rough({m}, 3));
  for (const int64_t k : {1, 4, 8, 20, 64, 100}) {
    const std::string size = std::to_string(k);
    const auto outputs =
        backends.run(harp::cat("graph g(t: f32[", size, ", 20], x: f32[", size, "]) flags=[broadcast] {\n  a = transpose(t)\n",
                               "  return y = matmul(a, x), z = sum(a * 0 + x, axes=[1]), p = prod(a * 0 + x, axes=[1])\n}"),
                     Values<float>{std::vector<float>(static_cast<size_t>(20 * k), -0.0f), {k, 20}},
                     Values<float>{std::vector<float>(static_cast<size_t>(k), -0.0f), {k}});
    for (const float sum : values<float>(outputs[1].get())) CHECK_FALSE(std::signbit(sum));
  }
}

TEST_CASE("L5.simd_width/c X2: vectors across rows with every tile, and several elements of a lane in a step, give the same bits") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\ngraph g(t: f32[5000, 70], x: f32[5000]) {\n  return y = matmul(transpose(t), x)\n}");
  REQUIRE(graph != nullptr);
  Values<float> t = rough({5000, 70}, 1), x = rough({5000}, 2);
  const Buffer matrix = wrap(context.get(), t.items, t.dims), vector = wrap(context.get(), x.items, x.dims);
  const std::vector<harp_buffer*> handles = {matrix.get(), vector.get()};
  const std::vector<Buffer> expected = run(compile(graph.get(), "interp").get(), handles);
  for (const char* axes :
       {"[thread tile=5 simd=4, reduce]", "[thread tile=16 simd=16, reduce unroll=2]", "[thread simd=8, reduce unroll=4]",
        "[thread tile=100 unroll=3 simd=8, reduce unroll=3]", "[thread, reduce simd=16]"}) {
    CAPTURE(axes);
    const std::string line = std::string("kernel_0: reduce ") + axes;
    const Program program = compile(graph.get(), "c", [&](harp_compile_options& o) {
      o.schedule = line.c_str();
      compile_quickly(o);
    });
    REQUIRE(program != nullptr);
    CHECK(same_bits(run(program.get(), handles)[0].get(), expected[0].get()));
  }
  CHECK(schedule_mistake(graph.get(), "kernel_0: reduce [thread simd=8, reduce simd=16]").find("along the rows or across them") !=
        std::string::npos);
  CHECK(schedule_mistake(graph.get(), "kernel_0: reduce [thread tile=5000 simd=8, reduce]").find("at most 1024 are allowed") !=
        std::string::npos);
}

TEST_CASE("L5.simd_width/c: vectors are loaded whole where the elements of adjacent rows are adjacent") {
  const Context context = make_context();
  const auto source = [&](const char* row, const std::string& text) {
    const Graph graph = parse(context.get(), "harp 1\n" + text);
    REQUIRE(graph != nullptr);
    return source_for(row, graph.get());
  };
  for (const char* row : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4-vnni", "aarch64"}) {
    CAPTURE(row);
    for (const std::string& text : {crossed("1000", "700"), crossed("m", "k")})
      CHECK(source(row, text).find("load_strided") == std::string::npos);
    const std::string complex = "graph g(t: complex64[700, 1000], x: complex64[700]) {\n  return y = matmul(conj(transpose(t)), x)\n}";
    CHECK(source(row, complex).find("load_strided") == std::string::npos);
    // The lanes of a row of known length are no accumulators, so no statement computes in which lane an element is.
    CHECK(source(row, crossed("1000", "79")).find(" & 63]") == std::string::npos);
    CHECK(source(row, crossed("1000", "79")).find(" & 63;") == std::string::npos);
    CHECK(source(row, crossed("1000", "k")).find(" & 63;") != std::string::npos);
    // For rows of unknown length there are three variants: at most 16 elements, because the kernel computes exp, at most one block of
    // 4,096, and more.
    CHECK(source(row, usual("m", "k")).find("variant 3 of 3 by size") != std::string::npos);
    CHECK(source(row, usual("1000", "700")).find("by size") == std::string::npos);
  }
}
