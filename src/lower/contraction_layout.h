// Sizes of the tiles and blocks of a contraction, as its schedule says, and where a block's sums and copies lie in scratch memory: what the
// recipes ask, instead of which way round the contraction is.
#pragma once

#include <vector>

#include "lower/lower.h"
#include "schedule/contraction.h"

namespace harp::lower {

struct ContractionLayout {
  ContractionLayout(const KernelPlan& plan, const Schedule& schedule, const Contraction& contraction);

  std::vector<size_t> kept_axes, term_axes;  // of the reduction's source; of the kept ones those of size 1 do not count
  Shape term_shape;
  Dim rows, columns, terms, group = 1;  // how many there are
  int simd;
  int64_t terms_together;                                        // more than one: the recipe for few rows
  int64_t tile_rows, tile_columns;                               // of sums in registers; of few rows all columns of a block, in memory
  int64_t block_rows, block_columns, block_group = 1;            // whole tiles
  bool packs_rows, shares_columns;                               // copied tile by tile, for a block; once for all rows
  bool overlaps_rows = false, overlaps_columns = false;          // the last tile begins where the one before has not ended
  bool whole_rows, whole_columns;                                // every tile has all of its rows, or columns
  bool rows_have_members = false, columns_have_members = false;  // the group is more rows, or more columns
  bool is_turned;                                                // results lie beside each other along the rows

  bool has_one_block_of_terms() const;
  /// Are a tile's sums stored from its registers, and the block's in no memory?
  bool stores_tiles() const { return has_one_block_of_terms() && !is_turned; }
  int64_t row_tiles_of_block() const { return block_rows / tile_rows; }
  int64_t column_tiles_of_block() const { return block_columns / tile_columns; }
  int64_t vectors_of_tile() const { return tile_columns / simd; }  // of a row of it
  int64_t most_terms() const;

  // Sums of a block: tile after tile, so that each is one piece of memory. The next one is of the next columns, or of the next rows where
  // results lie beside each other along these.
  int64_t tile_size() const { return tile_rows * row_stride; }
  int64_t block_size() const { return block_group * row_tiles_of_block() * column_tiles_of_block() * tile_size(); }
  Sym tile_at(Sym member, Sym row_tile, Sym column_tile) const;
  Sym in_tile(Sym row, Sym column) const { return row * row_stride + column; }
  int64_t row_stride;

  // Copies of the factors, term after term of a tile. Those of columns hold one tile, or, shared, those of the block for all terms; those
  // of rows the block's for a block of terms.
  int64_t packed_columns_size() const;
  int64_t packed_rows_size() const;
  /// For a term of the block of terms that begins at `first`.
  Sym packed_column_at(Sym member, Sym column_tile, Sym first, Sym term) const;
  Sym packed_row_at(Sym member, Sym row_tile, Sym term, Sym row) const;
  int64_t panel_rows;  // of a copied tile

 private:
  int64_t terms_at_once() const { return std::min(most_terms(), kChainBlock); }
};

}  // namespace harp::lower
