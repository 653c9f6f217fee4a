// Decides from where the micro-kernel reads the two factors of a contraction, and reads them. A factor is read in place, from a copy of the
// elements that the overlapping windows of a convolution share (windows.h), or from panels packed in the order of use (panel.h).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "lower/contraction_block.h"
#include "lower/panel.h"
#include "lower/windows.h"
#include "schedule/narrow_products.h"

namespace harp::lower {

class ContractionFactors {
 public:
  explicit ContractionFactors(ContractionBlock& block)
      : block_(block),
        quads_(block.layout.terms_of_lane == kTermsOfQuad ? std::optional(quads_of(block.contraction)) : std::nullopt),
        packs_rows_(block.layout.packs_rows) {}

  /// Packs the columns' factor for a block of columns, once for all blocks of rows (layout.shares_columns).
  ir::Body share_columns();
  /// Returns statements that copy to an array the elements that the overlapping windows of a convolution read in this block (windows.h);
  /// none for a contraction without such windows. Also decides whether the columns' factor is read in place: if it is not packed for all
  /// rows (share_columns()), and reading it in place, or from this copy, is as fast as reading packed panels.
  ir::Body copy_windows();
  /// Reserve the arrays for packed tiles, if the factor is packed. pack_rows() and pack_columns() fill these arrays.
  void reserve_packed_columns();
  void reserve_packed_rows();
  /// Returns the accumulators that hold packed tiles and must be declared in each block.
  std::vector<int> arrays_of_packed_tiles() const;

  /// pack_rows() packs all tiles of rows of the block, and pack_columns() packs one tile of columns, each for the `count` terms from term
  /// `first` on. They return no statements if the factor is not packed. pack_columns() also returns none if the columns' factor is packed
  /// once for all rows (share_columns()).
  ir::Body pack_rows(Sym first, Sym count);
  ir::Body pack_columns(Sym member, Sym column_tile, Sym first, Sym count);

  /// A term of a block of terms, or, if each lane holds several terms, all terms of one lane. `first` is the first term of the block, and
  /// `number` is the number of the term (or lane) in the block. `index` is the index along the term axes of the term, or of the first term
  /// of the lane; the other terms of the lane follow along the last axis. If lanes hold several terms, `index` may be empty; it is then
  /// computed from the numbers of the terms.
  struct Term {
    Sym first, number;
    Index index;
  };
  Term term_at(Sym first, Sym number) const;
  /// Return the value of the rows' factor at a row of a tile, and of the columns' factor at a column of a tile.
  const ir::UOp* row(Sym member, Sym row_tile, int64_t row, const Term& term);
  const ir::UOp* column(Sym member, Sym column_tile, Sym column, const Term& term);
  /// Adds the products of the terms in a lane of the rows' factor and a lane of the columns' factor to element `lane` of the accumulator
  /// `sum`.
  ir::Stmt* add_products(int sum, Sym lane, const ir::UOp* row, const ir::UOp* column) const;
  /// Tests whether, for each block of terms, the sums of a tile start from first_sum() instead of zero.
  bool have_first_sums() const { return quads_ && quads_->inverts_row_signs; }
  /// Returns the initial value of the sums of a packed column for the block of terms that begins with term `first`.
  const ir::UOp* first_sum(Sym member, Sym column_tile, Sym column, Sym first);
  /// Return the value of a factor that is read in place. `column` counts from the first column of the block, `row` from the first row of
  /// the whole matrix.
  const ir::UOp* column_in_place(Sym column, const Index& terms);
  const ir::UOp* row_in_place(Sym row, const Index& terms);
  /// Tests whether both factors are read in place, that is, neither from a packed copy nor from a copy of windows.
  bool are_in_place() const { return !packs_rows_ && reads_columns_ && !row_windows_ && !column_windows_; }
  /// Tests whether some factor is addressed by the index of a term along the term axes, because it is read in place or from a copy of
  /// windows. Otherwise both factors are packed; elements of a packed copy are addressed by the number of the term, which needs no
  /// division.
  bool use_indices() const { return reads_columns_ || !packs_rows_; }

 private:
  template <class LaneAt>
  ir::Body pack_terms(const Panel& panel, Sym left, Sym first, Sym count, LaneAt lane_at);
  template <class LaneAt>
  bool has_runs(LaneAt lane_at);
  template <class LaneAt>
  ir::Body pack_runs(const Panel& panel, Sym left, Sym first, Sym count, LaneAt lane_at);
  ir::Body pack_tile_of_columns(Sym member, Sym column_tile, Sym first, Sym count);
  ir::Body add_first_sums(Sym member, Sym column_tile, Sym first, Sym count);
  std::optional<Windows> copy_windows(const Node* factor, const Windows::Axis& along, Sym row, Sym column, bool has_members,
                                      double min_reads, ir::Body& body);
  void copy_row_windows(ir::Body& body);
  void copy_column_windows(ir::Body& body);
  bool has_vectors_of_terms(const ir::UOp* value, Sym lane, Sym term) const;
  /// Test whether packing computes vectors of the factor's elements along the terms, and then transposes them (Panel::staged).
  bool are_columns_staged();
  bool are_rows_staged();
  bool are_near();
  bool are_near(int64_t distance) const;
  const ir::UOp* value(const Node* factor, const Index& index);
  using ReadTerm = std::function<const ir::UOp*(const Index& terms)>;
  const ir::UOp* lane_of(const Term& term, bool is_full, const ReadTerm& read);
  const ir::UOp* row_lane_of(const Term& term, bool is_full, const ReadTerm& read);

  ContractionBlock& block_;
  const std::optional<Quads> quads_;  // how bytes represent the terms of a lane; nullopt unless a lane holds four terms
  std::optional<Windows> column_windows_, row_windows_;
  bool packs_rows_, reads_columns_ = false;  // reads_columns_: the columns' factor is read in place or from copied windows
  int packed_rows_ = -1, packed_columns_ = -1;
  // the accumulators in which packing computes columns or rows, respectively, before it transposes them (Panel::staged); -1: there is none
  int staged_columns_ = -1, staged_rows_ = -1;
  int first_sums_ = -1;                   // the accumulator that contains first_sum() of each packed column and block of terms; -1: none
  std::vector<int> first_sum_registers_;  // accumulators, one for each vector of a tile, in which add_first_sums() computes first_sums_
};

}  // namespace harp::lower
