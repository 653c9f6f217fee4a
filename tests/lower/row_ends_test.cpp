// Tests the last elements of a row, which do not fill a vector. In a reduction (lower/reduce_lanes.cpp) AVX-512 and AVX2 read them as one
// masked vector. The element after the row is a NaN, which must not be read, and lanes without an element must not affect the result.
// Elementwise kernels (ir/vectorise.cpp) compute a row that is shorter than a vector in vectors of fewer lanes. Rows of at most one block
// (4096 elements) have a variant of their own if their length is unknown (schedule/cpu/recipes.cpp).
#include <limits>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

/// Returns six rows. The first `columns` elements of each row are numbers; the elements after them are NaN.
Values<float> between_nans(int64_t columns) {
  constexpr int64_t kRows = 6;
  const Values<float> numbers = rough({kRows, columns}, static_cast<uint32_t>(columns));
  Values<float> x{{}, {kRows, columns + 1}};
  for (int64_t row = 0; row < kRows; ++row) {
    const auto first = numbers.items.begin() + row * columns;
    x.items.insert(x.items.end(), first, first + columns);
    x.items.push_back(std::numeric_limits<float>::quiet_NaN());
  }
  return x;
}

constexpr const char* kReductions[] = {"sum(r, axes=[1])",
                                       "prod(r * 0.01 + 0.9, axes=[1])",
                                       "max(r, axes=[1])",
                                       "min(r, axes=[1])",
                                       "sum(exp(r * 0.001), axes=[1])",
                                       "sum(r * log(abs(r)), axes=[1])",
                                       "sum(cast(r, dtype=f16), axes=[1])",
                                       "sum(cast(r, dtype=i8), axes=[1])",
                                       "sum(r)"};

std::string graph_of(const char* reduction, const std::string& size) {
  return "graph g(x: f32[m, " + size + "]) {\n  r = slice(x, start=[none, none], stop=[none, -1])\n  return y = " + reduction + "\n}";
}

}  // namespace

TEST_CASE("G3.sum/interp,c G3.prod/interp,c G3.max/interp,c G3.min/interp,c L6: the end of a row that does not fill a vector") {
  const Backends backends;
  for (const char* reduction : kReductions) {
    for (const int64_t columns : {5, 17, 31, 40, 60, 1000})
      backends.run(graph_of(reduction, std::to_string(columns + 1)), between_nans(columns));
    for (const int64_t columns : {1, 15, 16, 17, 63, 64, 65, 100, 1000, 4100})
      backends.run(graph_of(reduction, "n"), between_nans(columns));
  }
}

TEST_CASE("G3.sum/interp,c L6: vectors as masks load the end of a row, if elements have 4 or 8 bytes and nothing is stored for each") {
  const auto context = make_context();
  const auto loads = [&](const char* machine, const std::string& text) {
    const Graph graph = parse(context.get(), ("harp 1\ngraph g(x: " + text + "\n}").c_str());
    return source_for(machine, graph.get()).find("__builtin_ia32_maskload") != std::string::npos;
  };
  const std::string sum = " {\n  return y = sum(x, axes=[1])";
  CHECK(loads("x86-64-v3", "f32[m, 37])" + sum));
  CHECK(loads("x86-64-v3", "f32[m, n])" + sum));
  CHECK(loads("x86-64-v3", "f64[m, 23])" + sum));
  CHECK(loads("x86-64-v3", "i32[m, 100])" + sum));
  CHECK_FALSE(loads("x86-64-v3", "f32[m, 40])" + sum));
  CHECK(loads("x86-64-v3", "f64[m, 23]) {\n  return y = max(x, axes=[1])"));
  CHECK_FALSE(loads("x86-64-v3", "f64[m, n in 1..5000]) {\n  return y = max(x, axes=[1])"));
  CHECK_FALSE(loads("x86-64-v3", "f16[m, 37])" + sum));
  CHECK_FALSE(loads("x86-64-v2", "f32[m, 37])" + sum));
  CHECK_FALSE(loads("x86-64-v4", "f32[m, 37])" + sum));
  CHECK_FALSE(loads("aarch64", "f32[m, 37])" + sum));
}

