// Tests reductions in lanes order (64 interleaved partial results, the lanes) over several axes whose operands are broadcast, transposed or
// masked along rows, so that a lane's position is no linear function of the lane. Each is compared with the interpreter; the generated text
// is searched for divisions.
#include <array>
#include <initializer_list>
#include <string>
#include <utility>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

/// Returns the C code generated for a graph and a CPU with AVX-512.
std::string source_of(const std::string& text) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  REQUIRE(graph != nullptr);
  return source_for("x86-64-v4", graph.get());
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A graph over a matrix x, a row w and a matrix z of the transposed shape, with reductions over both axes of x. In symbolic text the sizes
/// are the variables m and n.
std::string matrix_graph(const std::string& m, const std::string& n, const std::string& dtype) {
  const std::string shape = "[" + m + ", " + n + "]";
  return "graph g(x: f32" + shape + ", w: f32[" + n + "], z: f32[" + n + ", " + m + "]) {\n  a = cast(x, dtype=" + dtype +
         ")\n  r = expand(reshape(cast(w, dtype=" + dtype + "), shape=[1, " + n + "]), shape=" + shape +
         ")\n  t = permute(cast(z, dtype=" + dtype +
         "), axes=[1, 0])\n  return s = sum(a + r, axes=[0, 1]), p = sum(a * r, axes=[0, 1]), " +
         "q = sum(a * t, axes=[0, 1]), k = sum(triu(a), axes=[0, 1]), h = max(a - t, axes=[0, 1])\n}";
}

}  // namespace

TEST_CASE("G3.sum,max/interp,c L2: reductions over rows with an operand that is broadcast, transposed or masked along them") {
  const Backends backends;
  const std::initializer_list<std::pair<int64_t, int64_t>> sizes = {{1, 1},   {3, 1},    {1, 70},   {40, 3},  {9, 15},
                                                                    {50, 16}, {21, 17},  {70, 31},  {33, 63}, {20, 64},
                                                                    {30, 65}, {45, 100}, {7, 1000}, {5, 4099}};
  for (const auto& size : sizes) {
    const int64_t m = size.first, n = size.second;
    CAPTURE(m);
    CAPTURE(n);
    const auto check = [&](const std::string& rows, const std::string& columns, const std::string& dtype) {
      backends.run(matrix_graph(rows, columns, dtype), rough({m, n}, 1), rough({n}, 2), rough({n, m}, 3));
    };
    check("m", "n", "f32");
    check(std::to_string(m), std::to_string(n), "f32");
    check("m", std::to_string(n), "f64");
    check(std::to_string(m), "n", "bf16");
    check("m", "n", "i32");
  }
  // no elements at all
  backends.run(matrix_graph("m", "n", "f32").replace(0, 7, "graph e"), rough({0, 5}, 1), rough({5}, 2), rough({5, 0}, 3));
}

TEST_CASE("G3.sum/interp,c L2: kept axes, several levels of blocks, and rows of an array of three axes") {
  const Backends backends;
  for (const std::string shape : {"[3, 40, 21]", "[b, m, n]", "[3, m, 21]"}) {
    CAPTURE(shape);
    const std::string last = shape.substr(shape.rfind(' ') + 1, shape.size() - shape.rfind(' ') - 2);
    const std::string first = shape.substr(1, shape.find(',') - 1);
    backends.run("graph g(x: f32" + shape + ", w: f32[" + last + "], c: f32[" + first + "]) {\n  r = x * expand(reshape(w, shape=[1, 1, " +
                     last + "]), shape=" + shape + ")\n  d = x - expand(reshape(c, shape=[" + first + ", 1, 1]), shape=" + shape +
                     ")\n  return k = sum(r, axes=[1, 2]), a = sum(r, axes=[0, 1, 2]), d = sum(d * d, axes=[0, 1, 2]), e = mean(exp(d), "
                     "axes=[0, 1, 2])\n}",
                 rough({3, 40, 21}, 1), rough({21}, 2), rough({3}, 3));
  }
  // 300,000 elements are 74 blocks. If the sizes are known, threads divide the reduction, and its blocks are read as views of the matrix.
  for (const std::string shape : {"[300, 1000]", "[m, n]"}) {
    const std::string columns = shape == "[m, n]" ? "n" : "1000";
    backends.run("graph g(x: f32" + shape + ", w: f32[" + columns + "]) {\n  return s = sum(x * expand(reshape(w, shape=[1, " + columns +
                     "]), shape=" + shape + "), axes=[0, 1]), t = sum(tril(x), axes=[0, 1])\n}",
                 rough({300, 1000}, 1), rough({1000}, 2));
  }
}

