// Tests sorts and Fourier transforms on GPUs. In the emulator, the results of the kernels must be bit-identical to the interpreter's in
// every order of threads, and sorted elements must keep all their bits. A kernel with a fault must give other bits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cuda/checked_programs.h"
#include "cuda/emulator/library.h"
#include "cuda/emulator/source.h"
#include "cuda/run_plan.h"

using namespace harp;
using namespace harp::cuda_test;

namespace {

// with fewer than three data sets, every run would be made in all orders of threads (CheckedPrograms), which takes longer
constexpr int kDataSets = 3;

constexpr std::string_view kSorted[] = {"bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64"};

}  // namespace

TEST_CASE("C1 G16: sort: rows of every length, known and not, have the interpreter's bits") {
  CheckedPrograms programs(kDataSets);
  for (const int length : {0, 1, 2, 16, 17, 18, 33, 34, 35, 1000, 2175, 2176, 2177, 5000})
    programs.add(cat("x: f32[n, ", length, "]) {\n  return y = sort(x, axis=1), z = argsort(x, axis=1)"), {{0}, {1}, {3}});
  programs.add("x: f32[m, n]) {\n  return y = sort(x, axis=1), z = argsort(x, axis=1, descending=true)",
               {{3, 0}, {2, 1}, {0, 5}, {5, 33}, {2, 1000}, {2, 2176}, {2, 2177}, {1, 4352}, {1, 4353}, {1, 9000}, {1, 40000}});
  programs.add("x: f32[n]) {\n  return y = sort(x), z = argsort(x)", {{0}, {1}, {100}, {5000}});
  programs.check();
}

TEST_CASE("C1 G16: sort: many short rows share a block") {
  CheckedPrograms programs(kDataSets);
  for (const int length : {1, 2, 3, 10, 17, 18, 100, 700, 1100})
    programs.add(cat("x: f32[n, ", length, "], k: i32[n, ", length, "]) {\n  return y = sort(x, axis=1), z = argsort(k, axis=1)"),
                 // the blocks of a grid sort fewer than 40 long rows at a time, so that 40 rows need several rounds
                 {{1}, {length > 100 ? 40 : 500}});
  programs.add("x: f32[40, 3, 7]) {\n  v, i = topk(x, 2, axis=0)\n  return y = sort(x, axis=1), v, i");
  programs.check();
}

TEST_CASE("C1 G16: sort: every dtype, in both directions, with ties, zeros of both signs and NaN") {
  CheckedPrograms programs(kDataSets);
  for (const std::string_view dtype : kSorted)
    for (const std::string_view name : {"x", "specialx"}) {
      // Integers are sorted only with special values as inputs. They have no NaN or -0, so ordinary values would test little more.
      if (name == "x" && dtype.find('f') == dtype.npos) continue;
      programs.add(cat(name, ": ", dtype, "[2, 2500]) {\n  return a = sort(", name, ", axis=1), b = sort(", name,
                       ", axis=1, descending=true), c = argsort(", name, ", axis=1), d = argsort(", name, ", axis=1, descending=true)"));
    }
  programs.check();
}

TEST_CASE("C1 G16: sort: sorted floats keep the bits of NaN, and equal elements their order") {
  CheckedPrograms programs;
  programs.add("x: f32[3, 5000]) {\n  return up = sort(x, axis=1), down = sort(x, axis=1, descending=true)");
  const GpuProgram& program = programs.last();
  constexpr size_t kRows = 3, kLength = 5000;
  std::vector<uint32_t> bits;
  for (uint32_t i = 0; i < kRows * kLength; ++i) {
    // two thirds of the values are NaNs of both signs and zeros of both signs; the others have mixed bits
    const uint32_t mixed = i * 2654435761u;
    bits.push_back(i % 9 == 0 ? 0x7fc00000u + i : i % 9 == 3 ? 0xff800001u + i : i % 9 == 6 ? (i % 2) << 31 : mixed % 64 << 20);
  }
  const EmulatedLibrary library(emulated_source(program.generated.source));
  for (const ThreadOrder order : kAllOrders) {
    std::vector<uint32_t> up(bits.size()), down(bits.size());
    void* const inputs[] = {bits.data()};
    void* const outputs[] = {up.data(), down.data()};
    const PlanResult result = run_plan(
        *program.generated.plan, [&](const std::string& name) -> const EmulatedKernel& { return library.kernel(name); }, inputs, outputs,
        {}, order);
    CHECK(result.error == "");
    for (size_t row = 0; row < kRows; ++row)
      for (const bool descending : {false, true}) {
        std::vector<uint32_t> expected(bits.begin() + static_cast<ptrdiff_t>(row * kLength),
                                       bits.begin() + static_cast<ptrdiff_t>((row + 1) * kLength));
        std::stable_sort(expected.begin(), expected.end(), [&](uint32_t a, uint32_t b) {
          float x = 0, y = 0;
          std::memcpy(&x, descending ? &b : &a, sizeof x);
          std::memcpy(&y, descending ? &a : &b, sizeof y);
          return std::isnan(y) ? !std::isnan(x) : x < y;
        });
        const std::vector<uint32_t>& found = descending ? down : up;
        CHECK(std::equal(expected.begin(), expected.end(), found.begin() + static_cast<ptrdiff_t>(row * kLength)));
      }
  }
}

