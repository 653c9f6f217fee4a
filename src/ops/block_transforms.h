// Describes how the thread blocks of a GPU compute Fourier transforms of rows of a known length with small prime factors. The scheduler
// (schedule/grid_routine.h) and the renderer (render/cuda/fourier_blocks.h) share this file. A block reads a tile from global memory,
// executes all passes on it, and writes it back. In a pass each thread holds its part of the tile in registers. Between two passes the
// threads exchange elements through shared memory. A *line* is a sequence that is transformed as one unit. docs/semantics.md ("Fourier
// transforms") says which rows are transformed as a matrix: first its columns are transformed, then its rows. There are two cases:
//   - A row fits a tile. Then one kernel transforms it, and a tile consists of one or more rows. If rows are transformed as matrices, the
//     matrices stay in the tile.
//   - A row is longer. Then one kernel transforms the columns of the matrices, with tiles of adjacent columns, and another kernel
//     transforms the rows of the matrices.
// In the functions below, `numbers` counts complex elements, and `number_bytes` is the size of a real number. The sizes of tables and of
// memory are counted in real numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

#include "ops/transform_parts.h"

namespace harp {

/// The number of threads of a block, and the number of lines in its tile.
struct TransformTile {
  int threads = 0;
  int64_t lines = 0;
};

struct BlockTransform {
  int64_t length;         // number of complex elements of a row, the sequence that is transformed
  int64_t rows, columns;  // a row is transformed as a matrix of `rows` x `columns` elements; rows = 1: the row is transformed directly
  bool is_whole;          // true: one kernel transforms whole rows; false: one transforms the columns of matrices, another their rows
  // if is_whole, the tile of the only kernel, whose lines are rows; otherwise the tile of the kernel that transforms columns
  TransformTile tile;
  // if not is_whole, the tile of the kernel that transforms the rows of the matrices
  TransformTile tile_of_rows{};
  // Offsets, in real numbers, in the array of tables, which the first kernel computes. `column_passes`, `row_passes`: the tables for the
  // passes over columns and over rows (pass_table_size()). `turns`: the table of the twiddle factors by which the results of the column
  // transforms are multiplied before the row transforms. If is_whole, it has one factor for each element of a row, in order; otherwise it
  // has first_roots(length) roots of 1, from which the factors follow. `tables`: the size of the whole array.
  int64_t column_passes = 0, row_passes = 0, turns = 0, tables = 0;

