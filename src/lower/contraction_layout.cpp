#include "lower/contraction_layout.h"

#include <algorithm>

#include "lower/accumulate.h"

namespace harp::lower {

namespace {

// Minimum number of columns for which the rows of a block's sums are padded. Row lengths are often a power of two; without padding, all
// rows would then map to the same lines of the L1 cache.
constexpr int64_t kMinPaddedColumns = 256;

/// Returns the size of a cache block along an axis of `size` indices: `wanted`, but at least one tile and at most the size of the axis,
/// rounded up to whole tiles.
int64_t block_of(Dim size, int64_t tile, int64_t wanted) {
  const int64_t most = std::max<int64_t>(1, std::min(range(size).hi, std::max(wanted, tile)));
  return (most + tile - 1) / tile * tile;
}

/// Tests whether the last tile should overlap the previous one: the size is a constant that is not a multiple of the tile, and the last
/// cache block contains at least one whole tile.
bool is_overlapped(Dim size, int64_t block, int64_t tile) {
  if (!size.is_constant() || size.constant() % tile == 0) return false;
  const int64_t in_last = (size.constant() - 1) % block + 1;
  return in_last >= tile;
}

}  // namespace

ContractionLayout::ContractionLayout(const KernelPlan& plan, const Schedule& schedule, const Contraction& contraction,
                                     const std::optional<Sym>& holds)
    : is_output_transposed(contraction.is_output_transposed()), computes_half(schedule.half) {
  const Node& reduce = *plan.reduces[0];
  const Shape& shape = reduce.sources[0]->shape;
  const auto& reduced = reduce.as<ReduceAttributes>().axes;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (std::find(reduced.begin(), reduced.end(), static_cast<int>(axis)) == reduced.end() && !shape[axis].is_constant(1))
      kept_axes.push_back(axis);
  for (const int axis : reduced) {
    if (shape[static_cast<size_t>(axis)].is_constant(1)) continue;
    term_axes.push_back(static_cast<size_t>(axis));
    term_shape.push_back(shape[term_axes.back()]);
  }
  if (term_axes.empty()) term_axes = {static_cast<size_t>(reduced.back())}, term_shape = {1};
  const AxisSchedule one_row, &column_axis = schedule.axes[contraction.column_position];
  const AxisSchedule& row_axis = contraction.rows ? schedule.axes[*contraction.row_position] : one_row;
  rows = row_count(reduce, contraction), columns = shape[contraction.columns], terms = element_count(term_shape);
  simd = column_axis.simd_width;
  most_terms = std::max<int64_t>(1, most_elements(terms, 1, holds));
  terms_together = schedule.axes.back().unroll, terms_of_lane = schedule.axes.back().simd_width;
  has_one_block_of_terms =
      ceil_div(terms, kChainBlock).is_constant(1) || (most_terms <= kChainBlock && terms_together == 1 && !computes_half);
  may_have_one_block =
      !has_one_block_of_terms && terms_together == 1 && !computes_half && !is_output_transposed && !proven_less(kChainBlock, terms);
  packs_rows = row_axis.pack, shares_columns = column_axis.pack;
  tile_rows = row_axis.unroll, block_rows = block_of(rows, tile_rows, row_axis.tile);
  tile_columns = simd * column_axis.unroll, block_columns = block_of(columns, tile_columns, column_axis.tile);
  row_stride = tile_columns;
  if (terms_together > 1) {
    tile_columns = block_columns;
    row_stride = block_columns >= kMinPaddedColumns ? tile_columns + simd : tile_columns;
  } else if (schedule.overlap) {
    overlaps_rows = !are_tiles_by_columns() && is_overlapped(rows, block_rows, tile_rows);
    overlaps_columns = is_overlapped(columns, block_columns, tile_columns);
  }
  const auto is_whole = [](Dim size, int64_t tile) { return size.is_constant() && size.constant() % tile == 0; };
  whole_rows = overlaps_rows || is_whole(rows, tile_rows), whole_columns = overlaps_columns || is_whole(columns, tile_columns);
  // the rows of a packed tile are rounded up to whole vectors, unless the matrix has fewer rows than that
  panel_rows = (tile_rows + simd - 1) / simd * simd;
  if (range(rows).hi < panel_rows) panel_rows = tile_rows;
  if (contraction.group_position) {
    group = shape[kept_axes[*contraction.group_position]];
    block_group = block_of(group, 1, schedule.axes[*contraction.group_position].tile);
    (contraction.group_is_rows ? rows_have_members : columns_have_members) = true;
  }
}

Sym ContractionLayout::tile_at(Sym member, Sym row_tile, Sym column_tile) const {
  if (are_tiles_by_columns()) return ((member * column_tiles_of_block() + column_tile) * row_tiles_of_block() + row_tile) * tile_size();
  return ((member * row_tiles_of_block() + row_tile) * column_tiles_of_block() + column_tile) * tile_size();
}

int64_t ContractionLayout::packed_columns_size() const {
  if (!shares_columns) return terms_at_once() * tile_columns;
  return (columns_have_members ? block_group : 1) * block_columns * lanes_of(most_terms);
}
int64_t ContractionLayout::packed_rows_size() const {
  return (rows_have_members ? block_group : 1) * terms_at_once() * panel_rows * row_tiles_of_block();
}
Sym ContractionLayout::packed_column_at(Sym member, Sym column_tile, Sym first, Sym term) const {
  if (!shares_columns) return term * tile_columns;
  const Sym tile = shared_tile(member, column_tile);
  return (tile * lanes_of(most_terms) + floor_div(first, terms_of_lane) + term) * tile_columns;
}
int64_t ContractionLayout::column_numbers_size() const {
  return shares_columns ? (columns_have_members ? block_group : 1) * block_columns * blocks_of_terms() : tile_columns;
}
Sym ContractionLayout::column_numbers_at(Sym member, Sym column_tile, Sym first) const {
  if (!shares_columns) return 0;
  return (shared_tile(member, column_tile) * blocks_of_terms() + floor_div(first, kChainBlock)) * tile_columns;
}
Sym ContractionLayout::packed_row_at(Sym member, Sym row_tile, Sym term, Sym row) const {
  const Sym tile = rows_have_members ? member * row_tiles_of_block() + row_tile : row_tile;
  return (tile * terms_at_once() + term) * panel_rows + row;
}

}  // namespace harp::lower