TEST_CASE("C1 G15.fft/cuda: transforms of every kind of length have the interpreter's bits") {
  // Lengths of rows: several short rows in a tile, rows that are transformed as matrices in a tile, the lengths 2145 and 1155, which are
  // not split into a matrix, and lengths with a large prime factor. A program has several lengths, because each program contains the
  // functions for roots of 1.
  const std::vector<int> lengths[] = {{1, 2, 3, 4, 5, 7, 8},      {11, 13, 15, 16, 17, 32, 34}, {60, 77, 128, 143, 210},
                                      {240, 256, 289, 338, 1000}, {1009, 1155, 2145},           {3072, 4096}};
  CheckedPrograms programs;
  const auto add = [&](std::string_view dtype, const std::vector<int>& several) {
    const auto each = [&](const auto& text) { return join(several, ", ", text); };
    programs.add(cat(each([&](int n) { return cat("x", n, ": ", dtype, "[n, ", n, "]"); }), ") {\n  return ",
                     each([](int n) { return cat("y", n, " = fft(x", n, ", axis=1), z", n, " = ifft(x", n, ", axis=1)"); })),
                 {{0}, {1}, {5}});
  };
  for (const std::vector<int>& several : lengths) add("complex64", several);
  for (const std::vector<int>& several : {lengths[0], lengths[1], std::vector<int>{128, 289, 1155}, std::vector<int>{4096}})
    add("complex128", several);
  programs.check(Orders::kInTurn);
}

TEST_CASE("C1 G15.fft/cuda: rows that are too long for a tile have the interpreter's bits, in every order of threads") {
  CheckedPrograms programs;
  // In the first array, a row fits a tile of shared memory only if the real parts and the imaginary parts are transformed one after the
  // other. The rows of the other arrays are transformed as matrices: 80 x 125, 128 x 128, 81 x 81 and 64 x 128. Some of their rows and
  // columns fill whole tiles, others do not.
  for (const std::string_view x :
       {"complex64[2, 8192]", "complex64[2, 10000]", "complex64[1, 16384]", "complex128[2, 6561]", "complex128[1, 8192]"})
    programs.add(cat("x: ", x, ") {\n  return y = fft(x, axis=1), z = ifft(x, axis=1)"));
  programs.add("x: f32[2, 10000]) {\n  y = rfft(x, axis=1)\n  return y, z = irfft(y, n=10000, axis=1)");
  programs.add("x: complex64[2, 8748, 3]) {\n  return y = fft(x, axis=1)");
  programs.check(Orders::kAll);
}

TEST_CASE("C1 G15.fft/cuda: numbers that lie in pairs, but not where a pair can be accessed at once") {
  CheckedPrograms programs(kDataSets);
  // Real and imaginary parts alternate in memory, but a pair cannot be loaded by one access: the pairs begin at an odd element, or rows are
  // an odd number of elements apart, or the imaginary part comes first.
  const auto parts = [](std::string_view x, int re, int im, int end) {
    return cat("dft(slice(", x, ", start=[0, ", re, "], stop=[none, ", end, "], step=[1, 2]), slice(", x, ", start=[0, ", im,
               "], stop=[none, ", end, "], step=[1, 2]))");
  };
  programs.add(cat("x: f32[5, 129], y: f32[4, 130], z: f32[3, 8192]) {\n  return a = ", parts("x", 1, 2, 129),
                   ", b = ", parts("x", 0, 1, 128), ", c = ", parts("y", 1, 2, 129), ", d = ", parts("y", 1, 0, 128),
                   ", e = ", parts("z", 0, 1, 8192)));
  programs.check();
}

