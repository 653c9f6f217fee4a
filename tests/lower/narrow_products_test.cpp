// Tests products of few columns and many rows whose rows and columns are exchanged (exchanged() in schedule/contraction.h): vectors run
// along the rows of the result. The results must be bit-identical to the interpreter's.
#include <string>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

std::string source_of(const char* row, const std::string& text, const char* schedule = nullptr) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  return source_for(row, graph.get(), schedule);
}

bool has(const std::string& source, std::string_view part) { return source.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("G15.matmul/interp,c L6.loop_tiling/c L6.packed_matmul/c X2: products of unknown sizes with few columns and many rows") {
  const Backends backends;
  struct Sizes {
    int64_t rows, terms, columns;
  };
  for (const auto& [rows, terms, columns] : {Sizes{1, 5, 1}, Sizes{16, 1, 1}, Sizes{17, 5, 2}, Sizes{40, 0, 3}, Sizes{40, 256, 4},
                                             Sizes{40, 257, 5}, Sizes{300, 600, 7}, Sizes{300, 5, 1}, Sizes{300, 30, 8}}) {
    backends.run("graph g(a: f32[m, k], b: f32[k, n]) {\n  return y = a @ b\n}", rough({rows, terms}, 1), rough({terms, columns}, 2));
    backends.run(
        "graph g(a: f32[k, m], b: f32[n, k], c: f32[n]) flags=[broadcast] {\n"
        "  return y = relu(transpose(a) @ transpose(b + 1.0)) + c\n}",
        rough({terms, rows}, 3), rough({columns, terms}, 4), rough({columns}, 5));
    backends.run("graph g(a: f32[m, k], b: f32[k, n]) {\n  return y = cast(a, dtype=f16) @ cast(b, dtype=f16)\n}",
                 whole<float>({rows, terms}, 6), whole<float>({terms, columns}, 7));
    backends.run("graph g(a: i8[m, k], b: i8[k, n]) {\n  return y = cast(a, dtype=i32) @ cast(b, dtype=i32)\n}",
                 whole<int8_t>({rows, terms}, 8), whole<int8_t>({terms, columns}, 9));
    backends.run("graph g(a: f32[e, m, k], b: f32[e, k, n]) {\n  return y = batch_matmul(a, b)\n}", rough({2, rows, terms}, 10),
                 rough({2, terms, columns}, 11));
  }
}

TEST_CASE("G15.matmul/interp,c L6.loop_tiling/c X2: products of unknown sizes with one column add the elements of several rows together") {
  const Backends backends;
  struct Sizes {
    int64_t batch, rows, terms;
  };
  for (const auto& [batch, rows, terms] :
       {Sizes{1, 1, 1}, Sizes{3, 4, 17}, Sizes{2, 7, 256}, Sizes{2, 8, 0}, Sizes{5, 9, 3}, Sizes{1, 255, 8}, Sizes{1, 256, 20},
        Sizes{2, 257, 20}, Sizes{2, 13, 257}, Sizes{0, 4, 4}, Sizes{3, 0, 4}}) {
    backends.run("graph g(a: f32[e, m, k], b: f32[e, k, n]) {\n  return y = batch_matmul(a, b)\n}", rough({batch, rows, terms}, 1),
                 rough({batch, terms, 1}, 2));
    backends.run("graph g(a: f32[e, k, m], b: f32[e, n, k]) {\n  return y = permute(a, axes=[0, 2, 1]) @ permute(b, axes=[0, 2, 1])\n}",
                 rough({batch, terms, rows}, 3), rough({batch, 1, terms}, 4));
  }
  const char* const column = "contraction [thread, sequential tile=256 unroll=8, sequential tile=1, reduce]";
  CHECK(has(source_of("x86-64-v3", "graph g(a: f32[e, m, k], b: f32[e, k, n]) {\n  return y = batch_matmul(a, b)\n}"), column));
  // There is no such variant if there may not be a single column.
  CHECK_FALSE(
      has(source_of("x86-64-v3", "graph g(a: f32[e, m, k], b: f32[e, k, n in 2..9]) {\n  return y = batch_matmul(a, b)\n}"), column));
}

TEST_CASE("G15.matmul/interp,c L5.merge_order/c X2: products of an unknown number of terms have levels of blocks only if they need them") {
  const Backends backends;
  const char* const text = "graph g(a: f32[m, k], b: f32[k, n]) {\n  return y = a @ b\n}";
  for (const int64_t terms : {16, 256, 257, 1000, 65536, 65537}) {
    backends.run(text, rough({5, terms}, 1), rough({terms, 9}, 2));   // register tiles
    backends.run(text, rough({17, terms}, 3), rough({terms, 2}, 4));  // tiles with rows and columns exchanged
  }
  // the only block's sum underflows to -0, which is +0 in the result
  backends.run("graph g(a: f32[m, k], b: f32[k, n]) {\n  return y = (a * 1e-30) @ (b * -1e-30)\n}", whole<float>({5, 20}, 5),
               whole<float>({20, 9}, 6));
  for (const char* row : {"x86-64", "x86-64-v3", "x86-64-v4"}) CHECK(has(source_of(row, text), "if (shape1 >= 65537) {"));
}

TEST_CASE("G15.matmul/c L6.loop_tiling/c: sizes that are unknown have a variant for few columns") {
  struct Row {
    const char* name;
    const char* lanes;
  };
  for (const Row& row : {Row{"x86-64", "4"}, Row{"x86-64-v3", "8"}, Row{"x86-64-v4", "16"}, Row{"aarch64", "4"}}) {
    CAPTURE(row.name);
    const std::string narrow =
        std::string("contraction [thread tile=256 unroll=2 simd=") + row.lanes + ", sequential tile=8 unroll=4, reduce] partition overlap";
    const std::string unknown = source_of(row.name, "graph g(a: f32[m, k], b: f32[k, n]) {\n  return y = a @ b\n}");
    CHECK(has(unknown, "variant 3 of 5 by size"));
    CHECK(has(unknown, narrow));
    // If there are always many columns, or always few rows, there is no variant with rows and columns exchanged.
    CHECK_FALSE(has(source_of(row.name, "graph g(a: f32[m, k], b: f32[k, 40]) {\n  return y = a @ b\n}"), narrow));
    CHECK_FALSE(has(source_of(row.name, "graph g(a: f32[3, k], b: f32[k, n]) {\n  return y = a @ b\n}"), narrow));
  }
  CHECK(has(source_of("x86-64-v4", "graph g(a: f32[m, k], b: f32[k, n]) {\n  return y = a @ relu(b)\n}"),
            "sequential tile=8 unroll=4 pack, reduce]"));
  // If the numbers of rows and columns are unknown, tiles have few of both.
  CHECK(has(source_of("x86-64-v4", "graph g(a: f32[m, k], b: f32[k, n]) {\n  return y = a @ b\n}"),
            " unroll=8, sequential tile=512 unroll=2 "));
  // A schedule may exchange rows and columns for known sizes, too.
  const char* const exchanged =
      "kernel_0: contraction [thread tile=32 unroll=2 simd=8, sequential tile=4 unroll=2, reduce] partition overlap";
  const char* const text = "graph g(a: f32[40, 30], b: f32[30, 3]) {\n  return y = a @ b\n}";
  CHECK(has(source_of("x86-64-v3", text, exchanged), "contraction [thread tile=32 unroll=2 simd=8"));
}
