// Tests reductions and scans in chain order (one element after the other within a block) whose number of columns is unknown at compile time
// (lower/reduce_columns.cpp, scan_chain.cpp). The accumulators have space for many columns, but only those of the columns in use are set,
// and a sum of products of at most one block of 256 terms has no levels of blocks. The results must be bit-identical to the interpreter's.
#include <string>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

std::string source_of(const char* row, const std::string& text) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + text);
  return source_for(row, graph.get());
}

bool has(const std::string& source, std::string_view part) { return source.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("G3.sum/interp,c G3.max/interp,c G3.prod/interp,c L5.merge_order/c X2: reductions of an unknown number of columns") {
  const Backends backends;
  for (const char* reduction :
       {"sum(x, axes=[-2])", "sum(x * x, axes=[-2])", "max(x, axes=[-2])", "prod(x * 0.0001 + 0.9, axes=[-2])",
        "sum(x, axes=[-2]) * max(x, axes=[-2])", "x - sum(x, axes=[-2], keepdims=true)", "sum(exp(x * 0.001) * 2.0, axes=[-2])",
        "sum(cast(x, dtype=f16), axes=[-2])", "min(cast(x, dtype=i8), axes=[-2])", "sum(flip(x), axes=[-2])"}) {
    CAPTURE(reduction);
    const std::string result = std::string(" flags=[broadcast] {\n  return y = ") + reduction + "\n}";
    for (const int64_t columns : {1, 5, 16, 70, 1100}) {
      for (const int64_t rows : {1, 257, 600}) backends.run("graph g(x: f32[n, c])" + result, rough({rows, columns}, 1));
      backends.run("graph g(x: f32[b, n, c])" + result, rough({3, 300, columns}, 2));
    }
  }
}

TEST_CASE("G4.cumsum/interp,c G4.cumprod/interp,c G4.cummax/interp,c L5.merge_order/c X2: scans of an unknown number of columns") {
  const Backends backends;
  for (const char* scan : {"cumsum(x, axis=0)", "cumprod(x * 0.0001 + 1.0, axis=0)", "cummax(x, axis=0) * 2",
                           "cumsum(x, axis=0, reverse=true)", "cumsum(x * x, axis=0) - cummin(x, axis=0)",
                           "cumsum(cast(x, dtype=i16), axis=0)", "cumsum(cast(x, dtype=f16), axis=0)", "logcumsumexp(x, axis=0)"}) {
    CAPTURE(scan);
    const std::string text = std::string("graph g(x: f32[n, c]) {\n  return y = ") + scan + "\n}";
    for (const int64_t columns : {1, 5, 16, 70, 1100})
      for (const int64_t rows : {0, 1, 9}) backends.run(text, rough({rows, columns}, 1));
    for (const int64_t rows : {4097, 12500}) backends.run(text, rough({rows, 5}, 2));  // two blocks, and blocks between others
  }
  backends.run("graph g(x: f32[b, n, c]) {\n  return y = cumsum(x, axis=1)\n}", rough({3, 4100, 7}, 3));
}

TEST_CASE("G4.cumsum/c: scans set only the accumulators of columns in use") {
  for (const char* row : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
    CAPTURE(row);
    CHECK_FALSE(has(source_of(row, "graph g(x: f32[n, c]) {\n  return y = cumsum(x, axis=0)\n}"), "++i) acc"));
    CHECK(has(source_of(row, "graph g(x: f32[n, 500]) {\n  return y = cumsum(x, axis=0)\n}"), "++i) acc"));
  }
}

TEST_CASE("G15.matmul/interp,c L5.merge_order/c X2: products of unknown sizes with few rows, terms or columns") {
  const Backends backends;
  for (const char* result : {"a @ b", "(a * 1e-30) @ (b * 1e-18)", "relu(a @ b) + a @ (b + 1.0)"}) {
    CAPTURE(result);
    const std::string text = std::string("graph g(a: f32[m, k], b: f32[k, n]) flags=[broadcast] {\n  return y = ") + result + "\n}";
    for (const int64_t rows : {1, 3})
      for (const int64_t terms : {0, 1, 13, 256, 257, 700})
        for (const int64_t columns : {1, 7, 17, 600}) backends.run(text, rough({rows, terms}, 1), rough({terms, columns}, 2));
  }
  // the first term underflows to -0, which is +0 in the result
  const std::string text = "graph g(a: f32[m, k], b: f32[k, n]) {\n  return y = a @ b\n}";
  backends.run(text, Values<float>{{-1e-30f, 0.0f}, {2, 1}}, Values<float>{{1e-30f, 1.0f, 2.0f}, {1, 3}});
  for (const int64_t columns : {1, 9, 40})
    backends.run("graph g(x: f32[b, i, j], z: f32[b, k, j]) {\n  return y = einsum(x, z, spec=\"bij,bkj->bik\")\n}", rough({3, 5, 6}, 3),
                 rough({3, columns, 6}, 4));
}

TEST_CASE("G3.sum/c G15.matmul/c: only the accumulators of columns in use are set, and one block of terms needs no levels") {
  for (const char* row : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
    CAPTURE(row);
    const std::string unknown = source_of(row, "graph g(x: f32[n, c]) {\n  return y = sum(x, axes=[0])\n}");
    CHECK_FALSE(has(unknown, "++i) acc"));  // the code contains no loop over all elements of an accumulator
    CHECK(has(source_of(row, "graph g(x: f32[n, 500]) {\n  return y = sum(x, axes=[0])\n}"), "++i) acc"));
    const std::string product = source_of(row, "graph g(a: f32[2, k], b: f32[k, n]) {\n  return y = a @ b\n}");
    CHECK_FALSE(has(product, "++i) acc"));
    CHECK(has(product, "if (shape0 <= 256) {"));
    CHECK_FALSE(has(source_of(row, "graph g(x: f32[n, c]) {\n  return y = sum(x, axes=[0])\n}"), "if (shape0 <= 256) {"));
  }
  // With mask registers the last columns of a row are a masked vector, instead of single elements.
  const char* const rows = "graph g(x: f32[n, c]) {\n  return y = sum(x, axes=[0])\n}";
  CHECK(has(source_of("x86-64-v4", rows), "load_masked"));
  CHECK_FALSE(has(source_of("x86-64-v3", rows), "load_masked"));
  CHECK(has(source_of("x86-64-v4", "graph g(a: f32[2, k], b: f32[k, n]) {\n  return y = a @ b\n}"), "load_masked"));
}
