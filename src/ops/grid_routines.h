// Constants of sorts and Fourier transforms on a GPU that the scheduler (schedule/grid_routine.h) and the renderer (render/cuda) share: how
// the blocks of a grid divide the work, and how much memory that takes. A *line* is a sequence that is transformed in one go: a row, or a
// column or row of the matrix into which a long row is split. Memory is counted in numbers: a complex element is two numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ops/transform_parts.h"

namespace harp {

inline constexpr int kRoutineThreads = 128;  // threads of a block

/// The number of elements that a thread sorts in registers, and merges at a time. It is odd, so that the threads of a warp, each at its own
/// elements in shared memory, access different banks.
inline constexpr int64_t kSortedByThread = 17;
/// The number of elements that a block sorts in shared memory. A longer row is sorted in pieces of this size, which are then merged.
inline constexpr int64_t kSortTile = kRoutineThreads * kSortedByThread;
/// The number of rows of this length that a block sorts together, each by threads of its own.
constexpr int64_t rows_of_sort_tile(int64_t length) {
  return length < kSortTile ? kRoutineThreads / ((length + kSortedByThread - 1) / kSortedByThread) : 1;
}

/// The number of complex elements that a block transforms in shared memory, as a tile of one or more lines. Two buffers for this many real
/// and imaginary parts take 32 KiB. A longer line is transformed in global memory.
constexpr int64_t transform_tile(size_t number_bytes) { return int64_t{8192} / static_cast<int64_t>(number_bytes); }

/// The number of lines of `length` elements that a block transforms together. If there are few lines, each block gets fewer of them, so
/// that more blocks have work; but at least 4 if they fit, so that neighbouring threads access neighbouring numbers. `per_row`: the number
/// of lines of each row.
constexpr int64_t lines_of_tile(int64_t length, int64_t per_row, size_t number_bytes) {
  constexpr int64_t kManyTiles = 256, kAdjacent = 4;
  int64_t lines = std::max<int64_t>(1, transform_tile(number_bytes) / length);
  while (per_row > 1 && lines > kAdjacent && per_row < lines * kManyTiles) lines /= 2;
  return lines;
}
/// The global memory, in numbers, that a block needs to transform lines of this length; 0: they fit shared memory.
constexpr int64_t line_memory(int64_t length, size_t number_bytes) { return length > transform_tile(number_bytes) ? 4 * length : 0; }

/// The tables of a transform of n elements, which its first kernel computes. A length with small factors is transformed directly; any other
/// length by a convolution of a longer length (convolution_length()). grid_transform_length() returns the length that is transformed
/// directly. grid_transform_tables() returns the size of the tables: the roots of unity of that length, and for a convolution also its
/// chirp and its filter.
constexpr int64_t grid_transform_length(int64_t n) { return has_small_factors(n) ? n : convolution_length(n); }
constexpr int64_t grid_transform_tables(int64_t n) {
  const int64_t length = grid_transform_length(n);
  return length == n ? 2 * n : 2 * n + 4 * length;
}
/// The global memory, in numbers, for one row of n elements that is transformed by a convolution: three rows of the convolution's length,
/// and the memory of a line.
constexpr int64_t convolution_row_memory(int64_t n, size_t number_bytes) {
  const int64_t length = convolution_length(n), rows = transform_rows(length);
  return 6 * length + line_memory(std::max(rows, length / rows), number_bytes);
}

// For a length n that is known only at run time: bounds of the sizes of tables and of the memory of a row, as multiples of n. They exist
// because a convolution is shorter than 4 n.
inline constexpr int64_t kAnyTransformTables = 18, kAnyTransformRow = 40;
// The number of blocks that transform such rows, one row at a time. If the rows are longer than kAnyTransformLongRow, fewer blocks are
// used, to limit the memory.
inline constexpr int64_t kAnyTransformBlocks = 512, kAnyTransformFewBlocks = 16, kAnyTransformLongRow = 4096;

}  // namespace harp
