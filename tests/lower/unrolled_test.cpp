// Tests kernels with axes of a few elements. The lanes of a vector are indices of another axis, and the short axes are unrolled
// (lower/unrolled.cpp). Loads and stores are therefore interleaved accesses (ir/interleaved_accesses.cpp).
#include <cmath>
#include <limits>

#include "support/backends_run.h"

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
  backends.run(graph_of("x: i8[n, 4]", "a = argmax(x, axis=1)"), whole<int8_t>({130, 4}, 7));
}

TEST_CASE("G10.softmax/c G10.layer_norm/c L2: passes over rows of a few elements") {
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

TEST_CASE("G4.matmul/c L2: products with few columns and few terms") {
  const Backends backends;
  for (const auto& [terms, columns] : {std::pair{2, 3}, {5, 1}, {5, 7}, {16, 2}, {4, 4}, {1, 3}})
    for (const int64_t rows : {4, 16, 100})
      backends.run(
          graph_of("a: f32[m, " + std::to_string(terms) + "], b: f32[" + std::to_string(terms) + ", " + std::to_string(columns) + "]",
                   "y = matmul(a, b)"),
          rough({rows, terms}, 9), rough({terms, columns}, 10));
  backends.run(graph_of("a: f32[l, 4, 4], b: f32[l, 4, 4]", "y = batch_matmul(a, b)"), rough({33, 4, 4}, 11), rough({33, 4, 4}, 12));
}

TEST_CASE("L2: short axes are unrolled where vectors along them would be almost empty") {
  const std::string unrolled = "elementwise [thread simd=16, reduce] partition overlap";
  CHECK(contains(source_of(graph_of("x: f32[n, 3]", "y = sum(x, axes=[1])")), unrolled));
  CHECK(contains(source_of(graph_of("x: f32[n, 15]", "y = softmax(x, axis=1)")), unrolled));
  CHECK_FALSE(contains(source_of(graph_of("x: f32[n, 16]", "y = softmax(x, axis=1)")), unrolled));
  CHECK_FALSE(contains(source_of(graph_of("x: f32[n, m]", "y = sum(x, axes=[1])")), unrolled));
  // The elements of 16 rows of 3 elements, one row for each lane, are loaded and stored as whole vectors.
  const std::string text = source_of(graph_of("x: f32[n, 3]", "y = softmax(x, axis=1)"));
  CHECK(contains(text, "load_part2_of_3_f32x16("));
  // Contiguous axes are merged into one loop, even if the last axis is short.
  CHECK(contains(source_of(graph_of("x: f32[n, 3]", "y = exp(x)")), "elementwise [thread, sequential simd=16]"));
}