  /// The number of tiles into which the columns of one matrix are divided, and the number of tiles into which its rows are divided.
  constexpr int64_t tiles_of_columns() const { return (columns + tile.lines - 1) / tile.lines; }
  constexpr int64_t tiles_of_rows() const { return (rows + tile_of_rows.lines - 1) / tile_of_rows.lines; }
  /// The size, in real numbers, of the memory in which the first kernel stores one transformed matrix for the second kernel; 0 if there is
  /// only one kernel. The tiles of columns are stored one after another. Each tile is an array whose last axis is the column.
  constexpr int64_t memory() const { return is_whole ? 0 : 2 * rows * tile.lines * tiles_of_columns(); }
};

/// Returns the size, in real numbers, of the table for the passes over lines of this length. A pass with factor p divides each transform
/// into p transforms of m numbers. If m > 1, its part of the table begins with (p - 1) m twiddle factors, as pairs of real and imaginary
/// part: element [u - 1][j] multiplies result u of butterfly j. If p is odd, the p-th roots of 1 follow: p real parts, then p imaginary
/// parts.
constexpr int64_t pass_table_size(int64_t length) {
  int64_t size = 0;
  for (int64_t left = length; left > 1;) {
    const int64_t p = transform_factor(left);
    left /= p;
    size += (left > 1 ? 2 * (p - 1) * left : 0) + (p % 2 == 0 ? 0 : 2 * p);
  }
  return size;
}

/// By symmetry, the n-th roots of 1 follow from those with angles in the eighth of a circle next to 0. These angles are multiples of
/// root_step(n) * 2 pi / (4 n). first_roots(n) is the number of these multiples, from 0 on.
constexpr int64_t root_step(int64_t n) { return std::gcd(int64_t{4}, n); }
constexpr int64_t first_roots(int64_t n) { return n / (2 * root_step(n)) + 1; }

/// Tests whether a block of `threads` threads can transform lines of this length that have `numbers` complex elements in total. In each
/// pass a thread may hold at most `held` complex elements. A thread that computes only one butterfly may hold all elements of that
/// butterfly.
constexpr bool holds_lines(int64_t length, int64_t numbers, int threads, int64_t held) {
  int64_t left = length;
  do {
    const int64_t p = left > 1 ? transform_factor(left) : 1, of_thread = (numbers / p + threads - 1) / threads;
    if (of_thread > 1 && of_thread * p > held) return false;
    left /= p;
  } while (left > 1);
  return true;
}

/// The number of registers that a thread may use. Lengths that are powers of two need fewer registers, because a butterfly with an odd
/// factor needs the sums and differences of all its numbers at the same time.
constexpr int registers_of_tile(int64_t length, size_t number_bytes) {
  return (std::has_single_bit(static_cast<uint64_t>(length)) ? 16 : 32) * static_cast<int>(number_bytes);
}

// The possible sizes of a block, the preferred one first: `threads` threads, each of which holds at most `held` complex elements. Larger
// blocks are used only for longer lines, so that several blocks run on a multiprocessor at the same time.
struct TransformThreads {
  int threads;
  int64_t held;
};
inline constexpr TransformThreads kTransformThreads[] = {{128, 8}, {256, 8}, {512, 8}, {256, 16}, {512, 16}};
// largest size in bytes of the real parts of a tile; with padding against bank conflicts, these fit in 48 KiB of shared memory
inline constexpr int64_t kTransformTileBytes = 32768;
inline constexpr int kBlockRegisters = 1 << 16;  // number of registers of all threads of a block together

/// Returns the number of threads of the first block size in kTransformThreads that suffices for a tile of `numbers` complex elements, or 0
/// if none suffices. The tile is transformed by passes over lines of `row_length` elements and, unless `column_length` is 1, by passes over
/// lines of `column_length` elements.
constexpr int threads_of_tile(int64_t numbers, int64_t row_length, int64_t column_length, size_t number_bytes) {
  const auto bytes = static_cast<int64_t>(number_bytes);
  for (const auto& [threads, held] : kTransformThreads)
    if (threads * held * bytes <= kTransformTileBytes && numbers * bytes <= kTransformTileBytes &&
        threads * registers_of_tile(row_length * column_length, number_bytes) <= kBlockRegisters &&
        holds_lines(row_length, numbers, threads, held) && (column_length == 1 || holds_lines(column_length, numbers, threads, held)))
      return threads;
  return 0;
}

/// Returns a tile for lines of this length that are columns or rows of a matrix and are transformed directly. It has at least 4 lines if
/// they fit, so that adjacent threads access adjacent elements in memory. Returns a tile of 0 threads if not even one line fits.
constexpr TransformTile tile_of_lines(int64_t length, size_t number_bytes) {
  constexpr int64_t kAdjacent = 4, kNumbers = 1024;
  for (int64_t lines = std::max<int64_t>(kAdjacent, static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(kNumbers / length))));
       lines > 0; lines /= 2)
    if (const int threads = threads_of_tile(lines * length, length, 1, number_bytes); threads > 0) return {threads, lines};
  return {};
}

/// Returns a tile of one or more rows. Each row is a sequence of rows * columns elements that is transformed as a matrix of `rows` x
/// `columns` elements. Short rows share a tile. Returns a tile of 0 threads if not even one row fits the shared memory and the registers of
/// a block.
constexpr TransformTile tile_of_rows(int64_t rows, int64_t columns, size_t number_bytes) {
  constexpr int64_t kNumbers = 1024;
  const int64_t n = rows * columns;
  for (int64_t lines = std::max<int64_t>(1, kNumbers / n); lines > 0; lines = lines > 1 ? lines - 1 : 0)
    if (const int threads = threads_of_tile(lines * n, columns, rows, number_bytes);
        threads == kTransformThreads[0].threads || (lines == 1 && threads > 0))
      return {threads, lines};
  return {};
}

/// Returns how blocks transform rows of n complex elements. Returns nothing if n has a large prime factor or if a line does not fit a tile.
constexpr std::optional<BlockTransform> block_transform(int64_t n, size_t number_bytes) {
  if (n < 1 || !has_small_factors(n)) return std::nullopt;
  BlockTransform t{n, transform_rows(n), n / transform_rows(n), true, tile_of_rows(transform_rows(n), n / transform_rows(n), number_bytes)};
  if (t.tile.threads == 0) {
    t.is_whole = false;
    t.tile = tile_of_lines(t.rows, number_bytes);
    t.tile_of_rows = tile_of_lines(t.columns, number_bytes);
    if (t.rows == 1 || t.tile.threads == 0 || t.tile_of_rows.threads == 0) return std::nullopt;
  }
  // if columns and rows have the same length, they share one table
  t.row_passes = t.rows == 1 || t.rows == t.columns ? 0 : pass_table_size(t.rows);
  t.turns = t.row_passes + pass_table_size(t.columns);
  t.tables = t.turns + 2 * (t.rows == 1 ? 0 : t.is_whole ? n : first_roots(n));
  return t;
}

}  // namespace harp
