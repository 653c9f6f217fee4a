// Makes the loops of a contraction: over cache blocks of rows and columns, over the tiles of a block, and over the members of the group,
// which are the indices of an axis along which only one of the two factors varies (Contraction::group_position). The class also owns the
// arrays that accumulate the sums over blocks of terms, and makes the stores of the results. contraction.cpp describes the algorithm.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "lower/accumulate.h"
#include "lower/contraction_layout.h"

namespace harp::lower {

class ContractionBlock {
 public:
  ContractionBlock(KernelContext& context, const Contraction& contraction);

  KernelContext& c;
  ir::Arena& arena;
  const Contraction& contraction;
  const ContractionLayout layout;
  const Node& reduce;
  const DType dtype;  // dtype of the sums
  Accumulators accumulators;

  // --- loops over blocks, outermost first

  /// Returns the indices of the kernel's axes in the order of the loops, outermost first.
  std::vector<size_t> order() const;
  /// Makes nested loops over the blocks of these axes; `inside` returns the statements of the innermost loop. If the schedule says so, the
  /// loop along the kernel's first axis becomes the thread loop, whose iterations are divided among threads.
  ir::Body each_block(std::span<const size_t> axes, const std::function<ir::Body()>& inside);
  /// Tests whether the columns' factor, packed once for all rows, is packed anew for each block along this axis.
  bool is_packed_along(size_t axis) const {
    return axis == contraction.column_position || varies(contraction.column_factor, layout.kept_axes[axis]);
  }
  Sym first_row = 0, first_column = 0, rows_here = 1, columns_here = 1;
  Sym first_of_group = 0, group_here = 1;

  // --- loops within a block

  /// Returns a loop of `count` iterations whose body is statements(variable). If `count` is 1, returns statements(0) without a loop.
  template <class Statements>
  ir::Body each(std::string_view name, Sym count, Statements statements, ir::LoopKind kind = ir::LoopKind::kSequential) {
    if (count.is_constant(1)) return statements(Sym(0));
    ir::Loop* loop = new_loop(arena, name, 0, count);
    loop->loop = kind;
    loop->body = statements(loop->variable);
    return {loop};
  }
  template <class Statements>
  ir::Body each_row_tile(Statements statements) {
    return each("rowtile", row_tiles(), statements);
  }
  template <class Statements>
  ir::Body each_column_tile(Statements statements) {
    return each("columntile", column_tiles(), statements);
  }
  /// Emits `statements` for each member of the group (an axis along which only one of the factors varies). During the call of `statements`,
  /// source_index() and stores_of() refer to that member; afterwards they refer to the first member again.
  template <class Statements>
  ir::Body each_member(Statements statements) {
    return each("member", group_here, [&](Sym member) {
      go_to_member(member);
      ir::Body body = statements(member);
      go_to_member(0);
      return body;
    });
  }
  /// Like each_member(), for statements that concern only the rows' factor (or, in the second function, only the columns' factor). If all
  /// members of the group have the same rows (columns), emits the statements once.
  template <class Statements>
  ir::Body each_member_with_rows(Statements statements) {
    return layout.rows_have_members ? each_member(statements) : statements(Sym(0));
  }
  template <class Statements>
  ir::Body each_member_with_columns(Statements statements) {
    return layout.columns_have_members ? each_member(statements) : statements(Sym(0));
  }
  /// Emits statements(lane) for all lanes of a vector. The loop over the lanes is unrolled or vectorised now, not together with the other
  /// loops of the kernel.
  template <class Statements>
  ir::Body each_lane(Statements statements) {
    ir::Loop* lane = new_loop(arena, "lane", 0, layout.simd);
    lane->body = statements(lane->variable);
    return ir::apply_tags(arena, c.kernel, vector_columns(lane, layout.simd));
  }
  void go_to_member(Sym member);
  /// Returns the index of the innermost batch axis. (Each index of a batch axis is an independent product of matrices.) Returns nullopt if
  /// there is only one product.
  std::optional<size_t> product_axis() const;
  /// Makes all following calls refer to another product of matrices: the one that comes `further` products later along product_axis().
  void move_to_product(Sym further) { position_[*product_axis()] = position_[*product_axis()] + further; }

  Sym row_tiles() const { return ceil_div(rows_here, layout.tile_rows); }
  Sym column_tiles() const { return ceil_div(columns_here, layout.tile_columns); }
  /// row_of() returns the index of the tile's first row, counted from the first row of the block. rows_from() returns tile_rows if every
  /// tile is whole, otherwise the number of rows from that row to the end of the block. column_of() and columns_from() return the same for
  /// columns.
  Sym row_of(Sym row_tile) const;
  Sym rows_from(Sym row_tile) const;
  Sym column_of(Sym column_tile) const;
  Sym columns_from(Sym column_tile) const;
  /// Returns the index, in the source of the reduction, of the product A[row, term] * B[term, column], where `terms` is the index of the
  /// term along the term axes. `row` and `column` count from the start of the whole matrix.
  Index source_index(Sym row, Sym column, const Index& terms) const;
  Index source_index(Sym row, Sym column, Sym term) const { return source_index(row, column, unflatten(term, layout.term_shape)); }

