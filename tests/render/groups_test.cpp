// Tests kernels with group loops (loops over the threads of a GPU block) that are rendered as C. Each group loop becomes an ordinary loop
// that ends at a barrier, and values that are used after a barrier are stored in the scratch memory of the worker. Other tests compare the
// GPU with this rendering.
#include <algorithm>
#include <cmath>
#include <functional>

#include "render/c/dialect.h"
#include "support/group_kernels.h"

namespace {

using namespace harp;
using namespace harp::testing;

/// Renders the module with two sets of options, compiles each text with each compiler, runs it with these inputs, and calls check(results)
/// after each run. Does this once with the threads of a block in ascending order and once in descending order.
template <class Check>
void check_all(int64_t threads, const std::function<void(GroupBuilder&)>& make, std::vector<Array> inputs, size_t count, Check check) {
  for (const bool is_reversed : {false, true}) {
    GroupBuilder b(threads);
    make(b);
    ir::verify(b.module);
    ir::apply_schedule(b.module);
    ir::verify(b.module);
    // The reversal comes after the verification, because the verifier requires that iteration i of a group loop (loop over threads) is
    // thread i.
    if (is_reversed) reverse_threads(b);
    for (const render::RenderOptions& options : {render::RenderOptions{machine(), false}, render::RenderOptions{machines()[0], true}})
      for (const std::string& compiler : compilers()) {
        INFO(compiler, " ", options.target.name, options.plain_text ? " plain text" : "", is_reversed ? " reversed" : "");
        const Unit unit(render::render_c(b.module, options), compiler, options.target);
        check(run(unit, b.module, inputs, count));
      }
  }
}

std::vector<float> numbers(size_t n) {
  std::vector<float> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = static_cast<float>((i * 2654435761u) % 20011) * 0.37f - 3000.0f;
  return x;
}

TEST_CASE("H2.source: a block adds its elements in shared memory") {
  const std::vector<float> x = numbers(7 * 256), expected = expected_block_sum(x);
  check_all(
      64, [](GroupBuilder& b) { block_sum(b, 7); }, {array_of(DType::kF32, x)}, 7,
      [&](const std::vector<Array>& results) { CHECK(values_of<float>(results[0]) == expected); });
}

TEST_CASE("H2.source: a matrix is transposed by tiles in shared memory") {
  std::vector<int32_t> x(kTileRows * kTileColumns), expected(x.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int32_t>(i * 7 + 3);
  for (size_t row = 0; row < kTileRows; ++row)
    for (size_t column = 0; column < kTileColumns; ++column) expected[column * kTileRows + row] = x[row * kTileColumns + column];
  check_all(256, transposed_tiles, {array_of(DType::kI32, x)}, x.size(),
            [&](const std::vector<Array>& results) { CHECK(values_of<int32_t>(results[0]) == expected); });
}

TEST_CASE("H2.source: a block scans its elements in registers that live across barriers") {
  std::vector<int64_t> x(3 * 128), expected(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<int64_t>(i * i % 1009) - 300;
    expected[i] = x[i] + (i % 128 == 0 ? 0 : expected[i - 1]);
  }
  check_all(
      32, [](GroupBuilder& b) { block_scan(b, 3); }, {array_of(DType::kI64, x)}, x.size(),
      [&](const std::vector<Array>& results) { CHECK(values_of<int64_t>(results[0]) == expected); });
}

TEST_CASE("H2.source: a product of matrices copies tiles to shared memory in a loop around barriers") {
  const std::vector<float> x = numbers(kSide * kTerms), w = numbers(kTerms * kSide);
  std::vector<float> expected(kSide * kSide, 0.0f);
  for (size_t row = 0; row < kSide; ++row)
    for (size_t term = 0; term < kTerms; ++term)
      for (size_t column = 0; column < kSide; ++column) {
        float& sum = expected[row * kSide + column];
        sum = std::fmaf(x[row * kTerms + term], w[term * kSide + column], sum);
      }
  check_all(64, tiled_matmul, {array_of(DType::kF32, x), array_of(DType::kF32, w)}, expected.size(),
            [&](const std::vector<Array>& results) { CHECK(values_of<float>(results[0]) == expected); });
}

TEST_CASE("H2.source: all threads of a block fold spread registers and use the result") {
  const std::vector<float> x = numbers(5 * 64);
  std::vector<float> expected;
  for (size_t i = 0; i < x.size(); ++i) {
    const auto row = x.begin() + static_cast<long>(i / 64 * 64);
    expected.push_back(x[i] - *std::max_element(row, row + 64));
  }
  check_all(
      16, [](GroupBuilder& b) { minus_largest(b, 5); }, {array_of(DType::kF32, x)}, x.size(),
      [&](const std::vector<Array>& results) { CHECK(values_of<float>(results[0]) == expected); });
}

TEST_CASE("H2.source: asynchronous copies are plain copies") {
  const std::vector<float> x = numbers(3 * kRingSteps * 64), expected = expected_sums_of_copies(x);
  check_all(
      64, [](GroupBuilder& b) { sums_of_copies(b, 3); }, {array_of(DType::kF32, x)}, 3 * 64,
      [&](const std::vector<Array>& results) { CHECK(values_of<float>(results[0]) == expected); });
}

TEST_CASE("H2.source: another dialect writes barriers in its own way, and nothing else changes") {
  GroupBuilder b(64);
  block_sum(b, 7);
  ir::apply_schedule(b.module);
  const std::string c = b.render({.target = row("x86-64-v3")});
  render::Dialect dialect = render::kC;
  dialect.barrier = "__syncthreads();";
  std::string other = render::render_c(b.module, {.target = row("x86-64-v3")}, nullptr, dialect);
  size_t barriers = 0;
  for (size_t at; (at = other.find(dialect.barrier)) != std::string::npos; ++barriers)
    other.replace(at, dialect.barrier.size(), render::kC.barrier);
  CHECK(other == c);
  CHECK(barriers == 7);
  CHECK(c.find("(float*)scratch") != std::string::npos);
}

}  // namespace
