// Tests scatters (lower/gpu/scatter.h) with many updates of the same element. Their results must be bit-identical to the interpreter's in
// every order of threads, so the updates of an element must be applied in the order in which they are listed.
#include <algorithm>
#include <string_view>

#include "cuda/checked_programs.h"

using namespace harp;
using namespace harp::cuda_test;

namespace {

constexpr int kDataSets = 3;  // one data set is not enough: a NaN in it can hide that the order of a sum is wrong

}  // namespace

TEST_CASE("C1: scatters of rows have the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  for (const int columns : {1, 3, 40, 256, 300, 1000})
    programs.add(cat("x: f32[7, ", columns, "], i: i32[n], u: f32[n, ", columns, "]) {\n  return y = index_add(x, i, u, axis=0)"),
                 {{0}, {1}, {40}, {300}});
  programs.add(
      "x: f32[n, m], i: i64[k], u: f32[k, m]) {\n  j = expand(reshape(i, shape=[k, 1]), shape=[k, m])\n"
      "  return y = scatter_mul(x, j, u, axis=0)",
      {{0, 2, 0}, {1, 1, 3}, {1100, 2, 50}, {5, 30, 5000}});
  CHECK(programs.has("__shared__"));
  programs.add("x: f32[30, 16], i: i32[n]) {\n  y = take(x, i, axis=0)\n  return g = grad(sum(mul(y, y)), x)", {{1}, {200}, {5000}});
  programs.add("x: f32[4, 50, 6], i: i32[70], u: f32[4, 70, 6]) {\n  return y = index_add(x, i, u, axis=1)");
  programs.check();
}

TEST_CASE("C1: sums of many floats by rows are sorted by their rows, with the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  const auto sorts = [&] { return programs.has("sort_tile_") && programs.has(", sorted"); };
  for (const int columns : {1, 3, 40})
    programs.add(cat("x: f32[100, ", columns, "], i: i32[n], u: f32[n, ", columns, "]) {\n  return y = index_add(x, i, u, axis=0)"),
                 {{0}, {1}, {40}, {2500}});
  CHECK(sorts());
  // few rows with many updates each; as many rows as updates; no rows
  programs.add("x: f32[n, m], i: i64[k], u: f32[k, m]) {\n  return y = index_add(x, i, u, axis=0)",
               {{0, 2, 0}, {0, 2, 3}, {1, 1, 3}, {1100, 2, 50}, {5, 3, 5000}});
  CHECK(sorts());
  programs.add("x: f64[n], i: i32[m], u: f64[m]) {\n  return y = scatter_add(x, i, u, axis=0)", {{30, 100}, {3, 0}, {0, 3}, {2, 5000}});
  CHECK(sorts());
  programs.add("x: f32[4, n, 6], i: i32[m], u: f32[4, m, 6]) {\n  return y = index_add(x, i, u, axis=1)", {{50, 70}, {1, 3}, {7, 300}});
  CHECK(sorts());
  // sums in f16 are computed in f32; the updates are computed by the kernel, the same for all rows, or read from a view
  programs.add("x: f16[n, 5], i: i32[m], u: f16[m, 5]) {\n  return y = index_add(x, i, u, axis=0)", {{9, 100}});
  CHECK(sorts());
  programs.add("x: f32[n, 5], i: i32[m], u: f32[5, m]) {\n  return y = index_add(x * 2.0, i, exp(transpose(u)), axis=0)", {{9, 100}});
  CHECK(sorts());
  programs.add("x: f32[n, 5], i: i32[m]) {\n  return y = index_add(x, i, expand(reshape(f32(0.1), shape=[1, 1]), shape=[m, 5]), axis=0)",
               {{9, 100}});
  CHECK(sorts());
  programs.add("x: f32[n, 16], i: i32[m]) {\n  y = take(x, i, axis=0)\n  return g = grad(sum(mul(y, y)), x)", {{30, 200}, {100, 3000}});
  CHECK(sorts());
  // Few rows, few updates, updates that would have to be stored first and have long rows, or a different index for each element: they are
  // not sorted.
  programs.add("x: f32[100, 300], i: i32[n], u: f32[n, 300]) {\n  return y = index_add(x, i, exp(u), axis=0)", {{90}});
  CHECK(!programs.has("sort_tile_"));
  programs.add("x: f32[64, 3], i: i32[n], u: f32[n, 3]) {\n  return y = index_add(x, i, u, axis=0)", {{90}});
  CHECK(!programs.has("sort_tile_"));
  programs.add("x: f32[1000, 3], i: i32[50], u: f32[50, 3]) {\n  return y = index_add(x, i, u, axis=0)");
  CHECK(!programs.has("sort_tile_"));
  programs.add("x: f32[100, 3], i: i32[n, 3], u: f32[n, 3]) {\n  return y = scatter_add(x, i, u, axis=0)", {{90}});
  CHECK(!programs.has("sort_tile_"));
  programs.check();
}

