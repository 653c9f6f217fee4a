// Tests reductions in which several threads share a result: kernels of the schedule kinds `lanes`, `rowwise` and `chain`. In the emulator,
// their results must be bit-identical to the interpreter's in every order of threads. A kernel with a fault must give other bits.
#include <doctest/doctest.h>

#include "base/error.h"
#include "cuda/checked_programs.h"

using namespace harp;
using namespace harp::cuda_test;

namespace {

constexpr int kDataSets = 6;  // one data set is not enough: a NaN in it can hide that the order of a sum is wrong

struct Programs : CheckedPrograms {
  Programs() : CheckedPrograms(kDataSets) {}
};

constexpr std::string_view kFloats[] = {"f16", "bf16", "f32", "f64"};

}  // namespace

TEST_CASE("C1 L5.thread_group,group_tree/cuda: sums along rows of every length have the interpreter's bits") {
  Programs programs;
  for (const int length : {0, 1, 2, 3, 15, 16, 17, 33, 36, 64, 100, 255, 256, 257, 1000, 1023, 1024, 4092, 4095, 4096, 4097, 10000})
    programs.add(cat("x: f32[n, ", length, "]) {\n  return y = sum(x, axes=[-1])"), {{0}, {1}, {9}});
  programs.add("x: f32[m, n]) {\n  return y = sum(x, axes=[-1])", {{3, 0}, {2, 1}, {5, 64}, {1, 100}, {2, 4096}, {2, 4097}, {9, 515}});
  programs.add("x: f32[n, 8*m]) {\n  return y = sum(x, axes=[-1])", {{3, 0}, {2, 1}, {5, 8}, {2, 1025}});
  programs.check();
}

