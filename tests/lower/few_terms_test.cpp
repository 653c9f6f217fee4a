// Tests reductions of few terms, each of whose results is computed by one expression without a loop (schedule/few_terms.h). Results must be
// bit-identical to the interpreter's for all sizes of windows, strides and rows. Also tests strided loads at the end of an array, and which
// kernels get this schedule.
#include <array>
#include <string>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

std::string source_of(const std::string& text, const char* row = "x86-64-v4") {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  return source_for(row, graph.get());
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

std::string pool(const std::string& call, const std::string& shape = "[n, 3, h in 5..99, w in 5..99]") {
  return "graph g(x: f32" + shape + ") {\n  return y = " + call + "\n}";
}

}  // namespace

TEST_CASE("G15.max_pool,avg_pool/interp,c X2: pools of every window and stride, with rows shorter and longer than a vector") {
  const Backends backends;
  for (const auto& [h, w] : {std::array<int64_t, 2>{5, 5}, {7, 18}, {9, 35}, {12, 67}})
    for (const char* call :
         {"max_pool(x, [2, 2])", "max_pool(x, [3, 3], stride=2)", "avg_pool(x, [3, 3], stride=3)", "avg_pool(x, [5, 5], stride=4)",
          "max_pool(x, [2, 3], stride=[1, 5])", "avg_pool(x, [3, 3], stride=2, padding=1)", "relu(avg_pool(x, [2, 2], stride=1))"})
      backends.run(pool(call), rough({2, 3, h, w}, 1));
}

TEST_CASE("G15 X2: maxima, products and sums of the same windows share a kernel, in every dtype that they accumulate in") {
  const Backends backends;
  for (const char* dtype : {"f64", "f16", "bf16", "i32", "u8"})
    backends.run(std::string("graph g(x: f32[2, 9, 41]) {\n  u = unfold(cast(x, dtype=") + dtype +
                     "), axes=[1, 2], size=[2, 3], stride=[2, 3])\n  return m = max(u, axes=[3, 4]), p = prod(u, axes=[3, 4]), s = sum(u, "
                     "axes=[3, 4])\n}",
                 rough({2, 9, 41}, 1));
}

TEST_CASE("L2: the max of a large window is computed in several chains of operations") {
  // 25 terms: four chains, whose first operands are compared with the identity
  const std::string source = source_of(pool("max_pool(x, [5, 5], stride=1)", "[8, 16, 40, 40]"), "x86-64-v3");
  size_t chains = 0;
  for (size_t at = 0; (at = source.find("greater_f32x8(splat_f32x8(-", at)) != source.npos; ++at) ++chains;
  CHECK(chains == 4);
}

TEST_CASE("G15 X2: reductions of the same windows that depend on each other share an expression") {
  const Backends backends;
  for (const int64_t w : {5, 9, 18, 41})
    for (const char* width : {"w in 5..99", ""})
      backends.run("graph g(x: f32[2, 9, " + (*width != 0 ? width : std::to_string(w)) +
                       "]) flags=[broadcast] {\n  u = unfold(x, axes=[1, 2], size=[2, 3], stride=[2, 2])\n  m = max(u, axes=[3, 4], "
                       "keepdims=true, order=chain)\n  e = "
                       "exp(u - m)\n  return s = sum(e, axes=[3, 4], order=chain), n = sum(cast(u == m, dtype=f32), axes=[3, 4], "
                       "order=chain), q = m * 2\n}",
                   rough({2, 9, w}, 1));
  const std::string source =
      source_of("graph g(x: f32[8, 16, 57, 57]) {\n  y = max_pool(x, [3, 3], stride=2)\n  return d = grad(y, x, grad_output=y)\n}");
  CHECK(!contains(source, "acc0"));
  CHECK(!contains(source, "row0["));
}

TEST_CASE("G6 X2: sums and products of a few rows") {
  const Backends backends;
  for (const int64_t terms : {1, 2, 7, 8, 9})
    backends.run("graph g(a: f32[m, " + std::to_string(terms) + ", n], b: f32[" + std::to_string(terms) +
                     ", 33]) {\n  return s = sum(a, axes=[1]), y = matmul(max(a, axes=[2]), b)\n}",
                 rough({3, terms, 35}, 1), rough({terms, 33}, 2));
}

