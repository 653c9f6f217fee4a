#include "schedule/grid_routine.h"

#include <algorithm>

#include "ops/block_transforms.h"
#include "ops/grid_routines.h"

namespace harp {
namespace {

constexpr int64_t kMostTableBlocks = 1024;  // at most this many blocks compute tables

/// Returns an upper bound of a size, at most 2^40, because no GPU has memory for two arrays of 2^40 bytes.
int64_t most_elements(Dim size) { return std::min(range(size).hi, int64_t{1} << 40); }

/// Returns the phase that computes tables with this many entries.
RoutinePhase phase_of_tables(int64_t entries) {
  return {0, "tables", std::min((entries + kRoutineThreads - 1) / kRoutineThreads, kMostTableBlocks), true};
}

/// Returns `routine` with the phases of a transform by tiles in shared memory. If rows are treated as matrices, the transformed columns are
/// in global memory between the phase for columns and the phase for rows.
GridRoutine transform_by_tiles(Dim rows, const BlockTransform& transform, GridRoutine routine) {
  routine.tables = transform.tables;
  routine.memory = rows * transform.memory();
  if (transform.tables > 0) routine.phases = {phase_of_tables(transform.tables / 2)};
  const auto add_phase = [&](int number, std::string_view name, Dim tiles, const TransformTile& tile) {
    routine.phases.push_back({number, name, tiles, false, {}, tile.threads});
  };
  if (transform.is_whole) {
    add_phase(1, "rows", ceil_div(rows, transform.tile.lines), transform.tile);
  } else {
    add_phase(1, "columns of rows as matrices", rows * transform.tiles_of_columns(), transform.tile);
    add_phase(2, "rows of these matrices", rows * transform.tiles_of_rows(), transform.tile_of_rows);
  }
  return routine;
}

/// Returns `routine` with the phases of a transform of rows of n elements that transform_by_tiles() cannot process. Each row is treated as
/// a matrix. Lines (the columns of the matrix, and then its rows) that are too long for shared memory are transformed in global memory.
GridRoutine transform_by_lines(Dim rows, int64_t n, size_t bytes, GridRoutine routine) {
  // at most this many blocks transform lines (columns or rows of the matrix) that are in global memory
  constexpr int64_t kFewBlocks = 256;
  const int64_t matrix_rows = transform_rows(n), lines = n / matrix_rows;  // number of lines (columns of the matrix) in the first phase
  const auto add_phase = [&](std::string_view name, int64_t length, int64_t per_row) {
    const Dim tiles = ceil_div(rows * per_row, lines_of_tile(length, per_row, bytes));
    const int64_t memory = line_memory(length, bytes);
    const Dim blocks = memory > 0 ? min(tiles, kFewBlocks) : tiles;
    routine.phases.push_back({static_cast<int>(routine.phases.size()), name, blocks});
    return blocks * memory;
  };
  const Dim of_columns = add_phase("columns of rows as matrices", matrix_rows, lines),
            of_rows = add_phase("rows of these matrices", lines, matrix_rows);
  routine.memory = 2 * rows * n + max(of_columns, of_rows);
  return routine;
}

}  // namespace

GridRoutine grid_sort(const Node& node) {
  const Shape& shape = node.sources[0]->shape;
  const Dim n = shape.back(), rows = element_count(Shape(shape.begin(), shape.end() - 1));
  GridRoutine routine;
  if (n.is_constant(0) || rows.is_constant(0)) return routine;
  const Dim pieces = rows * ceil_div(n, kSortTile);
  routine.phases.push_back(
      {0, "tiles", n.is_constant() && n.constant() < kSortTile ? ceil_div(rows, rows_of_sort_tile(n.constant())) : pieces});
  for (int64_t sorted = kSortTile; sorted < most_elements(n); sorted *= 2) {
    RoutinePhase& merge = routine.phases.emplace_back(RoutinePhase{static_cast<int>(routine.phases.size()), "merging", pieces});
    if (!proven_less(sorted, n)) merge.guard = n - sorted - 1;
  }
  if (routine.phases.size() > 1) routine.memory = element_count(shape);
  return routine;
}

GridRoutine grid_transform(const Transform& transform, DType dtype) {
  const Dim length = transform.element.size, rows = transform.rows.empty() ? Dim(1) : transform.rows.back().size;
  const size_t bytes = size_of(dtype);
  GridRoutine routine;
  for (size_t axis = 0; axis + 1 < transform.rows.size(); ++axis) routine.positions = routine.positions * transform.rows[axis].size;
  if (length.is_constant(0) || rows.is_constant(0) || routine.positions.is_constant(0)) return routine;
  if (!length.is_constant()) {
    routine.tables = length * kAnyTransformTables;
    routine.memory = kAnyTransformRow *
                     (min(rows, kAnyTransformBlocks) * min(length, kAnyTransformLongRow) + min(rows, kAnyTransformFewBlocks) * length);
    routine.phases = {{0, "tables", min(ceil_div(4 * length, kRoutineThreads), kMostTableBlocks), true},
                      {1, "filter", min(rows * routine.positions, 1), true},
                      {2, "rows", min(rows, kAnyTransformBlocks)}};
    return routine;
  }
  const int64_t n = length.constant();
  if (const auto tiles = block_transform(n, bytes)) return transform_by_tiles(rows, *tiles, std::move(routine));
  routine.tables = grid_transform_tables(n);
  routine.phases = {phase_of_tables(grid_transform_length(n))};
  if (has_small_factors(n)) return transform_by_lines(rows, n, bytes, std::move(routine));
  // The scratch memory of all blocks together should not have more real numbers than this.
  constexpr int64_t kMostNumbers = int64_t{1} << 24;
  const int64_t row = convolution_row_memory(n, bytes);
  const Dim blocks = min(rows, std::clamp<int64_t>(kMostNumbers / row, 16, kAnyTransformBlocks));
  routine.memory = blocks * row;
  routine.phases.push_back({1, "filter", min(rows * routine.positions, 1), true});
  routine.phases.push_back({2, "rows", blocks});
  return routine;
}

GridRoutine grid_routine(const Node& node, const Transforms& transforms) {
  const auto transform = transforms.find(&node);
  return transform == transforms.end() ? grid_sort(node) : grid_transform(transform->second, node.dtype);
}

}  // namespace harp
