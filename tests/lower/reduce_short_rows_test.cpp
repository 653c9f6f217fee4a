// Tests reductions of several columns that are too few to fill a vector (lower/reduce_short_rows.cpp). Several independent chains of
// additions are interleaved. The results must be bit-identical to those of computing one chain after the other.
#include <string>
#include <vector>

#include "support/backends_run.h"

using namespace capi_test;

namespace {

constexpr const char* kReductions[] = {"sum(x, axes=[-2])",
                                       "mean(x, axes=[-2])",
                                       "sum(x * x, axes=[-2])",
                                       "prod(x * 0.0001 + 0.9, axes=[-2])",
                                       "max(x, axes=[-2])",
                                       "min(relu(x), axes=[-2])",
                                       "sum(cast(x, dtype=f64), axes=[-2])",
                                       "sum(cast(x, dtype=i16), axes=[-2])",
                                       "sum(x, axes=[-2]) * max(x, axes=[-2])"};

std::string graph_of(const std::string& sizes, const std::string& reduction) {
  return "graph g(x: f32[" + sizes + "]) {\n  return y = " + reduction + "\n}";
}

std::string text_of(const std::vector<int64_t>& sizes) {
  std::string text;
  for (const int64_t size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return text;
}

std::string source_of(const char* row, const std::string& sizes, const std::string& reduction) {
  const Context context = make_context();
  const Graph graph = parse(context.get(), "harp 1\n" + graph_of(sizes, reduction));
  return source_for(row, graph.get());
}

bool has(const std::string& source, std::string_view part) { return source.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("G3.sum/interp,c G3.prod/interp,c G3.max/interp,c G3.min/interp,c L5.merge_order/c X2: blocks and shares of few columns") {
  const Backends backends;
  for (const char* reduction : kReductions) {
    CAPTURE(reduction);
    // These numbers of rows contain no whole block of 256 rows, one block, as many blocks as are interleaved, or more. Some end with a
    // partial block.
    for (const int64_t rows : {1, 3, 255, 256, 770, 1024, 1300}) backends.run(graph_of("n, 3", reduction), rough({rows, 3}, 1));
    for (const int64_t columns : {2, 5, 7}) backends.run(graph_of(text_of({1300, columns}), reduction), rough({1300, columns}, 2));
    backends.run(graph_of("n, 2", reduction), rough({66000, 2}, 3));  // blocks of blocks
  }
}

TEST_CASE("G3.sum/interp,c G3.max/interp,c L5.thread/c X2: reductions of few columns for each index of another axis") {
  const Backends backends;
  for (const char* reduction : kReductions) {
    CAPTURE(reduction);
    for (const int64_t count : {1, 2, 3, 4, 9}) {
      backends.run(graph_of("n, 100, 3", reduction), rough({count, 100, 3}, 1));
      backends.run(graph_of(text_of({count, 256, 2}), reduction), rough({count, 256, 2}, 2));
      backends.run(graph_of("2, n, 600, 2", reduction), rough({2, count, 600, 2}, 3));
    }
    backends.run(graph_of("70001, 3", reduction), rough({70001, 3}, 4));  // this sum is split into blocks for the threads
  }
  backends.run(graph_of("70001, 3", "sum(exp(x * 0.001), axes=[0])"), rough({70001, 3}, 4));
  CHECK_FALSE(has(source_of("x86-64-v4", "70001, 3", "sum(exp(x * 0.001), axes=[0])"), "exp_f32("));
  // The addition after the sum reads z, which has the shape of the result. If the result is stored in the buffer of z, elements of z must
  // not be overwritten before they are read.
  backends.run("graph g(x: f32[n, 40, 3], z: f32[n, 3]) {\n  return y = sum(x, axes=[1]) + z\n}", rough({7, 40, 3}, 5), rough({7, 3}, 6));
  // A product of windows and weights. The windows are copied for one index of n at a time.
  backends.run(
      "graph g(x: f32[n, 30, 14], w: f32[11, 12]) flags=[broadcast] {\n  u = unfold(unfold(x, axes=[1], size=[11]), axes=[2], "
      "size=[12])\n  return y = sum(u * w, axes=[3, 4], order=chain, product=true)\n}",
      rough({2, 30, 14}, 7), rough({11, 12}, 8));
}

TEST_CASE("G3.sum/c L5.merge_order/c: as many chains are interleaved as keep the adders busy") {
  for (const char* row : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
    CAPTURE(row);
    // At least 8 independent additions keep the adders busy: those of 3 blocks of 3 columns, or of 4 blocks of 2 columns.
    CHECK(has(source_of(row, "4096, 3", "sum(x, axes=[0])"), "ridx0 < 15; ridx0 += 3)"));
    CHECK(has(source_of(row, "4096, 2", "sum(x, axes=[0])"), "ridx0 < 16; ridx0 += 4)"));
    // Each element needs one more addition, so fewer blocks are interleaved.
    CHECK(has(source_of(row, "4096, 3", "sum(x + 2.0, axes=[0])"), "ridx0 < 16; ridx0 += 2)"));
    // A division for each element keeps the CPU busy, so blocks are not interleaved.
    CHECK_FALSE(has(source_of(row, "4096, 3", "sum(1.0 / x, axes=[0])"), "ridx0 += "));
    // A separate kernel computes exp, with vectors along the whole array. The sum then reads an array in memory, like a sum of x.
    CHECK(has(source_of(row, "4096, 3", "sum(exp(x), axes=[0])"), "ridx0 < 15; ridx0 += 3)"));
    // The axis of 1,000 indices is divided among the threads in steps of three.
    CHECK(has(source_of(row, "1000, 64, 3", "sum(x, axes=[1])"), "harp_for(rt, cancel, 334, "));
  }
  // 8 columns fill a vector, so blocks of rows are not interleaved.
  CHECK_FALSE(has(source_of("x86-64-v3", "4096, 8", "sum(x, axes=[0])"), "ridx0 += "));
}
