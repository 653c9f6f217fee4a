// Constants of routines on a GPU that the scheduler (schedule/grid_routine.h) and the renderer (render/cuda) share: how the blocks of a
// grid divide the work, and how much memory that takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ops/transform_parts.h"

namespace harp {

inline constexpr int kRoutineThreads = 128;  // of a block

/// Elements that a block sorts in shared memory. A longer row is sorted in pieces of this size, which are then merged.
inline constexpr int64_t kSortTile = 2048;

/// Numbers of a tile of lines that a block transforms in shared memory: there are two buffers of so many real and as many imaginary parts,
/// 32 KiB in all. A longer line is transformed in global memory.
constexpr int64_t transform_tile(size_t number_bytes) { return int64_t{8192} / static_cast<int64_t>(number_bytes); }

/// Lines of `length` numbers that a block transforms together. A matrix of few lines gives each block fewer of them, so that more blocks
/// have work, but so many that neighbouring threads access neighbouring numbers. `per_row`: lines of each row.
constexpr int64_t lines_of_tile(int64_t length, int64_t per_row, size_t number_bytes) {
  constexpr int64_t kManyTiles = 256, kAdjacent = 4;
  int64_t lines = std::max<int64_t>(1, transform_tile(number_bytes) / length);
  while (per_row > 1 && lines > kAdjacent && per_row < lines * kManyTiles) lines /= 2;
  return lines;
}
/// Numbers of global memory that a block needs to transform lines of this length; 0: they fit shared memory.
constexpr int64_t line_memory(int64_t length, size_t number_bytes) { return length > transform_tile(number_bytes) ? 4 * length : 0; }

/// The tables of a transform of n numbers, which its first kernel computes: roots of 1 for a length with small factors, which is n or that
/// of the convolution; for a convolution also its chirp and its filter.
constexpr int64_t grid_transform_length(int64_t n) { return has_small_factors(n) ? n : convolution_length(n); }
constexpr int64_t grid_transform_tables(int64_t n) {
  const int64_t length = grid_transform_length(n);
  return length == n ? 2 * n : 2 * n + 4 * length;
}
/// Numbers of global memory for one row of a convolution of n: three rows of its length, and a line.
constexpr int64_t convolution_row_memory(int64_t n, size_t number_bytes) {
  const int64_t length = convolution_length(n), rows = transform_rows(length);
  return 6 * length + line_memory(std::max(rows, length / rows), number_bytes);
}

// A length that is known only at run time: lengths of tables and rows as multiples of n, since a convolution is shorter than 4 n.
inline constexpr int64_t kAnyTransformTables = 18, kAnyTransformRow = 40;
// Blocks that transform such rows, each one at a time: memory bounds their number if the rows are long.
inline constexpr int64_t kAnyTransformBlocks = 512, kAnyTransformFewBlocks = 16, kAnyTransformLongRow = 4096;

}  // namespace harp
