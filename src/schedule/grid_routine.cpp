#include "schedule/grid_routine.h"

#include <algorithm>

#include "ops/grid_routines.h"

namespace harp {
namespace {

/// Returns an upper bound of a size, at most 2^40, because no GPU has memory for two arrays of 2^40 bytes.
int64_t most_elements(Dim size) { return std::min(range(size).hi, int64_t{1} << 40); }

GridRoutine transform_of_lines(Dim rows, int64_t n, size_t bytes, GridRoutine routine) {
  // The most thread blocks if a line (a row or column that is transformed as one unit) is so long that it is in global memory.
  constexpr int64_t kFewBlocks = 256;
  // The columns of the matrix are its lines.
  const int64_t matrix_rows = transform_rows(n), lines = n / matrix_rows;
  const auto add_phase = [&](std::string_view name, int64_t length, int64_t per_row) {
    const Dim tiles = ceil_div(rows * per_row, lines_of_tile(length, per_row, bytes));
    const int64_t memory = line_memory(length, bytes);
    const Dim blocks = memory > 0 ? min(tiles, kFewBlocks) : tiles;
    routine.phases.push_back({static_cast<int>(routine.phases.size()), name, blocks});
    return blocks * memory;
  };
  if (matrix_rows == 1) {
    routine.memory = add_phase("rows", n, 1);
    return routine;
  }
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
  routine.phases.push_back({0, "tiles", n.is_constant() && n.constant() < kSortTile ? ceil_div(rows, kSortTile / n.constant()) : pieces});
  for (int64_t sorted = kSortTile; sorted < most_elements(n); sorted *= 2) {
    RoutinePhase& merge = routine.phases.emplace_back(RoutinePhase{static_cast<int>(routine.phases.size()), "merging", pieces});
    if (!proven_less(sorted, n)) merge.guard = n - sorted - 1;
  }
  if (routine.phases.size() > 1) routine.memory = element_count(shape);
  return routine;
}

GridRoutine grid_transform(const Transform& transform, DType dtype) {
  constexpr int64_t kTableBlocks = 1024;
  const Dim length = transform.element.size, rows = transform.rows.empty() ? Dim(1) : transform.rows.back().size;
  const size_t bytes = size_of(dtype);
  GridRoutine routine;
  for (size_t axis = 0; axis + 1 < transform.rows.size(); ++axis) routine.positions = routine.positions * transform.rows[axis].size;
  if (length.is_constant(0) || rows.is_constant(0) || routine.positions.is_constant(0)) return routine;
  if (!length.is_constant()) {
    routine.tables = length * kAnyTransformTables;
    routine.memory = kAnyTransformRow *
                     (min(rows, kAnyTransformBlocks) * min(length, kAnyTransformLongRow) + min(rows, kAnyTransformFewBlocks) * length);
    routine.phases = {{0, "tables", min(ceil_div(4 * length, kRoutineThreads), kTableBlocks), true},
                      {1, "filter", min(rows * routine.positions, 1), true},
                      {2, "rows", min(rows, kAnyTransformBlocks)}};
    return routine;
  }
  const int64_t n = length.constant();
  routine.tables = grid_transform_tables(n);
  const int64_t entries = grid_transform_length(n);
  routine.phases = {{0, "tables", std::min((entries + kRoutineThreads - 1) / kRoutineThreads, kTableBlocks), true}};
  if (has_small_factors(n)) return transform_of_lines(rows, n, bytes, std::move(routine));
  constexpr int64_t kMostNumbers = int64_t{1} << 24;  // most floats in the rows that all blocks process at a time
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
