// Tests how Fourier transforms are divided into tiles on GPUs. For every length, a tile must fit a block of threads and its shared memory,
// and the tables must contain all roots of unity.
#include "ops/block_transforms.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

using namespace harp;

TEST_CASE("C1 G15.fft/cuda: rows of every length without large prime factors have tiles that fit a block of threads") {
  for (const size_t bytes : {size_t{4}, size_t{8}})
    for (int64_t n = 1; n <= 20000; ++n) {
      const auto t = block_transform(n, bytes);
      CAPTURE(n);
      REQUIRE(t.has_value() == has_small_factors(n));
      if (!t) continue;
      CHECK(t->rows * t->columns == n);
      const auto fits = [&](const TransformTile& tile, int64_t length) {
        return tile.lines >= 1 && tile.threads <= 1024 && tile.lines * length * static_cast<int64_t>(bytes) <= kTransformTileBytes;
      };
      if (t->is_whole) {
        CHECK(fits(t->tile, n));
        CHECK(t->memory() == 0);
      } else {
        CHECK(fits(t->tile, t->rows));
        CHECK(fits(t->tile_of_rows, t->columns));
        CHECK(t->tiles_of_columns() * t->tile.lines >= t->columns);
        CHECK(t->tiles_of_rows() * t->tile_of_rows.lines >= t->rows);
        CHECK(t->memory() >= 2 * n);
      }
      // two elements are accessed at once, so each table and the data after it must begin at an even element offset
      CHECK((t->row_passes % 2 == 0 && t->turns % 2 == 0 && t->tables % 2 == 0));
    }
}

TEST_CASE("C1 G15.fft/cuda: rows of 2,048 numbers and more fill neighbouring sectors of memory, and huge ones have no tiles") {
  CHECK(block_transform(int64_t{1} << 13, 4)->is_whole);
  CHECK(block_transform(int64_t{1} << 12, 8)->is_whole);
  const auto t = block_transform(int64_t{1} << 22, 4);
  REQUIRE(t.has_value());
  CHECK_FALSE(t->is_whole);
  CHECK(t->tile.lines == 4);
  CHECK(t->tile_of_rows.lines == 4);
  CHECK_FALSE(block_transform(int64_t{1} << 30, 4).has_value());
}

TEST_CASE("C1 G15.fft/cuda: the roots of the first eighth of the circle give all roots") {
  for (int64_t n = 1; n <= 300; ++n)
    for (int64_t k = 0; k < n; ++k) {
      CAPTURE(n);
      CAPTURE(k);
      const int64_t rest = 4 * k % n, folded = std::min(rest, n - rest);
      CHECK(folded % root_step(n) == 0);
      CHECK(folded / root_step(n) < first_roots(n));
    }
}
