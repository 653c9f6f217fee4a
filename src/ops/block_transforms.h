// How the blocks of threads of a GPU transform rows of a known length with small factors; shared by the scheduler (schedule/grid_routine.h)
// and the renderer (render/cuda/fourier_blocks.h). A block reads a tile from global memory, makes all passes over it, and writes it back.
// In a pass each thread has its numbers in registers; between two passes the threads exchange them through shared memory. A *line* is a
// sequence that is transformed in one go; docs/semantics.md ("Fourier transforms") says which rows are transformed as a matrix: its
// columns, then its rows.
//   a row that fits a tile: one kernel, whose tiles are one or more rows. A matrix stays in the tile
//   a longer row: one kernel for the columns of the matrices, whose tiles are neighbouring columns, and one for their rows
// Sizes are counted in numbers: a complex element is two numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

#include "ops/transform_parts.h"

namespace harp {

/// The threads of a block, and the lines of its tile.
struct TransformTile {
  int threads = 0;
  int64_t lines = 0;
};

struct BlockTransform {
  int64_t length;                // of a row
  int64_t rows, columns;         // of the matrix that a row is transformed as; rows = 1: it is transformed directly
  bool is_whole;                 // one kernel transforms a row
  TransformTile tile;            // of that kernel, whose lines are rows; or of the columns of matrices
  TransformTile tile_of_rows{};  // of the rows of matrices, if there are two kernels
  // Positions in the tables, which the first kernel of the routine computes: the roots that the passes over columns and over rows multiply
  // by; the roots that the results of the columns are turned by; and the size of all tables. pass_table_size() says what a table of passes
  // is. `turns` are those of all numbers of a row, in order, if is_whole; else the first_roots() of the row's length.
  int64_t column_passes = 0, row_passes = 0, turns = 0, tables = 0;