  // --- sums in memory

  /// Adds the arrays that accumulate the sums of the block; adds none if tiles are stored directly from registers.
  void add_sums();
  std::span<const int> arrays_of_sums() const { return sums_; }
  /// sums_of_block() returns the array for the sums over one block of terms, and sums_of_all_terms() the array that finally contains the
  /// sums over all terms. The two arrays differ only if the number of terms is known to need several levels of blocks. If it is known only
  /// at run time whether one level is enough, the array of the first level is returned by both: code for the higher levels is skipped if
  /// one level is enough, and otherwise copies the final sums to that array.
  int sums_of_block() const { return sums_.front(); }
  int sums_of_all_terms() const { return proven_nonnegative(terms_beyond_one_level()) ? sums_.back() : sums_.front(); }
  /// Emits block_of_terms(first, count) for each block of terms, and combines the results of the blocks in the order of docs/semantics.md
  /// ("Sums").
  using BlockOfTerms = std::function<ir::Body(Sym first, Sym count)>;
  ir::Body each_block_of_terms(const BlockOfTerms& block_of_terms);
  /// Returns an If statement that runs the statements unless a run has only one block of terms, whose tiles are stored directly. If that is
  /// never so, returns the statements alone.
  ir::Body unless_one_block(ir::Body statements);
  /// Emits statement(at) for each sum of the block; `at` is the position of the sum in each array of sums.
  ir::Body each_sum(const std::function<ir::Stmt*(Sym at)>& statement);
  const ir::UOp* zero() { return arena.constant(identity_of(Op::kSum, dtype)); }

  // --- the results

  /// Tests whether C is known to have fewer columns than a vector has lanes, and masked vectors can store its rows.
  bool masks_columns();
  /// If masks_columns(), returns the stores with masks: those of lanes beyond the last column have no effect, and nothing is loaded for
  /// them. `column` is the column of the block that is stored, and `lane` the variable of the loop over columns. Otherwise returns the
  /// stores as they are.
  ir::Body masked(const ir::Body& stores, Sym column, Sym lane);
  /// Returns the stores of the kernel's outputs at this row and column of the block, or, if `is_mirrored`, at the position on the other
  /// side of the diagonal, where row and column are exchanged. `sum` is the sum of products for this row and column.
  ir::Body stores_of(const ir::UOp* sum, Sym row, Sym column, bool is_mirrored = false);
  using SumAt = std::function<const ir::UOp*(Sym at)>;
  SumAt sum_in(int array) {
    return [this, array](Sym at) { return arena.acc(dtype, array, at); };
  }
  /// Returns a loop that stores one row of a tile. sum_at(at) is the sum at position `at` of an array of sums, and `begin` is the position
  /// of the row's first column.
  ir::Body store_row(const SumAt& sum_at, Sym begin, Sym row, Sym first_column, Sym columns_left);
  /// Returns loops that store the results of the whole block, one row at a time; a row extends over all tiles that are next to each other.
  ir::Body store_rows(const SumAt& sum_at);

 private:
  /// Returns the number of blocks along an axis of the kernel, or of its indices if blocks have one index of it.
  Sym blocks_along(size_t axis) const;
  /// Makes all following calls refer to block `number` along this axis.
  void go_to_block(size_t axis, Sym number);
  /// Tests whether the iterations of the thread loop are those of the first two axes. The first axis is an axis of independent products,
  /// whose number is unknown. There may be a single one, so that axis alone may not have work for all threads.
  bool threads_divide_two_axes() const;
  ir::Body each_block_of_two(std::span<const size_t> axes, size_t other, const std::function<ir::Body()>& inside);
  ir::Body each_pair_of_row_blocks(std::span<const size_t> axes, const std::function<ir::Body()>& inside);
  ir::Body sums_of_level(size_t level, const std::vector<Sym>& counts, Sym begin, Sym end, const BlockOfTerms& block_of_terms);

  ir::Body only_with_levels(ir::Body statements);
  /// An expression that is >= 0 if there are more than 256 blocks of 256 terms, for which one level of blocks is not enough.
  Sym terms_beyond_one_level() const { return layout.terms - (kChainBlock * kChainBlock + 1); }

  std::optional<bool> masks_columns_;  // the result of masks_columns()
  Index position_;                     // position along the kept axes; the entries of the row axis and the column axis are not used
  std::vector<int> sums_;              // the arrays that accumulate the sums, one for each level of blocks
};

inline void add(ir::Body& body, const ir::Body& statements) { body.insert(body.end(), statements.begin(), statements.end()); }

/// Lowers a contraction with few rows (skinny GEMM), for which packing the columns' factor would take too long. (skinny_gemm.cpp)
void lower_skinny_gemm(ContractionBlock& block);

}  // namespace harp::lower
