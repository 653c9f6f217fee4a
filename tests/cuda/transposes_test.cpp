// Tests transposes by tiles in shared memory (lower/gpu/transpose.h). Their results must be bit-identical to the interpreter's in every
// order of threads, for every element size, for sizes that are not a multiple of a tile, and with fused operations. A kernel with a fault
// must give other bits.

#include "cuda/checked_programs.h"

using namespace harp;
using namespace harp::cuda_test;

TEST_CASE("C1 G6.fast_transpose/cuda L6.tiled_transpose/cuda: transposes of every dtype have the interpreter's bits") {
  CheckedPrograms programs;
  for (const std::string_view dtype : {"bool", "i8", "u8", "i16", "u16", "f16", "bf16", "i32", "u32", "f32", "i64", "u64", "f64"}) {
    programs.add(cat("x: ", dtype, "[70, 100]) {\n  return y = permute(x, [1, 0])"));
    CHECK(programs.has("__shared__"));
    programs.add(cat("x: ", dtype, "[n, m]) {\n  return y = permute(x, [1, 0])"),
                 {{0, 3}, {1, 1}, {64, 128}, {65, 33}, {2, 300}, {300, 3}});
    CHECK(programs.has("__shared__"));
  }
  programs.add("x: complex64[40, 50]) {\n  return y = permute(x, [1, 0])");
  programs.check();
}

TEST_CASE("C1: transposes of whole tiles test no element") {
  CheckedPrograms programs;
  programs.add("x: f32[64, 96]) {\n  return y = permute(x, [1, 0])");
  CHECK(programs.has("__shared__"));
  CHECK_FALSE(programs.has("if ("));
  programs.check();
}

TEST_CASE("C1: transposes whose tiles are never whole have no code for whole tiles") {
  CheckedPrograms programs;
  programs.add("x: f32[5, 28, 28]) {\n  return y = permute(x, [0, 2, 1])");
  CHECK(programs.has("__shared__"));
  CHECK_FALSE(programs.has("} else {"));
  programs.check();
}

TEST_CASE("C1: short axes and several axes are transposed by tiles") {
  CheckedPrograms programs;
  for (const int length : {2, 3, 5, 8, 17, 31}) {
    programs.add(cat("x: f32[n, ", length, "]) {\n  return y = permute(x, [1, 0])"), {{1}, {50}, {1000}});
    CHECK(programs.has("__shared__"));
    programs.add(cat("x: f32[", length, ", n]) {\n  return y = permute(x, [1, 0])"), {{1}, {50}, {1000}});
    CHECK(programs.has("__shared__"));
    programs.add(cat("x: i8[n, ", length, "]) {\n  return y = permute(x, [1, 0])"), {{1}, {50}, {3000}});
  }
  programs.add("x: f32[3, 40, 50]) {\n  return y = permute(x, [0, 2, 1])");
  CHECK(programs.has("__shared__"));
  programs.add("x: f32[5, 40, 50]) {\n  return y = permute(x, [2, 1, 0]), z = permute(x, [2, 0, 1])");
  CHECK(programs.has("__shared__"));
  programs.add("x: f32[2, 33, 3, 65]) {\n  return y = permute(x, [0, 3, 2, 1]), z = permute(x, [3, 0, 1, 2])");
  programs.add("x: f32[a, b, c]) {\n  return y = permute(x, [1, 2, 0])", {{3, 4, 5}, {40, 1, 40}, {33, 2, 35}});
  programs.add("x: f32[50, 4, 4]) {\n  return y = permute(x, [0, 2, 1])");
  CHECK_FALSE(programs.has("__shared__"));
  programs.check();
}

TEST_CASE("C1: transposes with fused operations have the interpreter's bits") {
  CheckedPrograms programs;
  programs.add("x: f32[n, 70], y: f32[70, n]) {\n  return z = add(exp(permute(x, [1, 0])), y), w = permute(mul(x, x), [1, 0])",
               {{1}, {45}});
  CHECK(programs.has("__shared__"));
  programs.add("x: f32[70, n], b: f32[n]) {\n  return z = permute(add(x, broadcast_to(b, [70, n])), [1, 0])", {{1}, {45}});
  programs.add("x: f16[33, 90], y: f32[90, 33]) {\n  return z = add(cast(permute(x, [1, 0]), f32), y)");
  programs.add(
      "x: f32[40, 50], y: f32[50, 60]) {\n  return z = permute(pad(x, [2, 3], [1, 0]), [1, 0]), w = permute(slice(y, start=[1, 2], "
      "stop=[50, 59]), [1, 0])");
  programs.add("x: f32[40, 50], y: f32[40, 30]) {\n  return z = permute(concat([x, y], axis=1), [1, 0])");
  programs.add("x: f32[40, 50], y: f32[50, 30]) {\n  return z = concat([permute(x, [1, 0]), y], axis=1)");
  programs.add("x: f32[60, 60]) {\n  return z = add(x, permute(x, [1, 0])), w = where(gt(x, permute(x, [1, 0])), x, 0)");
  programs.add("x: bool[60, 70], y: i8[60, 70]) {\n  return z = where(permute(x, [1, 0]), permute(y, [1, 0]), 3)");
  programs.add(
      "x: f32[4, 30, 8, 16]) {\n  return z = reshape(permute(x, [0, 2, 1, 3]), [32, 480]), w = reshape(permute(x, [0, 3, 2, 1]), [64, "
      "240])");
  std::string many = "x: f64[40, 50]", sum = "permute(x, [1, 0])";  // seven operands, whose tiles together do not fit in shared memory
  for (int i = 0; i < 6; ++i) append(many, cat(", x", i, ": f64[40, 50]")), sum = cat("add(", sum, ", permute(x", i, ", [1, 0]))");
  programs.add(cat(many, ") {\n  return y = ", sum));
  CHECK(programs.has("__shared__"));
  programs.check();
}

TEST_CASE("C1: a transpose with a fault has other bits") {
  CheckedPrograms programs;
  programs.add("x: f32[70, 100]) {\n  return y = permute(x, [1, 0])");
  Faults faults(programs.last());
  // fault: without the barrier, threads read elements that other threads have not yet copied
  faults.replace("__syncthreads();", "");
  // fault: the rows of a tile overlap in shared memory
  faults.replace("* 33", "* 31");
  faults.check(1);
}