  /// The number of tiles that the columns, and the rows, of one matrix are divided into.
  constexpr int64_t tiles_of_columns() const { return (columns + tile.lines - 1) / tile.lines; }
  constexpr int64_t tiles_of_rows() const { return (rows + tile_of_rows.lines - 1) / tile_of_rows.lines; }
  /// The memory between the two kernels for one row: the tiles of the columns, one after the other, in which column is the last axis.
  constexpr int64_t memory() const { return is_whole ? 0 : 2 * rows * tile.lines * tiles_of_columns(); }
};

/// The size of the table of the passes over lines of this length. For each pass by p that leaves m > 1 numbers of each transform: (p - 1) m
/// roots as pairs, [u - 1][j] for number j of result u; then, if p is odd, the p-th roots of 1: p real parts and p imaginary parts.
constexpr int64_t pass_table_size(int64_t length) {
  int64_t size = 0;
  for (int64_t left = length; left > 1;) {
    const int64_t p = transform_factor(left);
    left /= p;
    size += (left > 1 ? 2 * (p - 1) * left : 0) + (p % 2 == 0 ? 0 : 2 * p);
  }
  return size;
}

/// The angles of the n-th roots of 1, folded into the eighth of a circle next to 0, are multiples of root_step(n) * 2 pi / (4 n). The first
/// first_roots(n) multiples give all roots.
constexpr int64_t root_step(int64_t n) { return std::gcd(int64_t{4}, n); }
constexpr int64_t first_roots(int64_t n) { return n / (2 * root_step(n)) + 1; }

/// Tests whether `threads` threads can make the passes over lines of this length, with `numbers` numbers in total: in no pass a thread has
/// more than `held` numbers, unless it does a single butterfly.
constexpr bool holds_lines(int64_t length, int64_t numbers, int threads, int64_t held) {
  int64_t left = length;
  do {
    const int64_t p = left > 1 ? transform_factor(left) : 1, of_thread = (numbers / p + threads - 1) / threads;
    if (of_thread > 1 && of_thread * p > held) return false;
    left /= p;
  } while (left > 1);
  return true;
}

/// The registers that a thread may use. Powers of two need fewer, because odd factors need sums and differences of all their numbers at a
/// time.
constexpr int registers_of_tile(int64_t length, size_t number_bytes) {
  return (std::has_single_bit(static_cast<uint64_t>(length)) ? 16 : 32) * static_cast<int>(number_bytes);
}

// Sizes of blocks: `held` complex numbers for each thread. More threads or more numbers for each are used only for longer lines, so that
// several blocks run on a processor at a time.
struct TransformThreads {
  int threads;
  int64_t held;
};
inline constexpr TransformThreads kTransformThreads[] = {{128, 8}, {256, 8}, {512, 8}, {256, 16}, {512, 16}};
inline constexpr int64_t kTransformTileBytes = 32768;  // most bytes of the real parts of a tile: with gaps they fit 48 KiB of shared memory
inline constexpr int kBlockRegisters = 1 << 16;        // of all threads of a block

/// Returns the number of threads of the smallest block for a tile of `numbers` numbers; 0: there is none. `row_length`, `column_length`:
/// lengths of the passes; a column of length 1 has none.
constexpr int threads_of_tile(int64_t numbers, int64_t row_length, int64_t column_length, size_t number_bytes) {
  const auto bytes = static_cast<int64_t>(number_bytes);
  for (const auto& [threads, held] : kTransformThreads)
    if (threads * held * bytes <= kTransformTileBytes && numbers * bytes <= kTransformTileBytes &&
        threads * registers_of_tile(row_length * column_length, number_bytes) <= kBlockRegisters &&
        holds_lines(row_length, numbers, threads, held) && (column_length == 1 || holds_lines(column_length, numbers, threads, held)))
      return threads;
  return 0;
}

/// The tile of lines, each of which is transformed directly, and which lie side by side in memory: at least 4 if they fit, so that
/// neighbouring threads access neighbouring numbers.
constexpr TransformTile tile_of_lines(int64_t length, size_t number_bytes) {
  constexpr int64_t kAdjacent = 4, kNumbers = 1024;
  for (int64_t lines = std::max<int64_t>(kAdjacent, static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(kNumbers / length))));
       lines > 0; lines /= 2)
    if (const int threads = threads_of_tile(lines * length, length, 1, number_bytes); threads > 0) return {threads, lines};
  return {};
}

/// The tile of whole rows: several short ones.
constexpr TransformTile tile_of_rows(int64_t rows, int64_t columns, size_t number_bytes) {
  constexpr int64_t kNumbers = 1024;
  const int64_t n = rows * columns;
  for (int64_t lines = std::max<int64_t>(1, kNumbers / n); lines > 0; lines = lines > 1 ? lines - 1 : 0)
    if (const int threads = threads_of_tile(lines * n, columns, rows, number_bytes);
        threads == kTransformThreads[0].threads || (lines == 1 && threads > 0))
      return {threads, lines};
  return {};
}

/// How blocks transform rows of n numbers; nothing if n has a large prime factor, or if its lines do not fit a tile.
constexpr std::optional<BlockTransform> block_transform(int64_t n, size_t number_bytes) {
  if (n < 1 || !has_small_factors(n)) return std::nullopt;
  BlockTransform t{n, transform_rows(n), n / transform_rows(n), true, tile_of_rows(transform_rows(n), n / transform_rows(n), number_bytes)};
  if (t.tile.threads == 0) {
    t.is_whole = false;
    t.tile = tile_of_lines(t.rows, number_bytes);
    t.tile_of_rows = tile_of_lines(t.columns, number_bytes);
    if (t.rows == 1 || t.tile.threads == 0 || t.tile_of_rows.threads == 0) return std::nullopt;
  }
  t.row_passes = t.rows == 1 || t.rows == t.columns ? 0 : pass_table_size(t.rows);  // columns and rows of one length share a table
  t.turns = t.row_passes + pass_table_size(t.columns);
  t.tables = t.turns + 2 * (t.rows == 1 ? 0 : t.is_whole ? n : first_roots(n));
  return t;
}

}  // namespace harp