TEST_CASE("C1: reductions of every dtype along rows have the interpreter's bits") {
  Programs programs;
  for (const std::string_view dtype : kFloats)
    for (const int length : {8, 260, 4097})
      programs.add(cat("x: ", dtype, "[n, ", length,
                       "]) {\n  return a = sum(x, axes=[-1]), b = prod(x, axes=[-1]), c = max(x, axes=[-1]), ", "d = min(x, axes=[-1])"),
                   {{1}, {7}});
  for (const std::string_view dtype : {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"})
    programs.add(cat("x: ", dtype, "[n, 520]) {\n  return a = sum(x, axes=[-1]), b = prod(x, axes=[-1]), c = max(x, axes=[-1])"), {{5}});
  programs.add("x: bool[n, 300]) {\n  return a = any(x, axes=[-1]), b = all(x, axes=[-1])", {{6}});
  programs.add("x: complex64[n, 300]) {\n  return a = sum(x, axes=[-1]), b = mean(x, axes=[-1])", {{6}});
  programs.add("x: f32[n, 300], y: f32[n, 300]) {\n  return a = sum(mul(x, y), axes=[-1])", {{6}});
  programs.add(
      "specialx: f32[n, 128]) {\n  return a = max(specialx, axes=[-1]), b = min(specialx, axes=[-1]), c = sum(specialx, axes=[-1])",
      {{16}});
  programs.check();
}

TEST_CASE("C1: reductions of several axes, and of views, have the interpreter's bits") {
  Programs programs;
  programs.add("x: f32[5, 3, 40, 12]) {\n  return a = sum(x, axes=[2, 3]), b = sum(x, axes=[1, 3]), c = sum(x)");
  programs.add("x: f32[n]) {\n  return a = sum(x), b = max(x)", {{0}, {1}, {100}, {5000}, {20000}});
  programs.add("x: f32[100000]) {\n  return a = sum(x), b = mean(mul(x, x))");
  programs.add(
      "x: f32[6, 260]) {\n  p = pad(x, [0, 3], [0, 5])\n  return a = sum(p, axes=[-1]), b = sum(slice(x, start=[0, 1], stop=[6, 258]), "
      "axes=[-1])");
  programs.add("x: f32[4, 128], y: f32[4, 72]) {\n  return a = sum(concat([x, y], axis=1), axes=[-1])");
  programs.add("x: f32[2, 6, 20], w: f32[6, 20]) {\n  return y = layer_norm(x, axes=[1, 2], weight=w)");
  programs.add("x: f32[4, 8192]) {\n  return a = sum(x, axes=[-1]), b = sum(exp(x), axes=[-1])");
  programs.check();
}

TEST_CASE("C1: few long rows, which become several kernels, have the interpreter's bits") {
  Programs programs;
  for (const std::string_view dtype : kFloats)
    programs.add(cat("x: ", dtype, "[40000]) {\n  return a = sum(x), b = max(x), c = prod(x), d = mean(mul(x, x))"));
  programs.add(
      "x: f32[3, 20000], y: f32[3, 20000]) {\n  return a = sum(x, axes=[-1]), b = sum(mul(x, y), axes=[-1]), c = max(x, axes=[0])");
  programs.add("x: f32[3000, 5]) {\n  return a = sum(x, axes=[0]), b = min(x, axes=[0]), c = mean(x, axes=[0])");
  programs.add("x: f32[n]) {\n  return a = argmax(x, axis=0), b = max(x)", {{1}, {4096}, {9000}, {60000}});
  programs.add("x: i32[70000]) {\n  return a = argmin(x, axis=0), b = sum(x)");
  // The reduced axes are not adjacent, as in statistics of images by channel.
  for (const std::string_view dtype : kFloats)
    programs.add(cat("x: ", dtype, "[n, 3, 50, 60]) {\n  return a = sum(x, axes=[0, 2, 3]), b = var(x, axes=[0, 2, 3])"), {{0}, {1}, {7}});
  programs.add("x: f32[20, 3, 500], y: f32[20, 3, 500]) {\n  return a = sum(mul(x, y), axes=[0, 2]), b = max(x, axes=[0, 2])");
  programs.add("x: f32[6, 2, 5, 3, 400]) {\n  return a = sum(x, axes=[0, 2, 4]), b = sum(x, axes=[4, 2, 0])");
  programs.add("x: bool[9, 2, 2000]) {\n  return a = any(x, axes=[0, 2]), b = all(x, axes=[0, 2])");
  programs.check();
}

TEST_CASE("C1: several passes over rows have the interpreter's bits") {
  Programs programs;
  for (const int length : {1, 10, 64, 100, 257, 1000, 1024, 1028, 2048, 5000})
    programs.add(cat("x: f32[n, ", length, "]) {\n  return y = softmax(x, axis=-1)"), {{1}, {5}});
  for (const std::string_view dtype : kFloats)
    programs.add(cat("x: ", dtype, "[3, 768], w: ", dtype, "[768], b: ", dtype, "[768]) {\n  return y = layer_norm(x, weight=w, bias=b)"));
  programs.add("x: f32[n, m]) {\n  return y = softmax(x, axis=-1), l = logsumexp(x, axes=[-1])", {{3, 1}, {2, 300}, {1, 4096}, {9, 17}});
  programs.add("specialx: f32[40, 256]) {\n  return y = softmax(specialx, axis=-1), l = logsumexp(specialx, axes=[-1])");
  programs.add("x: f32[20, 256, 3]) {\n  return y = softmax(x, axis=1)");
  programs.check();
}

TEST_CASE("C1: a reduction with a fault has other bits") {
  Programs programs;
  programs.add("x: f32[5, 1024]) {\n  return y = sum(x, axes=[-1])");
  Faults faults(programs.last());
  // fault: the threads combine their sums in another order
  faults.replace("distance = 16; distance > 0; distance /= 2", "distance = 1; distance < 32; distance *= 2");
  // fault: threads read the elements of other threads
  faults.replace("thread = threadIdx.x;", "thread = threadIdx.x / 2 + threadIdx.x % 2 * 32;");
  // fault: the last shuffle broadcasts the value of lane 1 instead of lane 0
  faults.replace("s[0], 0, 32)", "s[0], 1, 32)");
  // fault: without a barrier, threads read values that other threads have not yet written
  faults.replace("__syncthreads();", "");
  faults.check(kDataSets);
}