TEST_CASE("C1: scatters of every kind and dtype have the interpreter's bits") {
  CheckedPrograms programs;
  for (const std::string_view dtype : {"f16", "bf16", "f32", "f64", "i8", "u16", "i32", "i64"})
    for (const std::string_view op : {"scatter", "scatter_add", "scatter_mul", "scatter_max", "scatter_min"}) {
      programs.add(cat("x: ", dtype, "[20, 6], i: i32[90, 6], u: ", dtype, "[90, 6]) {\n  return y = ", op, "(x, i, u, axis=0)"));
      programs.add(cat("x: ", dtype, "[n], i: i32[m], u: ", dtype, "[m]) {\n  return y = ", op, "(x, i, u, axis=0)"), {{30, 100}, {3, 0}});
    }
  programs.add("x: f32[n, 40], i: i64[n, 90], u: f32[n, 90]) {\n  return y = scatter_add(x, i, u, axis=1)", {{0}, {1}, {9}});
  programs.add("x: bool[20, 6], i: i32[90, 6], u: bool[90, 6]) {\n  return y = scatter(x, i, u, axis=0)");
  programs.check();
}

TEST_CASE("C1: integers whose updates may come in any order are updated by atomic operations, with the interpreter's bits") {
  struct Update {
    std::string_view op, atomic;
  };
  constexpr Update kUpdates[] = {{"scatter_add", "atomicAdd("}, {"scatter_max", "atomicMax("}, {"scatter_min", "atomicMin("}};
  CheckedPrograms programs(kDataSets);
  for (const std::string_view dtype : {"i32", "u32", "i64", "u64"})
    for (const Update& update : kUpdates) {
      const std::string_view op = update.op;
      programs.add(cat("x: ", dtype, "[20, 6], i: i32[90, 6], u: ", dtype, "[90, 6]) {\n  return y = ", op, "(x, i, u, axis=0)"));
      CHECK(programs.has(update.atomic));
      if (dtype == "u32" || dtype == "i64") continue;  // the other shapes are tested with one type of each width and sign only
      programs.add(cat("x: ", dtype, "[n], i: i64[m], u: ", dtype, "[m]) {\n  return y = ", op, "(x, i, u, axis=0)"),
                   {{30, 100}, {3, 0}, {0, 5}, {1, 3000}});
      programs.add(cat("x: ", dtype, "[4, 50, 6], i: i32[4, 70, 6], u: ", dtype, "[4, 70, 6]) {\n  return y = ", op, "(x, i, u, axis=1)"));
    }
  programs.add("x: i32[7, 40], i: i32[n], u: i32[n, 40]) {\n  return y = index_add(x, i, u, axis=0)", {{0}, {1}, {300}});
  CHECK(programs.has("atomicAdd("));
  programs.add("x: u64[4, 50, 6], i: i32[70], u: u64[4, 70, 6]) {\n  return y = index_add(x, i, u, axis=1)");
  CHECK(programs.has("atomicAdd("));
  // Updates whose order matters, and products, for which there is no atomic operation, are applied one after the other. Narrow integers are
  // added as i32.
  for (const std::string_view dtype : {"i32", "i16", "f32"})
    for (const std::string_view op : {"scatter", "scatter_add", "scatter_mul"}) {
      if (dtype == "i32" && op == "scatter_add") continue;
      programs.add(cat("x: ", dtype, "[20, 6], i: i32[90, 6], u: ", dtype, "[90, 6]) {\n  return y = ", op, "(x, i, u, axis=0)"));
      CHECK(programs.has("atomic") == (dtype == "i16" && op == "scatter_add"));
    }
  programs.check();
}
