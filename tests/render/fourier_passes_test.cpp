// Tests the passes of a Fourier transform on a GPU. Each pass must read and write every element exactly once, and every element must have
// its own position in shared memory.
#include "render/cuda/fourier_passes.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "ops/block_transforms.h"

using namespace harp;
using namespace harp::render;

namespace {

/// Returns the passes for a tile of `lines` lines. Each line contains `inner` interleaved transforms of `of_line` elements.
std::vector<Pass> passes_of(int64_t of_line, int64_t lines, int64_t inner, int64_t first_group, int64_t last_group) {
  std::vector<Pass> passes;
  append_passes(passes, of_line, lines, inner, 0);
  group_butterflies(passes.front(), first_group);
  group_butterflies(passes.back(), last_group);
  return passes;
}

const std::vector<std::vector<Pass>> kAll = {passes_of(64, 16, 1, 8, 1),  passes_of(60, 10, 1, 1, 1),   passes_of(1, 8, 1, 1, 1),
                                             passes_of(13, 5, 1, 1, 1),   passes_of(256, 1, 4, 4, 4),   passes_of(2048, 4, 1, 4, 1),
                                             passes_of(81, 8, 1, 8, 1),   passes_of(2048, 1, 4, 1, 4),  passes_of(143, 7, 1, 13, 11),
                                             passes_of(3125, 2, 1, 4, 1), passes_of(240, 3, 1, 60, 16), passes_of(40, 1, 25, 25, 25)};

}  // namespace

TEST_CASE("C1 G15.fft/cuda: a pass reads and writes every number of a tile once") {
  for (const std::vector<Pass>& passes : kAll)
    for (const Pass& pass : passes) {
      std::set<int64_t> read, written;
      for (int64_t k = 0; k < pass.butterflies(); ++k) {
        const int64_t line = pass.line_of(k) * pass.length, number = pass.number_of(k);
        for (int64_t i = 0; i < pass.factor; ++i) {
          read.insert(line + number + i * pass.apart());
          written.insert(line + pass.first_result(number) + i * pass.stride);
        }
      }
      const int64_t all = pass.lines * pass.length;
      for (const std::set<int64_t>& numbers : {read, written}) {
        CHECK(static_cast<int64_t>(numbers.size()) == all);
        CHECK(*numbers.begin() == 0);
        CHECK(*numbers.rbegin() == all - 1);
      }
    }
}

TEST_CASE("C1 G15.fft/cuda: passes of a transform have its length as the product of their factors, and use the whole table") {
  for (const int64_t n : {2, 8, 13, 60, 64, 143, 240, 2048, 3125}) {
    std::vector<Pass> passes;
    append_passes(passes, n, 1, 1, 10);
    const int64_t product =
        std::accumulate(passes.begin(), passes.end(), int64_t{1}, [](int64_t a, const Pass& p) { return a * p.factor; });
    CHECK(product == n);
    CHECK(passes.back().left == 1);
    const Pass& last = passes.back();
    CHECK(last.roots() + (last.factor % 2 == 0 ? 0 : 2 * last.factor) == 10 + pass_table_size(n));
  }
}

TEST_CASE("C1 G15.fft/cuda: gaps keep numbers apart in shared memory, which tiles with gaps fit") {
  for (const std::vector<Pass>& passes : kAll)
    for (size_t i = 0; i + 1 < passes.size(); ++i)
      for (const size_t bytes : {size_t{4}, size_t{8}}) {
        const Gaps gaps = best_gaps(passes[i], passes[i + 1], 256, bytes);
        const int64_t all = passes[i].lines * passes[i].length;
        for (int64_t k = 1; k < all; ++k) CHECK(gaps.place(k) > gaps.place(k - 1));
        CHECK(4 * gaps.place(all - 1) < 5 * all);
        for (const bool are_results : {false, true}) {
          const Pass& pass = passes[i + (are_results ? 0 : 1)];
          const int64_t distance = distance_in_memory(pass, gaps, are_results);
          if (distance < 0) continue;
          const int64_t first = are_results ? pass.first_result(pass.number_of(0)) : pass.number_of(0);
          CHECK(gaps.place(first + (are_results ? pass.stride : pass.apart())) - gaps.place(first) == distance);
        }
      }
}
