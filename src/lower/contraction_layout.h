// Computes the sizes of the tiles and blocks of a contraction, which follow from its schedule, and the memory layout of its sums and packed
// panels. Code that uses this layout need not know whether the output is transposed.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/integers.h"
#include "lower/lower.h"
#include "schedule/contraction.h"

namespace harp::lower {

struct ContractionLayout {
  ContractionLayout(const KernelPlan& plan, const Schedule& schedule, const Contraction& contraction, const std::optional<Sym>& holds);

  // Axes of the source of the reduction whose size is not 1: kept axes, and reduced axes. (If there is only one term, term_axes is one axis
  // of size 1.)
  std::vector<size_t> kept_axes, term_axes;
  Shape term_shape;
  // Sizes of the whole contraction. group: the size of the group axis, an axis along which only one of the two factors varies
  // (Contraction::group_position); 1 if there is none. An index along this axis is called a member of the group.
  Dim rows, columns, terms, group = 1;
  int simd;
  // Number of terms that are added in one step; more than 1 only in a skinny GEMM (skinny_gemm.cpp).
  int64_t terms_together;
  int terms_of_lane;  // number of terms in a lane of a factor (schedule/narrow_products.h)
  // Size of the register tile. In a skinny GEMM tile_columns is block_columns, and the sums of the tile are in memory.
  int64_t tile_rows, tile_columns;
  // Size of a cache block: its rows, columns and members of the group. Rows and columns are multiples of the tile sizes.
  int64_t block_rows, block_columns, block_group = 1;
  // packs_rows: whether the rows' factor is packed for each block. shares_columns: whether the columns' factor is packed once, for all
  // blocks of rows.
  bool packs_rows, shares_columns;
  bool overlaps_rows = false, overlaps_columns = false;          // whether the last tile of an incomplete block overlaps the tile before it
  bool whole_rows, whole_columns;                                // whether every tile has tile_rows rows, or tile_columns columns
  bool rows_have_members = false, columns_have_members = false;  // whether each member of the group has its own rows, or its own columns
  bool is_output_transposed;                                     // whether the results are contiguous in memory along the rows
  bool computes_half;                                            // whether only the blocks up to the diagonal are computed (Schedule::half)

  bool has_one_block_of_terms;  // whether there is at most one block of terms
  bool may_have_one_block;      // whether only a run with certain sizes has one block of terms, so that it can store its tiles directly
  /// Returns an expression that is >= 0 if there is exactly one block of terms.
  Sym is_one_block() const { return min(terms - 1, Sym(kChainBlock) - terms); }
  /// Tests whether all sums are stored directly from the register tile to the output, without an array for the sums of the block.
  bool stores_tiles() const { return has_one_block_of_terms && !is_output_transposed; }
  int64_t row_tiles_of_block() const { return block_rows / tile_rows; }
  int64_t column_tiles_of_block() const { return block_columns / tile_columns; }
  int64_t vectors_of_tile() const { return tile_columns / simd; }  // number of vectors in one row of a tile
  int64_t most_terms;                                              // the most terms that there can be, at least 1
  /// Tests whether the terms consist of runs, which are consecutive terms along the last of several term axes. The number of runs in a
  /// block is a quotient by their length, so the length must not be zero.
  bool may_have_runs() const { return term_shape.size() > 1 && proven_positive(term_shape.back()); }
  /// Tests whether the lanes that hold this many terms are all full.
  bool lanes_fill(Sym terms) const { return terms_of_lane == 1 || mod(terms, terms_of_lane).is_constant(0); }
  /// Returns how many lanes hold this many terms.
  template <class Count>
  Count lanes_of(Count terms) const {
    return terms_of_lane == 1 ? terms : ceil_div(terms, Count(terms_of_lane));
  }

  // Layout of the sums of a block: each tile is contiguous, and the tiles follow each other. A tile is followed by the next tile of the
  // same rows, or, if sums are also stored column by column, by the next tile of the same columns.
  bool are_tiles_by_columns() const { return is_output_transposed || computes_half; }
  int64_t tile_size() const { return tile_rows * row_stride; }
  int64_t block_size() const { return block_group * row_tiles_of_block() * column_tiles_of_block() * tile_size(); }
  Sym tile_at(Sym member, Sym row_tile, Sym column_tile) const;
  Sym in_tile(Sym row, Sym column) const { return row * row_stride + column; }
  int64_t row_stride;

  // Layout of packed panels: the tiles follow each other, and within a tile the terms follow each other. The array for the columns' factor
  // holds one tile, or, if it is shared by all rows, all tiles of the block for all terms. The array for the rows' factor holds all tiles
  // of the block for one block of terms. If a lane holds several terms, these count as one term.
  int64_t packed_columns_size() const;
  int64_t packed_rows_size() const;
  /// Return the position of an element in the array of packed tiles. `term` counts from `first`, the first term of the block of terms.
  Sym packed_column_at(Sym member, Sym column_tile, Sym first, Sym term) const;
  Sym packed_row_at(Sym member, Sym row_tile, Sym term, Sym row) const;
  /// An array with one number for each packed column and block of terms (ContractionFactors::first_sum()): column_numbers_size() returns
  /// its size. column_numbers_at() returns the position in it of the number for the first column of a tile, where `first` is the first term
  /// of the block of terms.
  int64_t column_numbers_size() const;
  Sym column_numbers_at(Sym member, Sym column_tile, Sym first) const;
  int64_t panel_rows;  // rows of a packed tile

 private:
  Sym shared_tile(Sym member, Sym column_tile) const {
    return columns_have_members ? member * column_tiles_of_block() + column_tile : column_tile;
  }
  int64_t blocks_of_terms() const { return ceil_div(most_terms, kChainBlock); }
  int64_t terms_at_once() const { return lanes_of(std::min(most_terms, kChainBlock)); }
};

}  // namespace harp::lower