TEST_CASE("L2 L5.simd_width/c: a pool has no accumulators in memory, and strided rows are read as whole vectors") {
  const std::string known = source_of(pool("max_pool(x, [3, 3], stride=2)", "[8, 16, 57, 57]"));
  CHECK(contains(known, "load_every_second_f32x16("));
  CHECK(!contains(known, "acc0"));
  CHECK(contains(source_of(pool("avg_pool(x, [2, 2], stride=3)")), "load_every_third_f32x16("));
  CHECK(contains(source_of(pool("avg_pool(x, [2, 2], stride=4)"), "x86-64-v3"), "load_every_fourth_f32x8("));
  // With stride 3 and windows of 3, neighbouring windows leave no gap. So whole vectors are loaded, and a shuffle distributes their
  // elements.
  CHECK(contains(source_of(pool("avg_pool(x, [3, 3])")), "load_part2_of_3_f32x16("));
  // A row has seven results, which are computed as vectors of four that overlap.
  CHECK(contains(source_of(pool("max_pool(x, [2, 2])", "[8, 16, 14, 14]")), "load_every_second_f32x4("));
}

TEST_CASE("L2: a long sum, and an expensive element, keep their accumulators") {
  // The accumulators of a block of columns, of which there are an unknown number, are in an array.
  CHECK(contains(source_of("graph g(a: f32[65, n]) {\n  return y = sum(a, axes=[0])\n}"), "float row0[1024]"));
  CHECK(contains(source_of("graph g(a: f32[8, n]) {\n  return y = sum(exp(a) * exp(a + 1), axes=[0])\n}"), "float row0[2048]"));
}

TEST_CASE("L2 X2: a product of a matrix and a vector of few terms, along which rows are adjacent, has no accumulators in memory") {
  const auto has_accumulators = [](const std::string& parameters, const std::string& product) {
    const std::string source = source_of("graph g(" + parameters + ") {\n  return y = " + product + "\n}", "x86-64-v3");
    return contains(source, "reduce [");
  };
  for (const char* columns : {"523", "n"}) {
    CHECK_FALSE(has_accumulators(std::string("t: f32[5, ") + columns + "], x: f32[5]", "matmul(x, t)"));
    CHECK_FALSE(has_accumulators(std::string("t: bf16[2, ") + columns + "], x: bf16[2, 1]", "matmul(transpose(t), x)"));
    CHECK_FALSE(has_accumulators(std::string("t: f64[") + columns + ", 2], x: f64[2]", "matmul(x, transpose(t))"));
    CHECK_FALSE(has_accumulators(std::string("t: f32[") + columns + ", 5, 3], x: f32[3, 1]", "einsum(t, x, spec=\"bij,jk->bik\")"));
  }
  CHECK(has_accumulators("t: f32[9, 523], x: f32[9]", "matmul(x, t)"));     // too many terms
  CHECK(has_accumulators("t: f32[523, 8], x: f32[8, 1]", "matmul(t, x)"));  // too many shuffles
  CHECK(has_accumulators("t: f64[523, 3], x: f64[3, 1]", "matmul(t, x)"));
  const Backends backends;
  for (const int64_t terms : {1, 2, 3, 4, 8})
    for (const int64_t columns : {1, 2, 8, 33}) {
      const std::string n = std::to_string(terms), m = std::to_string(columns);
      for (const std::string& sizes : {n + ", " + m, n + ", m"})
        backends.run("graph g(t: f32[" + sizes + "], x: f32[" + n + "]) {\n  h = cast(t, dtype=bf16)\n  a = transpose(t)\n" +
                         "  return y = matmul(x, t), z = relu(matmul(a, reshape(x, [-1, 1]))),\n" +
                         "    i = matmul(cast(x, dtype=i32), cast(t * 9, dtype=i32)),\n" +
                         "    h = cast(matmul(cast(x, dtype=bf16), h), dtype=f32), d = matmul(cast(x, dtype=f64), cast(t, dtype=f64)),\n" +
                         "    w = matmul(x * 1e-30, t * -1e-30)\n}",
                     rough({terms, columns}, 1), rough({terms}, 2));
    }
}

TEST_CASE("L6/c: two results of a row, stored by vectors across the rows, are interleaved in registers") {
  const std::string source = source_of(
      "graph g(x: f32[761, 2], z: f32[2, 2]) flags=[broadcast] {\n"
      "  return y = sum(square(unsqueeze(x, axes=[1]) - unsqueeze(z, axes=[0])), axes=[2])\n}",
      "x86-64-v3");
  CHECK(contains(source, "store_2_interleaved"));
  CHECK_FALSE(contains(source, "store_strided"));
}
