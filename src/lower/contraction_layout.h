// Sizes of a contraction's tiles and blocks according to its schedule, and the layout of its sums and packed panels in scratch memory. The
// rest of the template reads this layout and does not test the orientation of the contraction.
#pragma once

#include <algorithm>
#include <vector>

#include "base/integers.h"
#include "lower/lower.h"
#include "schedule/contraction.h"

namespace harp::lower {

struct ContractionLayout {
  ContractionLayout(const KernelPlan& plan, const Schedule& schedule, const Contraction& contraction);

  std::vector<size_t> kept_axes, term_axes;  // axes of the reduction's source, without kept axes of size 1
  Shape term_shape;
  Dim rows, columns, terms, group = 1;  // total sizes; group: number of members of the group (Contraction::group_position)
  int simd;
  int64_t terms_together;                                        // terms that are added in one step; more than 1 only for few rows
                                                                 // (skinny_gemm.cpp)
  int terms_of_lane;                                             // terms that a lane of a factor holds (schedule/narrow_products.h)
  int64_t tile_rows, tile_columns;                               // size of the register tile; with few rows: all columns of a block, in
                                                                 // memory
  int64_t block_rows, block_columns, block_group = 1;            // multiples of the tile sizes
  bool packs_rows, shares_columns;                               // packs_rows: the rows' factor is packed for each block. shares_columns:
                                                                 // the columns' factor is packed once for all rows
  bool overlaps_rows = false, overlaps_columns = false;          // the last tile overlaps the previous one
  bool whole_rows, whole_columns;                                // no tile is partial
  bool rows_have_members = false, columns_have_members = false;  // whether each member of the group has its own rows, or its own columns
  bool is_output_transposed;                                     // results are contiguous along the rows

  bool has_one_block_of_terms() const;
  /// Tests whether sums are stored directly from the register tile to the output, without an array for the sums of the block.
  bool stores_tiles() const { return has_one_block_of_terms() && !is_output_transposed; }
  int64_t row_tiles_of_block() const { return block_rows / tile_rows; }
  int64_t column_tiles_of_block() const { return block_columns / tile_columns; }
  int64_t vectors_of_tile() const { return tile_columns / simd; }  // vectors in one row of a tile
  int64_t most_terms() const;
  /// Tests whether the lanes that hold this many terms are all full.
  bool lanes_fill(Sym terms) const { return terms_of_lane == 1 || mod(terms, terms_of_lane).is_constant(0); }
  /// Returns how many lanes hold this many terms.
  template <class Count>
  Count lanes_of(Count terms) const {
    return terms_of_lane == 1 ? terms : ceil_div(terms, Count(terms_of_lane));
  }

  // Layout of a block's sums: tile after tile, so that each tile is contiguous. After a tile comes the tile of the next columns, or, if the
  // output is transposed, the tile of the next rows.
  int64_t tile_size() const { return tile_rows * row_stride; }
  int64_t block_size() const { return block_group * row_tiles_of_block() * column_tiles_of_block() * tile_size(); }
  Sym tile_at(Sym member, Sym row_tile, Sym column_tile) const;
  Sym in_tile(Sym row, Sym column) const { return row * row_stride + column; }
  int64_t row_stride;

  // Layout of packed panels: tile after tile, and within a tile term after term. The columns' array holds one tile, or, if it is shared by
  // all rows, all tiles of the block for all terms. The rows' array holds all tiles of the block for one block of terms. If a lane holds
  // several terms, these count as one.
  int64_t packed_columns_size() const;
  int64_t packed_rows_size() const;
  /// Returns the position of an element in the packed panels. `term` counts from `first`, the first term of the block of terms.
  Sym packed_column_at(Sym member, Sym column_tile, Sym first, Sym term) const;
  Sym packed_row_at(Sym member, Sym row_tile, Sym term, Sym row) const;
  /// Size of an array with a number for each packed column and block of terms, and the position in it of the first column of a tile.
  int64_t column_numbers_size() const;
  Sym column_numbers_at(Sym member, Sym column_tile, Sym first) const;
  int64_t panel_rows;  // rows of a packed tile

 private:
  Sym shared_tile(Sym member, Sym column_tile) const {
    return columns_have_members ? member * column_tiles_of_block() + column_tile : column_tile;
  }
  int64_t blocks_of_terms() const { return ceil_div(most_terms(), kChainBlock); }
  int64_t terms_at_once() const { return lanes_of(std::min(most_terms(), kChainBlock)); }
};

}  // namespace harp::lower
