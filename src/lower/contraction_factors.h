// What the products of a block read of the two factors: their values where these lie, the boxes that overlapping windows of a convolution
// share (windows.h), or copies tile by tile in the order they are used (panel.h).
#pragma once

#include "lower/contraction_block.h"
#include "lower/windows.h"

namespace harp::lower {

class ContractionFactors {
 public:
  explicit ContractionFactors(ContractionBlock& block) : block_(block), packs_rows_(block.layout.packs_rows) {}

  /// Copies the columns of a block of them for all blocks of rows (layout.shares_columns).
  ir::Body share_columns();
  /// Copies what windows read, for the block, and finds out whether the columns' factor is as well used where it is.
  ir::Body copy_windows();
  /// Makes room for copies of tiles, which are made next.
  void add_copied_columns();
  void add_copied_rows();
  /// The arrays for them.
  std::vector<int> copies() const;

  /// Copies all tiles of rows of the block, or one of columns, for a block of terms. Nothing: those are used where they are.
  ir::Body pack_rows(Sym first, Sym count);
  ir::Body pack_columns(Sym member, Sym column_tile, Sym first, Sym count);

  /// A term of a block of terms: its number there, and its index along their axes.
  struct Term {
    Sym first, number;
    Index index;
  };
  /// The factors at a row, or column, of a tile.
  const ir::UOp* row(Sym member, Sym row_tile, int64_t row, const Term& term);
  const ir::UOp* column(Sym member, Sym column_tile, Sym column, const Term& term);
  /// The columns' factor at a column of the block, wherever it lies; the rows' at a row of all.
  const ir::UOp* column_in_place(Sym column, const Index& terms);
  const ir::UOp* row_in_place(Sym row, const Index& terms);
  /// Are both read where they lie?
  bool are_in_place() const { return !packs_rows_ && reads_columns_ && !row_windows_ && !column_windows_; }
  /// Are vectors, or windows, read by the index of a term? Copies of tiles are by its number, which is no division.
  bool use_indices() const { return reads_columns_ || row_windows_; }

 private:
  ir::Body pack_tile_of_columns(Sym member, Sym column_tile, Sym first, Sym count);
  std::optional<Windows> copy_windows(const Node* factor, const Windows::Axis& along, Sym row, Sym column, bool has_members,
                                      ir::Body& body);
  void copy_row_windows(ir::Body& body);
  void copy_column_windows(ir::Body& body);
  bool are_near();
  bool are_near(int64_t apart) const;
  const ir::UOp* value(const Node* factor, const Index& index);

  ContractionBlock& block_;
  std::optional<Windows> column_windows_, row_windows_;
  bool packs_rows_, reads_columns_ = false;  // where they lie, or their windows are copied to
  int packed_rows_ = -1, packed_columns_ = -1;
};

}  // namespace harp::lower