TEST_CASE("G3.sum,max/interp,c G14.concat,pad/interp,c L2: rows without elements, beside elements of a pad or concat that are in no row") {
  const Backends backends;
  const std::string text =
      "graph g(y: f32[m, n], v: f32[m], z: f32[k]) {\n"
      "  t = reshape(y + expand(reshape(v, shape=[m, 1]), shape=[m, n]), shape=[m*n])\n"
      "  p = pad(t, before=[9], after=[4], value=1.5)\n"
      "  return a = sum(concat([t, z], axis=0), axes=[0]), b = sum(p, axes=[0]), c = max(pad(t, before=[9], after=[1]), axes=[0]), "
      "d = sum(square(concat([z, t, z], axis=0)), axes=[0])\n}";
  for (const auto& [m, n, k] :
       std::initializer_list<std::array<int64_t, 3>>{{5, 0, 7}, {0, 0, 3}, {0, 4, 1}, {1, 0, 100}, {3, 1, 0}, {4, 30, 65}})
    backends.run(text, rough({m, n}, 1), rough({m}, 2), rough({k}, 3));
}

TEST_CASE("L2: no element of such a reduction is divided to find its row") {
  const auto graph = [](const std::string& m, const std::string& n) {
    return "graph g(x: f32[" + m + ", " + n + "], w: f32[" + n + "]) {\n  return s = sum(x * expand(reshape(w, shape=[1, " + n +
           "]), shape=[" + m + ", " + n + "]), axes=[0, 1])\n}";
  };
  const std::string symbolic = source_of(graph("m", "n")), known = source_of(graph("1024", "1000"));
  CHECK(contains(symbolic, "int64_t first_lane"));
  CHECK_FALSE(contains(symbolic, "floor_mod_i64(ridx"));
  CHECK(contains(known, "int64_t first_lane"));
  CHECK_FALSE(contains(known, "% 1000"));
  // A reduction of at most 32 elements has fewer than 64 lanes, so its code does not step from row to row (first_lane).
  CHECK_FALSE(contains(source_of(graph("2", "16")), "int64_t first_lane"));
  // If the position of each operand is a linear function of the lane, the code need not step from row to row either.
  CHECK_FALSE(contains(source_of("graph g(x: f32[m, n]) {\n  return s = sum(x * x, axes=[0, 1])\n}"), "int64_t first_lane"));
}

TEST_CASE("G3.sum,max/interp,c L2: the value of a channel, added to an array whose channels are then joined with its pixels") {
  const auto graph = [](const std::string& b, const std::string& n) {
    return "graph g(x: f32[" + b + ", 12, " + n + "], r: f32[12]) {\n  v = reshape(relu(x + expand(reshape(r, shape=[1, 12, 1]), shape=[" +
           b + ", 12, " + n + "])), shape=[" + b + ", 12*" + n + "])\n  return s = sum(v, axes=[0, 1]), m = max(v, axes=[0, 1])\n}";
  };
  const Backends backends;
  for (const auto& [b, n] : std::initializer_list<std::pair<int64_t, int64_t>>{{4, 2000}, {3, 1024}, {5, 31}, {50, 7}}) {
    CAPTURE(n);
    for (const bool is_known : {false, true})
      backends.run(graph(is_known ? std::to_string(b) : "b", is_known ? std::to_string(n) : "n"), rough({b, 12, n}, 1), rough({12}, 2));
  }
  // The quotient by 12 n is that of the row by 12, which is computed once for each row. If rows consist of whole steps of 64 elements, no
  // step needs a division.
  for (const std::string& source : {source_of(graph("4", "29683")), source_of(graph("50", "4096")), source_of(graph("b", "n"))}) {
    CHECK_FALSE(contains(source, "% 29683"));
    CHECK_FALSE(contains(source, "/ 356196"));
    CHECK_FALSE(contains(source, "/ 49152"));
    CHECK_FALSE(contains(source, "floor_mod_i64(ridx"));
  }
  CHECK_FALSE(contains(source_of(graph("50", "4096")), "int64_t first_lane"));
}
