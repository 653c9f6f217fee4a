// Tests kernels with group loops (loops whose iterations are the threads of a block), rendered as CUDA and run in the emulator, where each
// thread of a block is a fiber. tests/render/groups_test.cpp runs the same kernels as C.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "cuda/emulator/library.h"
#include "cuda/emulator/source.h"
#include "cuda/run_plan.h"
#include "launch/plan_launches.h"
#include "support/group_kernels.h"

namespace {

using namespace harp;
using namespace harp::cuda_test;
using harp::testing::GroupBuilder;

constexpr ThreadOrder kOrders[] = {ThreadOrder::kAscending, ThreadOrder::kDescending, ThreadOrder::kShuffled};

/// Runs the kernel in every order of threads and calls check(result) after each run.
template <class T, class Check>
void check_all(int64_t threads, const std::function<void(GroupBuilder&)>& make, std::vector<std::vector<T>> inputs, size_t count,
               Check check) {
  GroupBuilder b(threads);
  make(b);
  ir::verify(b.module);
  ir::apply_schedule(b.module);
  const render::RenderOptions options{gpu_machines()[0], false};
  const render::CudaText text = render::render_cuda(b.module, options);
  const auto plan = plan_launches(b.module, text.kernels);
  const EmulatedLibrary library(emulated_source(text.source));
  std::vector<void*> in;
  for (std::vector<T>& input : inputs) in.push_back(input.data());
  for (const ThreadOrder order : kOrders) {
    std::vector<T> result(count);
    void* out[] = {result.data()};
    const PlanResult done = run_plan(
        *plan, [&](const std::string& name) -> const EmulatedKernel& { return library.kernel(name); }, in, out, {}, order);
    CHECK(done.error == "");
    check(result);
  }
}

std::vector<float> numbers(size_t n) {
  std::vector<float> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = static_cast<float>((i * 2654435761u) % 20011) * 0.37f - 3000.0f;
  return x;
}

TEST_CASE("C1: a block adds its elements in shared memory") {
  const std::vector<float> x = numbers(7 * 256), expected = harp::testing::expected_block_sum(x);
  check_all<float>(
      64, [](GroupBuilder& b) { harp::testing::block_sum(b, 7); }, {x}, 7, [&](const std::vector<float>& y) { CHECK(y == expected); });
}

TEST_CASE("C1: a matrix is transposed by tiles in shared memory") {
  using harp::testing::kTileColumns, harp::testing::kTileRows;
  std::vector<int32_t> x(kTileRows * kTileColumns), expected(x.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int32_t>(i * 7 + 3);
  for (size_t row = 0; row < kTileRows; ++row)
    for (size_t column = 0; column < kTileColumns; ++column) expected[column * kTileRows + row] = x[row * kTileColumns + column];
  check_all<int32_t>(256, harp::testing::transposed_tiles, {x}, x.size(), [&](const std::vector<int32_t>& y) { CHECK(y == expected); });
}

TEST_CASE("C1: groups of a warp scan in registers that live across barriers") {
  std::vector<int64_t> x(3 * 128), expected(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<int64_t>(i * i % 1009) - 300;
    expected[i] = x[i] + (i % 128 == 0 ? 0 : expected[i - 1]);
  }
  check_all<int64_t>(
      32, [](GroupBuilder& b) { harp::testing::block_scan(b, 3); }, {x}, x.size(),
      [&](const std::vector<int64_t>& y) { CHECK(y == expected); });
}

TEST_CASE("C1: a product of matrices copies tiles to shared memory in a loop around barriers") {
  using harp::testing::kSide, harp::testing::kTerms;
  const std::vector<float> x = numbers(kSide * kTerms), w = numbers(kTerms * kSide);
  std::vector<float> expected(kSide * kSide, 0.0f);
  for (size_t row = 0; row < kSide; ++row)
    for (size_t term = 0; term < kTerms; ++term)
      for (size_t column = 0; column < kSide; ++column) {
        float& sum = expected[row * kSide + column];
        sum = std::fmaf(x[row * kTerms + term], w[term * kSide + column], sum);
      }
  check_all<float>(64, harp::testing::tiled_matmul, {x, w}, expected.size(), [&](const std::vector<float>& y) { CHECK(y == expected); });
}

TEST_CASE("C1: the threads of a group fold spread registers, and all use the result") {
  const std::vector<float> x = numbers(5 * 64);
  std::vector<float> expected;
  for (size_t i = 0; i < x.size(); ++i) {
    const auto row = x.begin() + static_cast<long>(i / 64 * 64);
    expected.push_back(x[i] - *std::max_element(row, row + 64));
  }
  check_all<float>(
      16, [](GroupBuilder& b) { harp::testing::minus_largest(b, 5); }, {x}, x.size(),
      [&](const std::vector<float>& y) { CHECK(y == expected); });
}

TEST_CASE("C1: asynchronous copies fill stages of shared memory some steps in advance") {
  const std::vector<float> x = numbers(3 * harp::testing::kRingSteps * 64), expected = harp::testing::expected_sums_of_copies(x);
  check_all<float>(
      64, [](GroupBuilder& b) { harp::testing::sums_of_copies(b, 3); }, {x}, 3 * 64,
      [&](const std::vector<float>& y) { CHECK(y == expected); });
}

/// Builds a kernel in which two warps multiply matrices of 16 x 4 and 4 x 8 elements, lets `change` modify the statements of the
/// multiplication, and verifies the kernel. Returns the message about the rule of the IR that the kernel breaks, or "" if it breaks none.
std::string offence_of_mma(const std::function<ir::Body(GroupBuilder&, ir::Mma*, Sym thread)>& change, bool has_barrier = true) {
  GroupBuilder b(64);
  const int x = b.input(DType::kF64), y = b.output(DType::kF64);
  const int rows = b.shared(DType::kF64, 64), columns = b.shared(DType::kF64, 32), sums = b.spread(DType::kF64, 2);
  ir::Loop* blocks = b.each("block", 1, [&](Sym) {
    ir::Body body = {b.declare(rows), b.declare(columns), b.declare(sums), b.group([&](Sym t) {
                       const auto element = [&] { return b.load(DType::kF64, 0, t, 1); };
                       return ir::Body{b.set(rows, t, element()), b.when(Sym(31) - t, {b.set(columns, t, element())})};
                     })};
    if (has_barrier) body.push_back(b.barrier());
    body.push_back(b.group([&](Sym t) {
      auto* mma = b.arena->statement<ir::Mma>();
      mma->accumulator = sums, mma->rows = rows, mma->columns = columns;
      mma->index = t * 2, mma->row_index = floor_div(t, 32) * 8 + mod(floor_div(t, 4), 8), mma->column_index = mod(t, 4) * 2;
      mma->row_step = 16, mma->column_step = 8;
      return change(b, mma, t);
    }));
    return body;
  });
  b.finish(blocks, {x}, {y});
  try {
    ir::verify(b.module);
  } catch (const Error& e) {
    return e.message;
  }
  return "";
}

TEST_CASE("C1: whole warps multiply matrices, each lane its own rows and columns") {
  const auto same = [](GroupBuilder&, ir::Mma* mma, Sym) { return ir::Body{mma}; };
  CHECK(offence_of_mma(same) == "");
  CHECK(offence_of_mma(same, false).find("between two barriers") != std::string::npos);
  const auto breaks = [](const std::function<ir::Body(GroupBuilder&, ir::Mma*, Sym)>& change, std::string_view rule) {
    const std::string found = offence_of_mma(change);
    CHECK_MESSAGE(found.find(rule) != std::string::npos, found);
  };
  breaks([](GroupBuilder& b, ir::Mma* mma, Sym t) { return ir::Body{b.when(Sym(31) - t, {mma})}; }, "not under a condition of a thread");
  breaks([](GroupBuilder& b, ir::Mma* mma, Sym t) { return ir::Body{b.each("i", t, [&](Sym) { return ir::Body{mma}; })}; },
         "the same steps in all threads");
  breaks([](GroupBuilder&, ir::Mma* mma, Sym t) { return mma->row_index = mod(t, 8), ir::Body{mma}; }, "multiplies row t / 4");
  breaks([](GroupBuilder&, ir::Mma* mma, Sym t) { return mma->column_index = mod(t, 4), ir::Body{mma}; }, "multiplies row t / 4");
  breaks([](GroupBuilder&, ir::Mma* mma, Sym t) { return mma->index = t, ir::Body{mma}; }, "of the spread acc");
  breaks([](GroupBuilder&, ir::Mma* mma, Sym) { return mma->rows = mma->accumulator, ir::Body{mma}; }, "are shared arrays");
}

}  // namespace
