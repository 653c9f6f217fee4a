// Tests scans along rows by groups of threads (lower/gpu/scan.h), in one kernel or in several. Their results must be bit-identical to the
// interpreter's in every order of threads. A kernel with a fault must give other bits.

#include "cuda/checked_programs.h"

using namespace harp;
using namespace harp::cuda_test;

namespace {

constexpr int kDataSets = 6;  // one data set is not enough: a NaN in it can hide that the order of a sum is wrong

}  // namespace

TEST_CASE("C1 G4.parallel/cuda L5.thread_group/cuda: scans along rows of every length have the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  for (const int length : {2, 3, 4, 5, 15, 16, 63, 64, 65, 100, 128, 255, 257, 1000, 1024, 4095, 4096, 4097, 8192, 20000}) {
    programs.add(cat("x: f32[n, ", length, "]) {\n  return y = cumsum(x, axis=-1)"), {{0}, {1}, {5}});
    CHECK(programs.has("__shared__"));
  }
  programs.add("x: f32[m, n]) {\n  return y = cumsum(x, axis=-1)", {{3, 0}, {2, 1}, {5, 64}, {1, 100}, {2, 4096}, {2, 4097}, {3, 9000}});
  programs.add("x: f32[n]) {\n  return y = cumsum(x, axis=0)", {{0}, {1}, {4096}, {4097}, {30000}});
  programs.add("x: f32[300000]) {\n  return y = cumsum(x, axis=0)");
  programs.check();
}

TEST_CASE("C1: no total is computed of the last block of a row, and all other blocks are whole") {
  CheckedPrograms programs(kDataSets);
  for (const int length : {4097, 8192}) {
    programs.add(cat("x: f32[7, ", length, "]) {\n  return y = cumsum(x, axis=-1)"));
    CHECK(programs.has("ridx0 < 7;"));
    const std::string& source = programs.last().generated.source;
    const size_t totals = source.find("totals of level 0"), values = source.find("values of level 1");
    REQUIRE(totals < values);
    CHECK(source.substr(totals, values - totals).find("} else {") == std::string::npos);
  }
  programs.add("x: f32[m, n]) {\n  return y = cumsum(x, axis=-1)", {{0, 8192}, {2, 8191}, {2, 8192}, {2, 8193}, {1, 12288}});
  programs.add("x: f32[n, m]) {\n  return y = cumsum(x, axis=0)", {{8191, 2}, {8192, 3}, {8193, 1}});
  programs.check();
}

TEST_CASE("C1: scans of every dtype and operation have the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  for (const std::string_view dtype : {"f16", "bf16", "f32", "f64"})
    for (const int length : {70, 5000})
      programs.add(cat("x: ", dtype, "[3, ", length,
                       "]) {\n  return a = cumsum(x, axis=-1), b = cumprod(x, axis=-1), c = cummax(x, axis=-1), d = cummin(x, axis=-1), ",
                       "e = logcumsumexp(x, axis=-1)"));
  for (const std::string_view dtype : {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"})
    programs.add(cat("x: ", dtype, "[2, 5000]) {\n  return a = cumsum(x, axis=-1), b = cumprod(x, axis=-1), c = cummax(x, axis=-1)"));
  programs.add("x: bool[2, 5000]) {\n  return a = cummax(x, axis=-1), b = cummin(x, axis=-1)");
  programs.add("x: complex64[3, 5000]) {\n  return a = cumsum(x, axis=-1)");
  programs.check();
}

TEST_CASE(
    "C1 G4.exclusive,reverse/cuda: scans with fused operations, in reverse, exclusive and along other axes have the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  programs.add("x: f32[n, 5000], w: f32[5000]) {\n  return y = mul(cumsum(exp(x), axis=-1), broadcast_to(w, [n, 5000]))", {{1}, {4}});
  programs.add("x: f32[2, 3, 700]) {\n  y = cumsum(x, axis=-1)\n  return y = y, z = add(y, x), w = sum(y, axes=[-1])");
  programs.add("x: f32[3, 9000]) {\n  return y = flip(cumsum(flip(x, axes=[1]), axis=1), axes=[1])");
  programs.add("x: f32[3, 9000]) {\n  return y = cumsum(x, axis=-1, reverse=true), z = cumsum(x, axis=-1, exclusive=true)");
  programs.add("x: f32[9000, 3]) {\n  return y = cumsum(x, axis=0), z = cumsum(permute(x, [1, 0]), axis=1)");
  programs.add(
      "x: f32[60, 70], y: f32[60, 10]) {\n  return z = cumsum(concat([x, y], axis=1), axis=1), w = cumsum(pad(x, [0, 5], [0, 5]), axis=1)");
  programs.add("x: f32[1, 1, 6000]) {\n  return y = cumsum(x, axis=2)");
  programs.check();
}

TEST_CASE("C1: a scan with a fault has other bits") {
  CheckedPrograms programs;
  programs.add("x: f32[5, 9000]) {\n  return y = cumsum(x, axis=-1)");
  Faults faults(programs.last());
  // fault: without a barrier, threads read values that other threads have not yet written
  faults.replace("__syncthreads();", "");
  // fault: the groups of four elements are combined in another order
  faults.replace("row3[13 - ", "row3[14 - ");
  // fault: a block starts from a wrong total of the preceding blocks
  faults.replace("row[-1]", "row[0]");
  faults.check(kDataSets);
}