TEST_CASE("C1 G15.fft/cuda: lengths that only a run knows have the interpreter's bits") {
  std::vector<std::vector<int64_t>> sizes = {{0, 8}};
  for (const int64_t length : {1, 2, 3, 5, 8, 11, 13, 16, 17, 24, 100, 143, 256, 289, 1000, 1009, 2145, 2560, 4099, 5000})
    sizes.push_back({2, length});
  CheckedPrograms programs;
  programs.add("x: complex64[m, n]) {\n  return y = fft(x, axis=1), z = ifft(x, axis=1)", sizes);
  programs.add("x: complex128[m, n]) {\n  return y = fft(x, axis=1)", {{20, 4100}, {600, 6}, {2, 1155}, {2, 2028}, {1, 1031}});
  programs.check(Orders::kInTurn);
}

TEST_CASE("C1 G15.fft/cuda: real numbers, kept parts, columns, several axes, every order of threads") {
  CheckedPrograms programs(kDataSets);
  for (const int length : {8, 30, 64, 100, 1000, 4096})
    programs.add(cat("x: f32[n, ", length, "]) {\n  y = rfft(x, axis=1)\n  return y, z = irfft(y, n=", length, ", axis=1)"), {{3}});
  programs.add("x: complex64[60, 40]) {\n  return y = fft(x, axis=0), z = fft(x, axis=1)");
  programs.add("x: complex64[4, 24, 36]) {\n  return y = fft2(x), z = fftn(x)");
  programs.add("x: complex64[24, 20, 36]) {\n  return y = fft(x, axis=1)");
  programs.add("x: f32[3, 512], w: complex64[3, 257]) {\n  return y = irfft(mul(rfft(x, axis=1), w), n=512, axis=1)");
  programs.add("x: complex64[1, 4096]) {\n  return y = fft(x, axis=1)");
  programs.add("x: complex128[2, 2028]) {\n  return y = fft(x, axis=1)");
  programs.check();
}

TEST_CASE("C1: a sort and a transform with a fault have other bits") {
  CheckedPrograms programs;
  programs.add("x: f32[2, 5000]) {\n  return y = sort(x, axis=1)");
  Faults sort(programs.last());
  // fault: the merge of two runs ends one element before the end of the second run
  sort.replace("(other < end && before_f32(y, x))", "(other + 1 < end && before_f32(y, x))");
  // fault: overlapping runs are merged
  sort.replace("at % (2 * run)", "at % run");
  // fault: the search for the parts to merge finds a position that is one step too early
  sort.replace("found[half] = thread + 1;", "found[half] = thread;");
  // fault: without the barrier, a round of merges begins before all threads have finished the previous round
  sort.replace("    }\n    __syncthreads();\n", "    }\n");
  // At least one of the data sets has no special values. With a NaN or an infinity in a row, all results of the row may be NaN, which would
  // hide the fault.
  sort.check(kDataSets);
  // A row with an infinity or a NaN becomes NaN with or without a fault, so it cannot reveal the fault. Therefore there are many rows.
  programs.add("x: complex64[60, 256]) {\n  return y = fft(x, axis=1)");
  Faults transform(programs.last());
  // Two faults in the factors (roots of 1) between passes: first, some factors are omitted; second, all columns use the same factors.
  transform.replace("if (j > 0)", "if (j > 1)");
  transform.replace("(tables + 24) + at", "(tables + 24)");
  // fault: a pass begins before all threads have finished the previous pass
  transform.replace("  }\n  __syncthreads();\n", "  }\n");
  transform.check(kDataSets);
  programs.add("x: complex64[1, 10000]) {\n  return y = fft(x, axis=1)");
  Faults matrix(programs.last());
  // fault: roots in the second quarter of the circle have the wrong sign
  matrix.replace("quarter == 1 || quarter == 2 ? -s", "quarter == 2 ? -s");
  matrix.check(kDataSets);
  programs.add("x: complex64[1, 8192]) {\n  return y = fft(x, axis=1)");
  Faults in_turn(programs.last());
  // Fault: without this barrier, threads store imaginary parts over real parts that other threads have not yet read.
  constexpr std::string_view kBarrier = "  __syncthreads();\n";
  std::string without = in_turn.text();
  const size_t barrier = without.find(kBarrier, without.find("] = numbers["));
  REQUIRE(barrier != without.npos);
  in_turn.add(without.erase(barrier, kBarrier.size()));
  in_turn.check(kDataSets);
}
