// Contains constants of sorts and Fourier transforms on a GPU, which the scheduler (schedule/grid_routine.h) and the renderer
// (render/cuda) share: how the blocks of a grid divide the work, and how much memory that takes. A *line* is a sequence that is transformed
// as one unit: a row, or a column or row of the matrix into which a long row is split. Memory is counted in real numbers, f32 or f64; a
// complex element is two of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ops/transform_parts.h"

namespace harp {

inline constexpr int kRoutineThreads = 128;  // number of threads of a thread block

/// The number of elements that a thread sorts in registers, and that it merges in one step. It is odd, so that the threads of a warp access
/// different banks of shared memory when each of them accesses its own elements.
inline constexpr int64_t kSortedByThread = 17;
/// The number of elements that a thread block sorts in shared memory. A longer row is sorted in pieces of this size, which are then merged.
inline constexpr int64_t kSortTile = kRoutineThreads * kSortedByThread;
/// The number of rows of this length that a block sorts together, each by threads of its own.
constexpr int64_t rows_of_sort_tile(int64_t length) {
  return length < kSortTile ? kRoutineThreads / ((length + kSortedByThread - 1) / kSortedByThread) : 1;
}

/// The number of complex elements that a thread block transforms in shared memory, as a tile of one or more lines. Two buffers for this
/// many real and imaginary parts take 32 KiB. A longer line is transformed in global memory. `number_bytes`: size of a real number.
constexpr int64_t transform_tile(size_t number_bytes) { return int64_t{8192} / static_cast<int64_t>(number_bytes); }

/// The number of lines of `length` elements that a thread block transforms together, as a tile: as many as fit in shared memory, at least
/// 1. `per_row` is the number of lines of a row. If it is above 1, the number of lines of a tile is halved as long as a tile has more than
/// 4 lines and a row has fewer than 256 tiles. Then more blocks have work, but neighbouring threads still access neighbouring elements.
constexpr int64_t lines_of_tile(int64_t length, int64_t per_row, size_t number_bytes) {
  constexpr int64_t kManyTiles = 256, kAdjacent = 4;
  int64_t lines = std::max<int64_t>(1, transform_tile(number_bytes) / length);
  while (per_row > 1 && lines > kAdjacent && per_row < lines * kManyTiles) lines /= 2;
  return lines;
}
/// The global memory, in real numbers, that a thread block needs to transform lines of this length; 0 if the lines fit in shared memory.
constexpr int64_t line_memory(int64_t length, size_t number_bytes) { return length > transform_tile(number_bytes) ? 4 * length : 0; }

/// A transform of n elements needs tables, which its first kernel computes. If n has only small factors, the transform is computed
/// directly; otherwise it is computed by a convolution (Bluestein's algorithm), with transforms of a larger length (convolution_length()).
/// grid_transform_length() returns the length that is transformed directly. grid_transform_tables() returns the size of the tables in real
/// numbers: the roots of unity of that length, and for a convolution also its chirp and its filter.
constexpr int64_t grid_transform_length(int64_t n) { return has_small_factors(n) ? n : convolution_length(n); }
constexpr int64_t grid_transform_tables(int64_t n) {
  const int64_t length = grid_transform_length(n);
  return length == n ? 2 * n : 2 * n + 4 * length;
}
/// The global memory, in real numbers, for one row of n elements that is transformed by a convolution: three rows of the convolution's
/// length, and line_memory().
constexpr int64_t convolution_row_memory(int64_t n, size_t number_bytes) {
  const int64_t length = convolution_length(n), rows = transform_rows(length);
  return 6 * length + line_memory(std::max(rows, length / rows), number_bytes);
}

// If the length n of a transform is known only at run time, its tables take at most kAnyTransformTables * n real numbers, and the memory
// for a row at most kAnyTransformRow * n, because a convolution is shorter than 4 n.
inline constexpr int64_t kAnyTransformTables = 18, kAnyTransformRow = 40;
// If the length of rows is known only at run time, kAnyTransformBlocks thread blocks transform them; each block transforms one row at a
// time. Rows longer than kAnyTransformLongRow are transformed by kAnyTransformFewBlocks blocks, to limit the memory.
inline constexpr int64_t kAnyTransformBlocks = 512, kAnyTransformFewBlocks = 16, kAnyTransformLongRow = 4096;

}  // namespace harp