TEST_CASE("G3.sum/interp,c L6: the end of a row that an earlier pass keeps") {
  const Backends backends;
  const auto graph = [](const std::string& columns) {
    return "graph g(x: f32[m, " + columns + "]) flags=[broadcast] {\n  e = exp(x * 0.001)\n  d = e - sum(e, axes=[1], keepdims=true)\n" +
           "  return v = sum(d * d, axes=[1]), z = e * d\n}";
  };
  for (const int64_t columns : {17, 40, 1000}) backends.run(graph(std::to_string(columns)), rough({5, columns}, 7));
  for (const int64_t columns : {1, 15, 63, 65, 1000, 4993, 5000}) backends.run(graph("n in 1..5000"), rough({5, columns}, 8));
}

TEST_CASE("G3.sum/interp,c G4.cumsum/interp,c L6: what is stored for each element of a row, and scans, at its end") {
  const Backends backends;
  constexpr const char* kRowwise[] = {"softmax(x * 0.001, axis=1)",
                                      "x * 2.0 - mean(x, axes=[1], keepdims=true)",
                                      "layer_norm(x, axes=[1], eps=0.00001)",
                                      "cast(exp(x * 0.001) / sum(exp(x * 0.001), axes=[1], keepdims=true), dtype=f16)",
                                      "cast(x, dtype=i8) - max(cast(x, dtype=i8), axes=[1], keepdims=true)",
                                      "cumsum(x, axis=1)",
                                      "cumsum(x * x, axis=1) * x",
                                      "cumprod(x * 0.0001 + 1.0, axis=1)",
                                      "cummax(x, axis=1)",
                                      "logcumsumexp(x * 0.001, axis=1)",
                                      "cumsum(cast(x, dtype=i8), axis=1)",
                                      "cumsum(x, axis=1, reverse=true)"};
  for (const char* expression : kRowwise) {
    const auto graph = [&](const std::string& columns) {
      return "graph g(x: f32[m, " + columns + "]) flags=[broadcast] { return y = " + expression + " }";
    };
    for (const int64_t columns : {15, 17, 37, 44, 1000}) backends.run(graph(std::to_string(columns)), rough({5, columns}, 13));
    for (const int64_t columns : {0, 1, 15, 16, 17, 63, 64, 65, 100, 1000, 4095, 4096, 4097, 8200})
      backends.run(graph("n"), rough({3, columns}, 14));
  }
}

TEST_CASE("X6.workspace_size: only rows of one block are kept if rows may be of any length") {
  const Backends backends;
  const auto scratch = [&](const std::string& columns) {
    return backends.cost("graph g(x: f32[n, " + columns + "]) { return y = softmax(x, axis=1) }", {3, 100}).scratch;
  };
  CHECK(scratch("m") > 0);
  CHECK(scratch("m") == scratch("m in 0..4096"));
}

TEST_CASE("G2.mul/interp,c G14.pad/interp,c L6: elementwise kernels of rows that are shorter than a vector") {
  const Backends backends;
  for (const int64_t columns : {1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 31, 33, 63, 65, 67}) {
    CAPTURE(columns);
    backends.run("graph g(x: f32[m, n]) { return y = slice(x, start=[none, 1], stop=[none, none]) * 3.0 }", rough({5, columns + 1}, 9));
    backends.run("graph g(x: f32[m, n], w: f32[m, 1]) flags=[broadcast] { return y = x * w }", rough({5, columns}, 10), rough({5, 1}, 11));
    backends.run("graph g(x: i8[m, n]) { return y = pad(x, before=[0, 2], after=[0, 1], value=-1) }", whole<int8_t>({5, columns}, 12));
  }
}

TEST_CASE("G3.sum/c G22.batch_norm/c: rows of several axes of unknown size have a variant for one block") {
  const Backends backends;
  const std::string text =
      "graph g(x: f32[n, 3, m, m], w: f32[3]) flags=[broadcast] {\n  return y = sum(x, axes=[0, 2, 3]), z = batch_norm(x, weight=w, "
      "bias=w, eps=1e-5)\n}";
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\ngraph g(x: f32[n, 3, m, m]) {\n  return y = sum(x, axes=[0, 2, 3])\n}");
  CHECK(source_for("x86-64-v3", graph.get()).find("shape1 * shape1 <= 4096 && shape0 <= 256") != std::string::npos);
  // 256 and 257 rows, and 64 * 64 = 4096 elements, are the last sizes of the variant and the first ones after it
  for (const auto& [n, m] : {std::pair<int64_t, int64_t>{2, 13}, {1, 64}, {2, 65}, {256, 2}, {257, 2}, {3, 1}, {0, 4}, {4, 0}})
    backends.run(text, rough({n, 3, m, m}, static_cast<uint32_t>(n + m)), rough({3}, 1));
}
